import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { affected, type Database, rows } from '@/lib/db/client';
import type { Instant } from '@/lib/domain/instant';
import { runList, runView } from '@/lib/queries/runs';
import { applyDataset } from '@/lib/services/dataset';
import { walkRun } from '@/lib/services/steps/run-walk';
import { race } from '@/lib/testing/race';
import { refusalOf } from '@/lib/testing/refusal';
import { openShop, type Shop } from '@/lib/testing/shop';
import { as, event, orders } from '@/lib/testing/world';
import { claim } from '../claims';
import { scheduleRuns } from './schedule';

let shop: Shop;
let db: Database;
beforeEach(async () => {
  shop = await openShop();
  db = shop.t.db;
});
afterEach(() => shop.t.close());

const now = (text: string) => text as Instant;
/** The policy is set with this schedule, as if it had been at an instant. */
async function set(runs: Record<string, unknown>, at: string): Promise<void> {
  const { name, ...body } = orders.dataset;
  await applyDataset(as(db, 'root'), { name, ...body, policy: { ...body.policy, runs } });
  await affected(db, sql`alter table control.audit_event disable trigger user`);
  await affected(
    db,
    sql`update control.audit_event set at = ${at}::timestamptz where id = (
      select max(id) from control.audit_event where verb = 'dataset.apply')`,
  );
}
const runs = async () => (await runList(db, { kind: 'scheduled' }, { limit: 100 })).items.reverse();

it('makes a run of the last whole partitions for each instant that comes, once', async () => {
  await set({ cron: '0 6 * * *', partitions: 2, secondPersonOver: 1 }, '2026-07-01T12:00:00Z');
  // nothing from before it was set
  expect(await scheduleRuns(db, now('2026-07-01T20:00:00Z'))).toBe(0);
  expect(await scheduleRuns(db, now('2026-07-02T04:59:59Z'))).toBe(0);
  expect(await scheduleRuns(db, now('2026-07-02T05:00:00Z'))).toBe(1);
  expect(await scheduleRuns(db, now('2026-07-02T05:00:02Z'))).toBe(0);
  expect(await runs()).toMatchObject([
    {
      kind: 'scheduled',
      state: 'planned',
      secondNeeded: false,
      owner: 'schedule',
      by: 'runner',
      scheduledFor: '2026-07-02T05:00:00Z',
      // London's days
      range: { from: '2026-06-29T23:00:00Z', to: '2026-07-01T23:00:00Z' },
      counts: { planned: 2 },
    },
  ]);
  // after days without anybody: the newest alone
  expect(await scheduleRuns(db, now('2026-07-09T10:00:00Z'))).toBe(1);
  expect((await runs()).map((r) => r.scheduledFor)).toEqual([
    '2026-07-02T05:00:00Z',
    '2026-07-09T05:00:00Z',
  ]);
  const queued = await rows(
    db,
    sql`select key from graphile_worker.jobs where task_identifier = 'run'`,
  );
  expect(queued).toHaveLength(2);
});

it('keeps to what was set last, and an unchanged policy that is applied again changes nothing', async () => {
  await set({ cron: '0 6 * * *' }, '2026-07-01T12:00:00Z');
  await set({ cron: '0 6 * * *', partitions: 3 }, '2026-07-03T12:00:00Z');
  expect(await scheduleRuns(db, now('2026-07-02T05:00:00Z'))).toBe(1);
  await set({ cron: '0 9 * * *' }, '2026-07-04T12:00:00Z');
  expect(await scheduleRuns(db, now('2026-07-04T13:00:00Z'))).toBe(0);
  expect(await scheduleRuns(db, now('2026-07-05T08:00:00Z'))).toBe(1);
  await set({ cron: null }, '2026-07-05T12:00:00Z');
  expect(await scheduleRuns(db, now('2026-07-09T08:00:00Z'))).toBe(0);
  const { name, ...body } = orders.dataset;
  const wrong = { ...body.policy, runs: { cron: '0 25 * * *' } };
  expect(await refusalOf(applyDataset(as(db, 'root'), { name, ...body, policy: wrong }))).toEqual({
    status: 422,
    code: 'INVALID_INPUT',
    codes: [],
  });
});

it('makes one run of two processes that look at once', async () => {
  await set({ cron: '0 6 * * *' }, '2026-07-01T12:00:00Z');
  const at = now('2026-07-02T05:00:00Z');
  const { first, second } = await race(
    shop.t.url,
    (one) => scheduleRuns(one, at),
    (two) => scheduleRuns(two, at),
  );
  expect([first, second]).toMatchObject([{ value: 1 }, { value: 0 }]);
  expect(await runs()).toHaveLength(1);
});

it('comes once on the days when London’s clocks change', async () => {
  await set({ cron: '30 1 * * *' }, '2026-03-01T12:00:00Z');
  const fired = async (times: string[]) => {
    for (const time of times) await scheduleRuns(db, now(time));
    return (await runs()).slice(-3).map((r) => [r.scheduledFor, r.range.from, r.range.to]);
  };
  expect(
    await fired([
      '2026-03-28T02:00:00Z',
      '2026-03-29T00:45:00Z',
      '2026-03-29T01:15:00Z',
      '2026-03-29T02:15:00Z',
      '2026-03-30T01:00:00Z',
    ]),
  ).toEqual([
    ['2026-03-28T01:30:00Z', '2026-03-27T00:00:00Z', '2026-03-28T00:00:00Z'],
    ['2026-03-29T01:00:00Z', '2026-03-28T00:00:00Z', '2026-03-29T00:00:00Z'],
    ['2026-03-30T00:30:00Z', '2026-03-29T00:00:00Z', '2026-03-29T23:00:00Z'],
  ]);
  expect(
    await fired([
      '2026-10-24T01:00:00Z',
      '2026-10-25T00:45:00Z',
      '2026-10-25T01:45:00Z',
      '2026-10-26T02:00:00Z',
    ]),
  ).toEqual([
    ['2026-10-24T00:30:00Z', '2026-10-22T23:00:00Z', '2026-10-23T23:00:00Z'],
    ['2026-10-25T00:30:00Z', '2026-10-23T23:00:00Z', '2026-10-24T23:00:00Z'],
    ['2026-10-26T01:30:00Z', '2026-10-24T23:00:00Z', '2026-10-26T00:00:00Z'],
  ]);
});

it('walks as an ad-hoc run does: a claim of another owner stops it, its own does not', async () => {
  await shop.w.append([
    event({ line: 'a', at: '2026-06-30T12:00:00Z' }),
    event({ line: 'b', at: '2026-07-01T12:00:00Z' }),
  ]);
  const day = { from: '2026-06-29T23:00:00Z', to: '2026-06-30T23:00:00Z' };
  await claim(as(db, 'dee'), { dataset: 'order_tax', ...day, owner: 'repair' });
  const next = { from: day.to, to: '2026-07-01T23:00:00Z' };
  await claim(as(db, 'dee'), { dataset: 'order_tax', ...next, owner: 'schedule' });
  await set({ cron: '0 6 * * *', partitions: 3 }, '2026-07-01T12:00:00Z');
  await scheduleRuns(db, now('2026-07-02T06:00:00Z'));
  const [made] = await runs();
  expect(await walkRun(db, made?.id ?? '')).toBe('ended');
  expect(await runView(db, made?.id ?? '')).toMatchObject({
    green: false,
    done: [next.from],
    skipped: [
      ['2026-06-28T23:00:00Z', 'no_data'],
      [day.from, 'claimed_by:repair'],
    ],
  });
});
