import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Instant, secondsOf } from '@/lib/domain/instant';
import { waitFor } from '@/lib/domain/next-move';
import type { Role } from '@/lib/domain/permissions';
import {
  coverageOfPlan,
  coverageOfRelease,
  failedStarts,
  unfinishedPartitions,
} from '@/lib/queries/coverage';
import { draftDatasets, draftSpec, nextRevision, transformInUse } from '@/lib/queries/draft';
import { findByName } from '@/lib/queries/find';
import { navCounts } from '@/lib/queries/nav';
import { oncallPage } from '@/lib/queries/oncall-view';
import { overview } from '@/lib/queries/overview';
import { partitionDetail } from '@/lib/queries/partition-detail';
import { inFlightBriefs, type ReleaseBrief } from '@/lib/queries/release-brief';
import { changesSince } from '@/lib/queries/release-changes';
import { releaseHeader } from '@/lib/queries/release-header';
import { type ReleaseSort, releasesPage } from '@/lib/queries/releases';
import { specView } from '@/lib/queries/spec';
import { overviewStamp, releaseStamp } from '@/lib/queries/stamp';
import { publish } from '@/lib/services/publication';
import { patchRelease } from '@/lib/services/release';
import { specBlockers } from '@/lib/services/release/preview-blockers';
import { sweep } from '@/lib/services/steps/sweep';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { as, event, type Person, taxSql, vatFix, World } from '@/lib/testing/world';

let t: TestDatabase;
let w: World;

const range = { from: '2011-01-04T00:00:00Z', to: '2011-01-08T00:00:00Z' };
const roles: Record<string, Role[]> = {
  ana: ['owner'],
  bo: ['approver'],
  cyd: ['approver'],
  dee: ['oncall'],
  eve: ['auditor'],
};
const viewer = (person: Person) => ({ person, roles: roles[person] ?? [] });
const day = (n: number) => `2011-01-0${n}T12:00:00Z`;

beforeAll(async () => {
  t = await testDatabase();
  w = new World(t.db);
  await w.shop();
  await w.append([2, 4, 5, 6, 8].map((n) => event({ line: `l${n}`, at: day(n), price: '100.00' })));
  await w.live();
});
afterAll(() => t.close());

const header = (release: string, person: Person = 'ana') =>
  releaseHeader(t.db, viewer(person), release);
const waiting = async (person: Person) =>
  (await inFlightBriefs(t.db, viewer(person)))
    .map(({ release, turn, person: who }) => [release, waitFor(turn, who)?.move])
    .filter(([, move]) => move !== undefined);

describe('the console’s read models, along one release', () => {
  let release = '';

  it('knows what a draft of the dataset needs', async () => {
    const [dataset] = await draftDatasets(t.db);
    expect(dataset).toMatchObject({
      name: 'order_tax',
      source: 'orders',
      zone: 'Europe/London',
      unit: 'day',
      approvals: { cutover: 2, rollback: 1 },
      activeGeneration: 'order_tax-g1',
    });
    expect(dataset?.transform?.sql).toBe(taxSql('0.175'));
    expect(await nextRevision(t.db, 'vat-fix', 'order_tax')).toEqual({
      revision: 1,
      generation: 'vat-fix-g1',
    });
    expect((await transformInUse(t.db, 'order_tax', range.from))?.sql).toBe(taxSql('0.175'));
  });

  it('shows a draft to its author as waiting, and to nobody else', async () => {
    release = await w.draft(vatFix(range));
    expect(await waiting('ana')).toEqual([[release, 'pin']]);
    expect(await waiting('dee')).toEqual([]);
    expect(await navCounts(t.db, viewer('ana'))).toEqual({
      waiting: 1,
      underWay: 0,
      rollingBack: 0,
      inWindow: 0,
      runsWaiting: 0,
    });
    const found = await header(release);
    expect(found.brief.turn).toMatchObject({ state: 'DRAFT', planned: 0, rehearsal: 'none' });
    expect(found.snapshot).toBeNull();
  });

  it('keeps the spec, its author and what it is the next revision of', async () => {
    await patchRelease(as(t.db, 'ana'), {
      release,
      version: 1,
      spec: { budget: { concurrency: 2 } },
    });
    const draft = await draftSpec(t.db, release);
    expect(draft).toMatchObject({ version: 2, savedBy: 'ana', authors: ['ana'], before: null });
    expect(draft.newSql).toBe(taxSql('0.20'));
    const spec = await specView(t.db, release);
    expect(spec.digest).toBeNull();
    expect([spec.old?.sql, spec.new?.sql]).toEqual([taxSql('0.175'), taxSql('0.20')]);
  });

  it('stamps change with a release, and with nothing else', async () => {
    const before = [await releaseStamp(t.db, release), await overviewStamp(t.db)];
    const again = [await releaseStamp(t.db, release), await overviewStamp(t.db)];
    expect(again.map((read) => read.stamp)).toEqual(before.map((read) => read.stamp));
    await w.move('ana', 'pin', release);
    expect((await releaseStamp(t.db, release)).stamp).not.toBe(before[0]?.stamp);
    expect((await overviewStamp(t.db)).stamp).not.toBe(before[1]?.stamp);
  });

  it('says what changed since a page was read', async () => {
    const { now } = await header(release);
    await w.move('ana', 'hold', release, { reason: 'reading' });
    await w.move('ana', 'unhold', release);
    const changes = await changesSince(t.db, release, now);
    expect(changes.map(({ actor, did }) => `${actor} ${did}`)).toEqual([
      `ana held ${release}`,
      `ana lifted the hold of ${release}`,
    ]);
    expect(changes[0]).toMatchObject({ reason: 'reading', zone: 'Europe/London' });
  });

  it('shows every planned partition, and one of them in full', async () => {
    await w.move('ana', 'build', release);
    const { brief } = await header(release);
    expect((await coverageOfRelease(t.db, brief.id, 'BUILDING')).states).toBe('pppp');
    await w.work(release);
    const coverage = await coverageOfRelease(t.db, brief.id, 'BUILDING');
    // 7 January has no row
    expect(coverage.states).toBe('bbbe');
    expect(coverage.edges).toHaveLength(5);
    expect(coverage.edges[0]).toBe(secondsOf('2011-01-04T00:00:00Z' as Instant));
    expect(await unfinishedPartitions(t.db, brief.id)).toEqual([]);
    expect(await failedStarts(t.db, brief.id)).toEqual([]);

    const read = () => partitionDetail(t.db, brief.id, '2011-01-05T00:00:00Z');
    expect((await read())?.old).toBeNull();
    await sweep(t.db);
    const detail = await read();
    expect(detail?.attempts.map(({ outcome }) => outcome)).toEqual(['accepted']);
    expect(detail?.receipt).toMatchObject({ factsIn: '1', rowsOut: '1', quarantined: '0' });
    expect(detail?.old?.rows).toBe('1');
    expect(detail?.candidate).toMatchObject({ rows: '1', sums: { net: '100.000' } });
    expect(await partitionDetail(t.db, brief.id, '2011-01-05T00:00:01Z')).toBeNull();
  });

  it('asks for a rehearsal, then for the seal, of whoever may', async () => {
    expect(await waiting('dee')).toEqual([[release, 'rehearse']]);
    expect(await waiting('bo')).toEqual([]);
    await w.move('ana', 'rehearse', release);
    expect((await header(release)).brief.turn.rehearsal).toBe('running');
    await w.work(release);
    const found = await header(release);
    expect(found.brief.turn.rehearsal).toBe('passed');
    expect(found.reconciliation).toMatchObject({ compared: 4, unexplained: '0', current: true });
    expect(await waiting('dee')).toEqual([[release, 'seal']]);
  });

  it('lists it by any part of its name, by its state, and as a band', async () => {
    const page = async (filter: Parameters<typeof releasesPage>[2]) =>
      releasesPage(t.db, viewer('eve'), filter, { limit: 10 });
    const all = await page({});
    expect(all.items.map(({ brief, strip }) => [brief.release, strip])).toEqual([
      [release, 'bbbb'],
    ]);
    expect(all.counts).toMatchObject({ all: 1, building: 1, draft: 0 });
    expect([all.datasets, all.owners]).toEqual([['order_tax'], ['ana']]);
    for (const filter of [{ text: 'FIX@1' }, { text: 'order_t' }, { text: 'fix-g2' }]) {
      expect((await page(filter)).items).toHaveLength(1);
    }
    for (const filter of [{ text: 'nope' }, { group: 'ended' as const }, { owner: 'bo' }]) {
      expect((await page(filter)).items).toEqual([]);
    }
    expect((await findByName(t.db, 'vat')).map(({ name }) => name)).toEqual([release]);
    expect(await findByName(t.db, ' ')).toEqual([]);
  });

  it('pages by keyset', async () => {
    const second = await w.draft(vatFix(range, { release: 'later', targetGeneration: 'later-g1' }));
    const read = (cursor?: string) =>
      releasesPage(t.db, viewer('eve'), {}, { limit: 1, ...(cursor ? { cursor } : {}) });
    const first = await read();
    expect(first.items.map(({ brief }) => brief.release)).toEqual([second]);
    const next = await read(first.nextCursor ?? '');
    expect(next.items.map(({ brief }) => brief.release)).toEqual([release]);
    expect(next.nextCursor).toBeNull();
    const sorted = async (key: ReleaseSort, down: boolean) => {
      const names: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await releasesPage(
          t.db,
          viewer('eve'),
          {},
          { limit: 1, sort: { key, down }, ...(cursor ? { cursor } : {}) },
        );
        names.push(...page.items.map(({ brief }) => brief.release));
        cursor = page.nextCursor;
      }
      return names;
    };
    expect(await sorted('release', false)).toEqual([second, release]);
    expect(await sorted('release', true)).toEqual([release, second]);
    expect(await sorted('age', false)).toEqual([second, release]);
    expect(await sorted('age', true)).toEqual([release, second]);
    expect(await sorted('state', false)).toEqual([second, release]);
    // equal ones stand newest first either way
    for (const key of ['dataset', 'owner'] as const) {
      expect(await sorted(key, false)).toEqual([second, release]);
      expect(await sorted(key, true)).toEqual([second, release]);
    }
    await w.move('ana', 'abandon', second, { reason: 'only a test' });
  });

  it('says what would keep a draft from being pinned, before it is one', async () => {
    const spec = vatFix(range, { release: 'other' });
    const codes = (await specBlockers(t.db, spec, null)).map(({ code }) => code);
    expect(codes.sort()).toEqual(['RELEASE_OVERLAP', 'TARGET_GENERATION_TAKEN']);
    // a spec with a fault of its own has that said first
    expect(await specBlockers(t.db, { ...spec, range: { from: 'soon' } }, null)).toEqual([]);
  });

  it('counts events to the barrier, signatures, and whom it waits for', async () => {
    await w.append([event({ line: 'l5', at: day(5), price: '50.00', revision: 2 })]);
    await w.live();
    await w.move('dee', 'seal', release);
    expect((await header(release)).barrier).toEqual({ applied: '0', total: '1' });
    expect((await header(release)).ingress).toMatchObject({ state: 'SEALED', sealer: release });
    await w.work(release);
    const found = await header(release, 'bo');
    expect(found.barrier).toEqual({ applied: '1', total: '1' });
    expect(found.brief.sealedUntil).not.toBeNull();
    expect(await waiting('bo')).toEqual([[release, 'approve']]);
    expect(await waiting('ana')).toEqual([]);

    const evidence = await w.evidence(release);
    await w.move('bo', 'approve', release, { evidence });
    expect((await header(release, 'bo')).brief.turn.signed).toEqual({ cutover: 1, rollback: 0 });
    expect(await waiting('bo')).toEqual([[release, 'sign-rollback']]);
    await w.move('cyd', 'approve', release, { evidence });
    expect(await waiting('dee')).toEqual([[release, 'activate']]);
  });

  it('asks for the rollback’s signature once it serves, and shows its window', async () => {
    await w.move('dee', 'activate', release);
    await w.work(release);
    expect(await waiting('bo')).toEqual([[release, 'sign-rollback']]);
    const found = await header(release);
    expect(found.brief.turn).toMatchObject({ state: 'ACTIVE', serving: true });
    expect(found.cutover).toMatchObject({ by: 'dee', epoch: 2 });
    expect(found.states.map(({ state }) => state).at(-1)).toBe('ACTIVE');
    expect((await navCounts(t.db, viewer('dee'))).inWindow).toBe(1);
    const { brief } = found;
    expect((await coverageOfRelease(t.db, brief.id, 'ACTIVE')).states).toBe('rrrr');
  });

  it('puts it all on the first page', async () => {
    await w.move('bo', 'sign-rollback', release, { evidence: await w.evidence(release) });
    await w.move('dee', 'rollback', release, { reason: 'a test of it' });
    const rolling = await overview(t.db, viewer('dee'));
    const [brief] = rolling.inFlight as [ReleaseBrief];
    expect(brief.turn.rollingBack).toBe(true);
    expect(brief.rollbackSeconds).toBeGreaterThanOrEqual(0);
    await w.work(release);
    const after = await overview(t.db, viewer('dee'));
    expect(after.inFlight).toEqual([]);
    expect(after.ended.map((ended) => [ended.release, ended.turn.state])).toEqual([
      [release, 'ROLLED_BACK'],
      ['later@1', 'ABANDONED'],
    ]);
    expect(after.ended[1]?.since.why).toBe('only a test');
    expect(after.lastRollback).toMatchObject({ release, state: 'done' });
    const [past] = (await oncallPage(t.db)).past;
    expect(past).toMatchObject({
      release,
      dataset: 'order_tax',
      by: 'dee',
      why: 'a test of it',
      events: '0',
      generation: 'vat-fix-g2',
      oldGeneration: 'order_tax-g1',
    });
    expect(past?.steps.map(({ step }) => step)).toEqual(['replay', 'seal', 'tail', 'switch']);
    expect(after.moves[0]).toMatchObject({ actor: 'runner', outcome: 'done' });
    expect(after.datasets.map(({ name }) => name)).toEqual(['order_tax']);
  });

  it('marks what was published of a plan, and what of a draft somebody else has claimed', async () => {
    const at = (day: number) => `2011-01-0${day}T00:00:00Z`;
    await publish(as(t.db, 'ana'), { dataset: 'order_tax', from: at(5), to: at(7) });
    const { brief } = await header(release);
    expect((await coverageOfRelease(t.db, brief.id, 'ROLLED_BACK')).states).toBe('rssr');
    const plan = [4, 5, 6, 7].map((day) => ({ start: at(day), end: at(day + 1) }));
    const claims = [{ from: at(4), to: at(6) }];
    expect((await coverageOfPlan(t.db, 'order_tax', plan, claims)).states).toBe('cssp');
    expect((await coverageOfPlan(t.db, 'order_tax', [], claims)).states).toBe('');
  });
});
