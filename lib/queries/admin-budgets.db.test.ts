import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { affected } from '@/lib/db/client';
import { onStep } from '@/lib/db/step';
import { Invalid } from '@/lib/domain/refusal';
import { adminCounts } from '@/lib/queries/admin';
import { type AdminBudget, adminBudgets } from '@/lib/queries/admin-budgets';
import { fix, idOf, line, openShop, type Shop } from '@/lib/testing/shop';

let shop: Shop;
let release = '';
const whole = { limit: 50 };

beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.t.close());

const listed = async () => (await adminBudgets(shop.t.db, whole)).items;
const names = async () => (await listed()).map((row) => row.release);

async function budgetOf(reference = release): Promise<AdminBudget> {
  const found = (await listed()).find((row) => row.release === reference);
  if (!found) throw new Error(`${reference} is not listed`);
  return found;
}

it('lists nothing before a budget is frozen', async () => {
  release = await shop.w.draft(
    fix({
      budget: {
        concurrency: 3,
        maxLiveLagSeconds: 3600,
        maxBufferedEvents: 1000,
        warehouseSeconds: 600,
      },
    }),
  );
  expect(await adminBudgets(shop.t.db, whole)).toEqual({ items: [], nextCursor: null });
  expect(await adminCounts(shop.t.db)).toMatchObject({ budgets: 0 });
});

it('shows what was frozen, and nothing used', async () => {
  await shop.w.move('ana', 'pin', release);
  const frozen = {
    concurrency: '3',
    sourceRowsPerSecond: null,
    warehouseSeconds: '600',
    maxLiveLagSeconds: '3600',
    maxBufferedEvents: '1000',
    maxSealedSeconds: '900',
  };
  expect(await listed()).toEqual([
    {
      id: await idOf(shop.t.db, release),
      release,
      dataset: 'order_tax',
      zone: 'Europe/London',
      state: 'SNAPSHOT_PINNED',
      serving: false,
      trouble: null,
      windowUntil: null,
      snapshotReady: false,
      paused: null,
      held: null,
      draining: false,
      planned: 4,
      receipts: 0,
      building: 0,
      failed: 0,
      waiting: 4,
      concurrency: 3,
      limits: frozen,
      ceilings: frozen,
      used: {
        concurrency: '0',
        sourceRowsPerSecond: null,
        warehouseSeconds: '0',
        maxLiveLagSeconds: '0',
        maxBufferedEvents: null,
        maxSealedSeconds: null,
      },
      lagAtSeal: false,
    },
  ]);
  expect(await adminCounts(shop.t.db)).toMatchObject({ budgets: 1 });
});

it('shows a limit that was lowered beside its ceiling, and what stops the build', async () => {
  await shop.w.move('ana', 'build', release);
  await shop.w.move('ana', 'limits', release, { concurrency: 1 });
  await shop.w.move('dee', 'pause', release, { reason: 'peak hours' });
  await shop.w.move('dee', 'hold', release, { reason: 'reading' });
  const lowered = await budgetOf();
  expect(lowered.limits.concurrency).toBe('1');
  expect(lowered.ceilings.concurrency).toBe('3');
  expect(lowered).toMatchObject({
    state: 'BUILDING',
    concurrency: 1,
    paused: { by: 'dee', why: 'peak hours' },
    held: { by: 'dee', why: 'reading' },
  });
  await shop.w.move('dee', 'resume', release);
  await shop.w.move('dee', 'unhold', release);
});

it('counts the partition that is being built, and the time that attempts took', async () => {
  const { db } = shop.t;
  const seen: AdminBudget[] = [];
  const stop = onStep(async (point) => {
    if (point === 'build.claimed') seen.push(await budgetOf());
  });
  await shop.w.work(release);
  stop();
  expect(seen).toHaveLength(4);
  expect(seen[0]).toMatchObject({
    building: 1,
    receipts: 0,
    waiting: 3,
    snapshotReady: true,
    used: { concurrency: '1' },
  });
  await affected(
    db,
    sql`update control.attempt a set started_at = '2026-01-01T00:00:00Z',
        ended_at = case when a.start_at = (select min(x.start_at) from control.attempt x
            where x.release = a.release)
          then '2026-01-02T12:00:00.25Z' else '2026-01-01T00:00:00Z' end::timestamptz
      where a.release = ${await idOf(db, release)}`,
  );
  const built = await budgetOf();
  expect(built).toMatchObject({ planned: 4, receipts: 4, building: 0, waiting: 0 });
  // a second that began counts
  expect(built.used).toMatchObject({ concurrency: '0', warehouseSeconds: '129601' });
});

it('reads the source rows per second from the receipts of the last minute', async () => {
  const { db } = shop.t;
  const range = { from: '2011-01-02T00:00:00Z', to: '2011-01-04T00:00:00Z' };
  const paced = await shop.w.draft(fix({ release: 'paced', range, targetGeneration: 'paced-g' }));
  await shop.w.move('ana', 'pin', paced);
  const receipts = async (day: string, to: string, ago: string) =>
    affected(
      db,
      sql`insert into control.receipt
        select t.* from control.receipt r, jsonb_populate_record(r, jsonb_build_object(
          'release', ${await idOf(db, paced)}::bigint, 'facts_in', 1000,
          'at', clock_timestamp() - ${ago}::interval)) t
        where r.release = ${await idOf(db, release)} and r.start_at >= ${day} and r.start_at < ${to}`,
    );
  expect(await receipts('2011-01-04', '2011-01-06', '1 hour')).toBe(2);
  expect((await budgetOf(paced)).used.sourceRowsPerSecond).toBeNull();
  // by a clock that is ahead they are just written, however slow this test is
  expect(await receipts('2011-01-06', '2011-01-08', '-1 hour')).toBe(2);
  expect((await budgetOf(paced)).used.sourceRowsPerSecond).toBe('2000');
  await shop.w.move('ana', 'abandon', paced);
});

it('shows what waits to be applied as lag, and then the lag at the seal', async () => {
  const { db } = shop.t;
  await shop.w.move('ana', 'rehearse', release);
  await shop.w.work(release);
  await shop.w.append([line(5, { revision: 2, price: '200.00' })]);
  await affected(
    db,
    sql`update control.source_event set received_at = received_at - interval '500 s'
      where event_id = 'l5-r2'`,
  );
  const behind = await budgetOf();
  expect(Number(behind.used.maxLiveLagSeconds)).toBeGreaterThanOrEqual(500);
  expect(behind).toMatchObject({ lagAtSeal: false, used: { maxBufferedEvents: null } });
  await shop.w.live();
  expect((await budgetOf()).used.maxLiveLagSeconds).toBe('0');
});

it('shows the events and the time behind its own seal', async () => {
  const { db } = shop.t;
  await shop.w.reconciled(release);
  await shop.w.append([line(6, { revision: 2 }), line(7, { revision: 2 })]);
  await affected(
    db,
    sql`update control.registry set sealed_at = sealed_at - interval '100 s'
      where dataset = 'order_tax'`,
  );
  const sealed = await budgetOf();
  expect(sealed).toMatchObject({
    state: 'RECONCILED',
    lagAtSeal: true,
    used: { maxLiveLagSeconds: '0', maxBufferedEvents: '2' },
  });
  expect(Number(sealed.used.maxSealedSeconds)).toBeGreaterThanOrEqual(100);
});

it('lists the newest first, page by page, as many as it counts', async () => {
  const { db } = shop.t;
  const more = [2, 3].map((n) =>
    fix({
      release: `other-${n}`,
      range: { from: `2011-01-0${n}T00:00:00Z`, to: `2011-01-0${n + 1}T00:00:00Z` },
      targetGeneration: `other-g${n}`,
    }),
  );
  for (const spec of more) await shop.w.move('ana', 'pin', await shop.w.draft(spec));
  // a draft has no budget yet, whatever it says
  await shop.w.draft(fix({ release: 'later', targetGeneration: 'later-g' }));
  expect(await names()).toEqual(['other-3@1', 'other-2@1', release]);
  const first = await adminBudgets(db, { limit: 2 });
  expect(first.items.map((row) => row.release)).toEqual(['other-3@1', 'other-2@1']);
  const next = await adminBudgets(db, { limit: 2, cursor: first.nextCursor ?? '' });
  expect(next.items.map((row) => row.release)).toEqual([release]);
  expect(next.nextCursor).toBeNull();
  expect(await adminCounts(db)).toMatchObject({ budgets: 3 });
  // the seal is another's
  expect(first.items[0]?.used).toMatchObject({ maxBufferedEvents: null, maxSealedSeconds: null });
  await expect(adminBudgets(db, { limit: 2, cursor: 'x' })).rejects.toThrow(Invalid);
  await affected(
    db,
    sql`update control.release set state = 'RECONCILIATION_REQUIRED', trouble_why = 'a root differs'
      where name = 'other-2'`,
  );
  expect(await budgetOf('other-2@1')).toMatchObject({ trouble: 'a root differs' });
  for (const name of ['other-2@1', 'other-3@1']) await shop.w.move('ana', 'abandon', name);
  expect(await names()).toEqual([release]);
});

it('keeps one that is active until its window or its rollback is over', async () => {
  const { db } = shop.t;
  const keptUntil = (by: string) =>
    affected(
      db,
      sql`update control.generation set kept_until = clock_timestamp() + ${by}::interval
        where state = 'kept'`,
    );
  await shop.w.sign(release);
  await shop.w.move('dee', 'activate', release);
  const active = await budgetOf();
  expect(active).toMatchObject({
    state: 'ACTIVE',
    serving: true,
    used: { maxBufferedEvents: null, maxSealedSeconds: null },
  });
  expect(active.windowUntil).not.toBeNull();
  await keptUntil('-1 hour');
  expect(await names()).toEqual([]);
  expect(await adminCounts(db)).toMatchObject({ budgets: 0 });
  await keptUntil('1 hour');
  expect(await names()).toEqual([release]);
  await shop.w.move('dee', 'rollback', release, { reason: 'wrong after all' });
  await keptUntil('-1 hour');
  expect(await names()).toEqual([release]);
  await keptUntil('1 hour');
  const sealed: (string | null)[] = [];
  const stop = onStep(async (point) => {
    if (point === 'rollback.sealed') sealed.push((await budgetOf()).used.maxSealedSeconds);
  });
  await shop.w.work(release);
  stop();
  expect(sealed).toEqual([expect.stringMatching(/^\d+$/)]);
  expect(await shop.w.state(release)).toBe('ROLLED_BACK');
  expect(await names()).toEqual([]);
});
