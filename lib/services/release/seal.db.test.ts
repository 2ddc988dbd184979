import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, one, rows } from '@/lib/db/client';
import { blockersOf, findRelease } from '@/lib/services/release';
import { lastAudit, refusalOf, traceOf } from '@/lib/testing/refusal';
import { day, fix, idOf, ingress, openShop, type Shop } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.t.close());

const db = () => shop.t.db;

/** Refused with these codes and nothing else, nothing changed, one row in the audit. */
async function expectRefused(release: string, code: string, codes: string[]) {
  const before = await traceOf(db());
  expect(await refusalOf(shop.w.move('dee', 'seal', release))).toEqual({
    status: 409,
    code,
    codes,
  });
  expect(await traceOf(db())).toEqual(before);
  expect(await lastAudit(db())).toEqual({
    actor: 'dee',
    verb: 'release.seal',
    subject: release,
    outcome: 'refused',
    code,
  });
  expect(await ingress(db())).toMatchObject({ state: 'OPEN', sealer: null });
  // the list that people are shown is the list that refuses
  const shown = await blockersOf(db(), await findRelease(db(), release));
  if (shown.seal) expect(shown.seal.map((b) => b.code)).toEqual(codes);
}

/** With something broken, then as it was. */
async function during(breaking: SQL, restoring: SQL, run: () => Promise<void>) {
  await affected(db(), breaking);
  await run();
  await affected(db(), restoring);
}

describe('the seal is refused', () => {
  let release = '';

  it('before the build, with all that is missing', async () => {
    release = await shop.w.draft(fix());
    await shop.w.move('ana', 'pin', release);
    expect((await refusalOf(shop.w.move('dee', 'seal', release))).code).toBe('WRONG_STATE');
    await shop.w.move('ana', 'build', release);
    await expectRefused(release, 'PARTITIONS_MISSING', ['PARTITIONS_MISSING', 'REHEARSAL_MISSING']);
  });

  it('with a partition short, failed or not, however many have their receipt', async () => {
    await shop.w.work(release);
    const id = await idOf(db(), release);
    const hidden = sql`update control.release_partition set start_at = start_at + interval '1 hour',
      state = 'failed', error = 'broken' where release = ${id} and start_at = '2011-01-06T00:00:00Z'`;
    const back = sql`update control.release_partition set start_at = start_at - interval '1 hour',
      state = 'built', error = null where release = ${id} and start_at = '2011-01-06T01:00:00Z'`;
    await during(hidden, back, async () => {
      await expectRefused(release, 'PARTITIONS_MISSING', [
        'PARTITIONS_MISSING',
        'REHEARSAL_MISSING',
      ]);
      const list = (await blockersOf(db(), await findRelease(db(), release))).seal ?? [];
      expect(list[0]).toMatchObject({ kind: 'fix', expected: '4 of 4', current: '3 of 4' });
    });
  });

  it('without a rehearsal, and with one older than the last receipt', async () => {
    await expectRefused(release, 'REHEARSAL_MISSING', ['REHEARSAL_MISSING']);
    await shop.w.move('ana', 'rehearse', release);
    await expectRefused(release, 'REHEARSAL_MISSING', ['REHEARSAL_MISSING']);
    await shop.w.work(release);
    const older = (by: string) =>
      sql`update control.reconciliation set started_at = started_at + ${by}::interval`;
    await during(older('-1 day'), older('1 day'), () =>
      expectRefused(release, 'REHEARSAL_MISSING', ['REHEARSAL_MISSING']),
    );
    const verdict = (to: string) => sql`update control.reconciliation set verdict = ${to}`;
    await during(verdict('incomplete'), verdict('passed'), () =>
      expectRefused(release, 'CHECK_INCOMPLETE', ['CHECK_INCOMPLETE']),
    );
  });

  it('while held, paused, behind, past its deadline, on another base, beside a rollback: all at once', async () => {
    const id = await idOf(db(), release);
    await shop.w.append([event({ line: 'late', at: day(5), price: '1.00' })]);
    await affected(
      db(),
      sql`update control.source_event set received_at = received_at - interval '2 hours'`,
    );
    await expectRefused(release, 'LAG_OVER_LIMIT', ['LAG_OVER_LIMIT']);

    const order = (set: SQL) => sql`update control.release set ${set} where id = ${id}`;
    const registry = (set: SQL) => sql`update control.registry set ${set}`;
    await during(order(sql`held_at = clock_timestamp()`), order(sql`held_at = null`), () =>
      expectRefused(release, 'HELD', ['HELD', 'LAG_OVER_LIMIT']),
    );
    const { active } = await one<{ active: string }>(
      db(),
      sql`select active_generation as active from control.registry`,
    );
    await affected(
      db(),
      order(sql`held_at = clock_timestamp(), paused_at = clock_timestamp(),
      deadline = '2001-01-01T00:00:00Z', old_generation = generation`),
    );
    await during(registry(sql`rollback = 999`), registry(sql`rollback = null`), () =>
      expectRefused(release, 'HELD', [
        'HELD',
        'PAUSED',
        'GENERATION_MOVED',
        'ROLLBACK_IN_PROGRESS',
        'DEADLINE_PASSED',
        'LAG_OVER_LIMIT',
      ]),
    );
    await affected(
      db(),
      order(sql`held_at = null, paused_at = null, deadline = null,
      old_generation = ${active}`),
    );
    await shop.w.live();
  });

  it('while an event of the candidate is in quarantine, until it is accepted by name', async () => {
    const lost = event({ line: 'lost', at: day(5) });
    await shop.w.append([{ ...lost, payload: { ...lost.payload, invoiced_at: null } }]);
    await shop.w.live();
    await shop.w.work(release);
    await expectRefused(release, 'QUARANTINED', ['QUARANTINED']);
    await shop.w.move('ana', 'rehearse', release);
    await shop.w.work(release);
    await expectRefused(release, 'QUARANTINED', ['QUARANTINED']);

    const { digest } = await one<{ digest: string }>(
      db(),
      sql`select detail ->> 'digest' as digest from control.check_result
        where name = 'quarantine' order by reconciliation desc limit 1`,
    );
    const accept = (count: number, of: string) =>
      shop.w.move('dee', 'accept', release, {
        what: 'quarantine',
        count,
        digest: of,
        reason: 'seen',
      });
    expect((await refusalOf(accept(2, digest))).code).toBe('EVIDENCE_MOVED');
    expect((await refusalOf(accept(1, 'sha256:other'))).code).toBe('EVIDENCE_MOVED');
    await expectRefused(release, 'QUARANTINED', ['QUARANTINED']);
    await accept(1, digest);
    expect((await blockersOf(db(), await findRelease(db(), release))).seal).toEqual([]);
  });

  it('while another release holds it', async () => {
    const other = await shop.w.rehearsed(
      fix({
        release: 'other',
        targetGeneration: 'other-g',
        range: { from: '2011-01-02T00:00:00Z', to: '2011-01-04T00:00:00Z' },
      }),
    );
    const found = await quarantineOf(other);
    await shop.w.move('dee', 'accept', other, { what: 'quarantine', ...found, reason: 'seen' });
    await shop.w.move('dee', 'seal', release);
    expect(await refusalOf(shop.w.move('dee', 'seal', other))).toEqual({
      status: 409,
      code: 'EPOCH_SEALED',
      codes: ['EPOCH_SEALED'],
    });
    expect(await shop.w.state(other)).toBe('BUILDING');
    expect(await ingress(db())).toMatchObject({ sealer: `release:${await idOf(db(), release)}` });
    await shop.w.move('dee', 'abandon', release);
    await shop.w.move('dee', 'abandon', other);
  });

  it('by what the rehearsal found: every failed check under its code', async () => {
    await affected(db(), sql`update ds_order_tax.rows set tax = 1 where line = 'l5'`);
    const bad = await shop.w.rehearsed(
      fix({
        release: 'bad',
        targetGeneration: 'bad-g',
        expectedDiff: [
          { rule: 'other', where: 'new.tax = round(old.net * 0.20, 2)', columns: ['net'] },
        ],
        expected: { partitions: 4, rows: { min: 99 } },
        conserved: [{ name: 'tax', old: 'sum(tax)', new: 'sum(tax)' }],
        contract: [{ check: 'sql', name: 'no tax', where_bad: 'tax > 0' }],
      }),
    );
    await expectRefused(bad, 'QUARANTINED', [
      'QUARANTINED',
      'UNEXPLAINED_DIFF',
      'DRIFT_NOT_ACCEPTED',
      'EXPECTATION_FAILED',
      'CONSERVED_DIFFERENCE',
      'CONTRACT_FAILED',
    ]);
    const failed = await rows<{ name: string }>(
      db(),
      sql`select name from control.check_result where verdict = 'failed' and reconciliation = (
        select max(id) from control.reconciliation) order by position`,
    );
    expect(failed.map((c) => c.name)).toEqual([
      'expected:rows',
      'expected_diff',
      'drift',
      'conserved:tax',
      'quarantine',
      'contract:no tax',
    ]);
  });
});

async function quarantineOf(release: string) {
  return one<{ count: string; digest: string }>(
    db(),
    sql`select detail ->> 'count' as count, detail ->> 'digest' as digest from control.check_result c
      join control.reconciliation r on r.id = c.reconciliation
      where c.name = 'quarantine' and r.release = ${await idOf(db(), release)} order by r.id desc limit 1`,
  );
}
