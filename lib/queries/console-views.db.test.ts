import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvalPage } from '@/lib/queries/approval-view';
import { auditFacets } from '@/lib/queries/audit-facets';
import { buildView } from '@/lib/queries/build-view';
import { cutoverPage } from '@/lib/queries/cutover-view';
import { datasetServing } from '@/lib/queries/dataset-serving';
import { datasetsOverview } from '@/lib/queries/datasets-overview';
import { ingressSeal } from '@/lib/queries/ingress-seal';
import { oncallPage } from '@/lib/queries/oncall-view';
import { reconciliationPage } from '@/lib/queries/reconciliation-view';
import { sourceLog } from '@/lib/queries/source-log';
import { type DiffInput, diffPage } from '@/lib/services/release';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { event, vatFix, World } from '@/lib/testing/world';

let t: TestDatabase;
let w: World;
let release = '';

const day = (n: number, hour = 12) =>
  `2011-01-${String(n).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`;

beforeAll(async () => {
  t = await testDatabase();
  w = new World(t.db);
  await w.shop();
  await w.append(
    [2, 3, 4, 5, 6, 7, 8].map((n) => event({ line: `l${n}`, at: day(n), price: '100.00' })),
  );
  await w.live();
});
afterAll(() => t.close());

describe('the console’s read models, along one release', () => {
  it('shows a dataset and its source before any release', async () => {
    const { items } = await datasetsOverview(t.db);
    expect(items).toMatchObject([
      { name: 'order_tax', zone: 'Europe/London', epoch: 1, ingress: 'OPEN', buffered: '0' },
    ]);
    const source = await sourceLog(t.db, 'orders');
    expect(source.newest).toHaveLength(7);
    expect(source.lastMinute).toBe(7);
    expect(source.keys).toBe('7');
    expect((await oncallPage(t.db)).releases).toEqual([]);
  });

  it('shows a build before it began, and what it came to', async () => {
    release = await w.draft(vatFix({ from: day(4, 0), to: day(8, 0) }));
    const draft = await buildView(t.db, release);
    expect(draft).toMatchObject({ planned: 0, firstAt: null, throughput: [], workers: [] });
    await w.move('ana', 'pin', release);
    await w.move('ana', 'build', release);
    const waiting = await buildView(t.db, release);
    expect(waiting).toMatchObject({ planned: 4, receipts: 0, waiting: 4 });
    expect(waiting.snapshot?.ready).toBe(false);
    await w.work(release);
    const built = await buildView(t.db, release);
    expect(built).toMatchObject({ receipts: 4, waiting: 0, failed: 0, rowsOut: '4', factsIn: '4' });
    expect(built.workers).toMatchObject([{ accepted: 4, failed: 0, lost: 0, rows: '4' }]);
    expect(built.throughput.at(-1)?.waiting).toBe(0);
    expect(built.durations.reduce((sum, band) => sum + band.receipts, 0)).toBe(4);
  });

  it('has no comparison yet, then a rehearsal', async () => {
    const before = await reconciliationPage(t.db, release);
    expect(before).toMatchObject({ found: null, runs: [], receipts: 4 });
    await w.move('ana', 'rehearse', release);
    expect((await reconciliationPage(t.db, release)).rehearsalAskedAt).not.toBeNull();
    await w.work(release);
    const page = await reconciliationPage(t.db, release);
    expect(page.found?.run).toMatchObject({ kind: 'rehearsal', verdict: 'passed', stale: null });
    expect(page.found?.totals).toMatchObject({
      partitions: 4,
      oldRows: '4',
      newRows: '4',
      changed: '4',
      unexplained: '0',
      drift: '0',
    });
    expect(page.found?.groups).toMatchObject([
      { class: 'explained', rule: 'vat-20', kind: 'changed', rows: '4' },
    ]);
    expect(page.found?.groups[0]?.deltas.tax).toBe('10.00');
    expect(page.found?.conserved).toMatchObject([
      { name: 'net', difference: '0.000', differing: 0 },
    ]);
    expect(page.found?.columns[0]).toMatchObject({ name: 'tax', changed: '4' });
    expect(page.found?.heat.points.reduce((sum, [, , differing]) => sum + differing, 0)).toBe(4);
    expect(page.found?.heat.starts).toHaveLength(4);
    expect(page.found?.periods).toMatchObject([
      { controlRows: '1', newRows: '1', added: '0', removed: '0' },
      ...Array.from({ length: 3 }, () => ({ newRows: '1' })),
    ]);
    expect(page.found?.checks.length).toBeGreaterThan(8);
  });

  it('draws the differences of a part alone, and reads the rows of what is selected in it', async () => {
    const heatOf = async (heat: { from: string; to: string } | null) => {
      const { found } = await reconciliationPage(t.db, release, { heat });
      if (!found) throw new Error('nothing was compared');
      const { starts, end, ...rest } = found.heat;
      return { edges: [...starts, end ?? ''], ...rest };
    };
    const heat = await heatOf(null);
    expect(heat).toMatchObject({ partitions: 4, size: 1 });
    expect(heat.edges).toEqual([4, 5, 6, 7, 8].map((n) => day(n, 0)));
    const part = { from: day(5, 0), to: day(7, 0) };
    const zoomed = await heatOf(part);
    expect(zoomed).toMatchObject({ partitions: 2, size: 1 });
    expect(zoomed.edges).toEqual([5, 6, 7].map((n) => day(n, 0)));
    const within = heat.points.filter(([group]) => group === 1 || group === 2);
    expect(within.length).toBeGreaterThan(0);
    expect(zoomed.points).toEqual(within.map(([group, ...cell]) => [group - 1, ...cell]));

    const keys = async (filter: Partial<DiffInput>) =>
      (await diffPage(t.db, { release, ...filter })).items.map(({ key }) => key);
    expect((await keys({})).length).toBe(4);
    const some = await keys(part);
    expect(some.length).toBe(within.reduce((sum, [, , rows]) => sum + rows, 0));
    for (const [group, bucket, rows] of heat.points) {
      const here = { from: heat.edges[group], to: heat.edges[group + 1], bucket };
      expect((await keys(here)).length).toBe(rows);
    }
    const buckets = new Set(heat.points.map(([, bucket]) => bucket));
    const empty = Array.from({ length: 64 }, (_, n) => n).find((n) => !buckets.has(n));
    expect(await keys({ bucket: empty })).toEqual([]);
  });

  it('shows who sealed, and both sides at the barrier', async () => {
    const open = await ingressSeal(t.db, release);
    expect(open).toMatchObject({ ingress: 'OPEN', mine: false, sealer: null, sealedEpoch: null });
    await w.reconciled(release);
    await w.append([event({ line: 'late', at: day(5), price: '10.00' })]);
    const sealed = await ingressSeal(t.db, release);
    expect(sealed).toMatchObject({
      ingress: 'SEALED',
      mine: true,
      sealer: release,
      byRollback: false,
      buffered: '1',
    });
    expect(sealed.shards.every((s) => s.old === s.barrier && s.candidate === s.barrier)).toBe(true);
    expect(sealed.events[0]).toMatchObject({ verb: 'release.seal', actor: 'dee', outcome: 'done' });
  });

  it('gathers what a signer reads, and keeps a void signature', async () => {
    const evidence = await w.evidence(release);
    await w.move('bo', 'approve', release, { evidence, statement: 'read it' });
    await w.move('dee', 'reopen', release, { reason: 'to look again' });
    await w.work(release);
    const void1 = await approvalPage(t.db, release);
    expect(void1.evidence).toBeNull();
    expect(void1.signatures).toMatchObject([
      { person: 'bo', void: 'EVIDENCE_MOVED', voidBy: 'release.reopen' },
    ]);
    const stale = await reconciliationPage(t.db, release);
    expect(stale.found?.run).toMatchObject({ kind: 'final', stale: 'reopened' });

    await w.live();
    await w.reconciled(release);
    await w.sign(release);
    const page = await approvalPage(t.db, release);
    expect(page.standing).toEqual({ cutover: 2, rollback: 1 });
    expect(page.needed).toEqual({ cutover: 2, rollback: 1 });
    expect(page.signatures.filter((s) => !s.standing)).toHaveLength(1);
    expect(page.approvers.map((a) => [a.person, a.author !== null])).toEqual([
      ['bo', false],
      ['both', false],
      ['cyd', false],
    ]);
    expect(page.atBarrier).toEqual({ old: true, candidate: true });
    expect(page.evidence?.parts.checks.length).toBe(page.checks.length);
    expect(page.conserved[0]).toMatchObject({ name: 'net', difference: '0.000' });
  });

  it('shows every condition of the cutover with both sides, and what came of it', async () => {
    const before = await cutoverPage(t.db, release, 'dee');
    expect(before.conditions.filter((c) => !c.holds)).toEqual([]);
    expect(before.conditions.length).toBeGreaterThan(12);
    expect((await cutoverPage(t.db, release, 'bo')).conditions).toContainEqual(
      expect.objectContaining({ code: 'EXECUTOR_SIGNED', holds: false, current: 'bo signed' }),
    );
    await w.move('dee', 'hold', release, { reason: 'a look' });
    await expect(w.move('dee', 'activate', release)).rejects.toThrow();
    await w.move('dee', 'unhold', release);
    await w.move('dee', 'activate', release);
    await w.append([event({ line: 'after', at: day(5), price: '10.00' })]);
    await w.live();
    await w.work(release);
    const after = await cutoverPage(t.db, release, 'dee');
    expect(after).toMatchObject({ serving: true, state: 'ACTIVE' });
    expect(after.cutover?.checks.map((c) => [c.name, c.passed, c.waiting])).toEqual([
      ['tail', true, false],
      ['takeover', true, false],
      ['oldWrites', true, false],
    ]);
    expect(after.refusals[0]?.blockers.map((b) => b.code)).toContain('HELD');
  });

  it('has the release on call, with what a rollback would replay', async () => {
    const { releases } = await oncallPage(t.db);
    expect(releases).toMatchObject([
      { release, serving: true, eventsToReplay: '1', measured: null, standing: 1, needed: 1 },
    ]);
    await w.move('dee', 'rollback', release, { reason: 'ledger does not tie out' });
    const running = (await oncallPage(t.db)).releases[0]?.rollback;
    expect(running).toMatchObject({ state: 'requested', by: 'dee', eventsToReplay: '1' });
    await w.work(release);
    const { releases: ended, past } = await oncallPage(t.db);
    expect(ended[0]?.rollback).toMatchObject({ state: 'done', eventsReplayed: '1' });
    expect(ended[0]?.rollback?.steps.map((s) => s.step)).toContain('switch');
    expect(past).toMatchObject([{ release, state: 'done', events: '1' }]);
  });

  it('lists generations with what holds them, and names for the filters', async () => {
    const page = await datasetServing(t.db, 'order_tax');
    expect(page.holds.map((h) => h.name)).toContain('vat-fix-g2');
    expect(page.shards.every((s) => s.applied === s.logEnd)).toBe(true);
    expect(page.releases[0]).toMatchObject({ release, state: 'ROLLED_BACK' });
    const facets = await auditFacets(t.db);
    expect(facets.verbs).toContain('release.activate');
    expect(facets.actors).toContain('dee');
    expect(facets.releases).toContain(release);
  });
});
