import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import {
  type Attempt,
  claimPartition,
  reclaimLost,
  renewAttempt,
  settleAttempt,
} from '@/lib/db/statements/attempt';
import { transaction } from '@/lib/db/transaction';
import { catalog } from '@/lib/runner/catalog';
import { moves } from '@/lib/services/release';
import { race } from '@/lib/testing/race';
import { traceOf } from '@/lib/testing/refusal';
import { day, fix, idOf, openShop, type Shop } from '@/lib/testing/shop';
import { as, event } from '@/lib/testing/world';
import { buildPartition } from './build-partition';
import { failedAttempt } from './failed-attempt';

let shop: Shop;
let release = '';
let id = '';

beforeAll(async () => {
  shop = await openShop();
  release = await shop.w.draft(fix({ budget: { concurrency: 2, maxLiveLagSeconds: 3600 } }));
  await shop.w.move('ana', 'pin', release);
  await shop.w.work(release);
  await shop.w.move('ana', 'build', release);
  id = await idOf(shop.t.db, release);
});
afterAll(() => shop.t.close());

const claim = (db: Database, worker: string) =>
  transaction(db, (tx) => claimPartition(tx, id, worker, 30));
const mustClaim = async (worker: string): Promise<Attempt> => {
  const claimed = await claim(shop.t.db, worker);
  if (claimed.kind !== 'claimed') throw new Error(`nothing to claim: ${claimed.why}`);
  return claimed.attempt;
};
const expire = (attempt: Attempt) =>
  affected(
    shop.t.db,
    sql`update control.attempt set lease_until = clock_timestamp() - interval '1 second'
      where token = ${attempt.token}`,
  );
const reclaim = (db: Database) => transaction(db, (tx) => reclaimLost(tx));
const partitions = () =>
  rows<{ start: string; state: string; attempt: number }>(
    shop.t.db,
    sql`select start_at as start, state, attempt from control.release_partition order by start_at`,
  );
const receipts = () =>
  rows<{ attempt: number }>(shop.t.db, sql`select attempt from control.receipt order by start_at`);
const built = () =>
  rows(
    shop.t.db,
    sql`select line, tax from ds_order_tax.rows where _segment = (
    select segment from control.release where id = ${id}) order by line`,
  );

describe('two workers on one partition', () => {
  it('claim one after the other, and never the same', async () => {
    const { first, second } = await race(
      shop.t.url,
      (db) => claim(db, 'w1'),
      (db) => claim(db, 'w2'),
    );
    expect(first).toMatchObject({
      value: { kind: 'claimed', attempt: { start: '2011-01-04T00:00:00Z' } },
    });
    expect(second).toMatchObject({
      value: { kind: 'claimed', attempt: { start: '2011-01-05T00:00:00Z' } },
    });
    // two at once were frozen as the limit
    expect(await claim(shop.t.db, 'w3')).toEqual({ kind: 'none', why: 'limit' });
    for (const { start } of await partitions()) {
      const token = await one<{ token: string | null }>(
        shop.t.db,
        sql`select token from control.release_partition where start_at = ${start}`,
      );
      if (token.token === null) continue;
      const attempt = { release: id, start, end: start, attempt: 1, token: token.token };
      expect(await settleAttempt(shop.t.db, attempt, 'cancelled', null)).toBe(true);
    }
  });

  it('never pass the limit, however many ask at once', async () => {
    const pool = shop.t.connect('tool', 8);
    const claims = await Promise.all(Array.from({ length: 8 }, (_, i) => claim(pool, `w${i}`)));
    expect(claims.filter((c) => c.kind === 'claimed')).toHaveLength(2);
    for (const c of claims) {
      if (c.kind === 'claimed') await settleAttempt(shop.t.db, c.attempt, 'cancelled', null);
    }
  });

  it('claim nothing once a pause that they waited for is there', async () => {
    const { first, second } = await race(
      shop.t.url,
      (db) => moves.pause(as(db, 'dee'), { release }),
      (db) => claim(db, 'w1'),
    );
    expect(first.status).toBe('fulfilled');
    expect(second).toEqual({ status: 'fulfilled', value: { kind: 'none', why: 'paused' } });
    await shop.w.move('dee', 'resume', release);
  });

  it('an old token that wakes up after its partition was given away writes nothing', async () => {
    const sleeping = await mustClaim('sleeper');
    await expire(sleeping);
    expect(await reclaim(shop.t.db)).toMatchObject([{ start: sleeping.start }]);
    const waking = await mustClaim('waker');
    expect(waking).toMatchObject({ start: sleeping.start, attempt: sleeping.attempt + 1 });

    const before = await traceOf(shop.t.db);
    expect(await buildPartition(shop.t.db, sleeping)).toEqual({ kind: 'stale' });
    expect(await renewAttempt(shop.t.db, sleeping, 30)).toBe(false);
    await failedAttempt(shop.t.db, sleeping, 'too late');
    expect(await settleAttempt(shop.t.db, sleeping, 'accepted', null)).toBe(false);
    const after = await traceOf(shop.t.db);
    // only which connection had last tried is noted
    expect({ ...after, 'control.attempt': '' }).toEqual({ ...before, 'control.attempt': '' });

    expect(await buildPartition(shop.t.db, waking)).toEqual({ kind: 'accepted', rows: '1' });
    expect(await buildPartition(shop.t.db, sleeping)).toEqual({ kind: 'stale' });
    expect(await built()).toEqual([{ line: 'l4', tax: '20.00' }]);
    expect(await receipts()).toEqual([{ attempt: waking.attempt }]);
  });

  it('a worker that froze inside its transaction is cut off, and the next one builds', async () => {
    const frozen = await mustClaim('frozen');
    await expire(frozen);
    const { first, second } = await race(
      shop.t.url,
      (db) => buildPartition(db, frozen),
      (db) => reclaim(db),
      { expect: 'passed' },
    );
    expect(first.status).toBe('rejected');
    expect(second.status).toBe('fulfilled');
    // the sweeper goes round again until the connection has let go
    await expect
      .poll(() => reclaim(shop.t.db).then(partitions), { timeout: 10_000 })
      .toContainEqual({
        start: frozen.start,
        state: 'planned',
        attempt: frozen.attempt,
      });
    expect(await built()).toHaveLength(1);
    expect(await buildPartition(shop.t.db, await mustClaim('next'))).toMatchObject({
      kind: 'accepted',
    });
    expect(await built()).toHaveLength(2);
  });
});

describe('a partition that has its receipt', () => {
  const again = async (start: string) => {
    await affected(
      shop.t.db,
      sql`update control.release_partition set state = 'planned' where start_at = ${start}`,
    );
    return buildPartition(shop.t.db, await mustClaim('again'));
  };
  const start = '2011-01-05T00:00:00Z';

  beforeAll(async () => {
    await shop.w.work(release);
    await shop.w.append([
      event({ line: 'l5', at: day(5), price: '200.00', revision: 2 }),
      event({ line: 'n5', at: day(5), price: '10.00' }),
    ]);
    await shop.w.live();
    await shop.w.work(release);
  });

  it('is verified without a write: what catch-up did since is kept', async () => {
    const before = await built();
    expect(before).toContainEqual({ line: 'l5', tax: '40.00' });
    expect(before).toContainEqual({ line: 'n5', tax: '2.00' });
    const kept = await receipts();
    expect(await again(start)).toEqual({ kind: 'verified' });
    expect(await built()).toEqual(before);
    expect(await receipts()).toEqual(kept);
    const progress = await rows<{ ahead: boolean }>(
      shop.t.db,
      sql`select c.offsets = a.offsets as ahead from control.generation_progress c, control.generation_progress a
        where c.generation = (select generation from control.release where id = ${id})
          and a.generation = (select active_generation from control.registry)`,
    );
    expect(progress).toEqual([{ ahead: true }]);
  });

  it('stops the release where it comes to other roots, and changes nothing', async () => {
    const before = await built();
    await affected(
      shop.t.db,
      sql`update src_orders.snapshot_row set unit_price = 1 where line = 'l5'`,
    );
    await affected(
      shop.t.db,
      sql`update control.release_partition set state = 'planned' where start_at = ${start}`,
    );
    await catalog.build?.run(
      {
        db: shop.t.db,
        worker: 'w',
        log: { info() {}, error() {}, warn() {} } as never,
        stopping: () => false,
      },
      { release: id } as never,
    );
    expect(await shop.w.state(release)).toBe('RECONCILIATION_REQUIRED');
    expect(
      await rows(
        shop.t.db,
        sql`select trouble_step as step, trouble_code as code from control.release`,
      ),
    ).toEqual([{ step: 'build', code: 'RECEIPT_CONFLICT' }]);
    expect(await built()).toEqual(before);
  });

  it('is built again only by a decision with a reason, which then finds it right', async () => {
    await affected(
      shop.t.db,
      sql`update src_orders.snapshot_row set unit_price = 100 where line = 'l5'`,
    );
    const before = await built();
    await shop.w.move('ana', 'retry', release, {
      step: 'build',
      reason: 'the snapshot was repaired',
    });
    await shop.w.work(release);
    expect(await shop.w.state(release)).toBe('BUILDING');
    expect((await partitions()).map((p) => p.state)).toEqual(['built', 'built', 'built', 'built']);
    expect(await built()).toEqual(before);
  });
});
