import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { maybeOne } from '@/lib/db/client';
import { applyDataset } from '@/lib/services/dataset';
import { drilled, newestDrill } from '@/lib/testing/drill';
import { refusalOf } from '@/lib/testing/refusal';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import { as, orders } from '@/lib/testing/world';
import { blockersOf, findRelease } from '.';

let shop: Shop;
let release = '';

const required = { ...orders.dataset.policy, requireDrill: true, drillMaxAgeHours: 24 };

beforeEach(async () => {
  shop = await openShop({ policy: required });
  release = await shop.w.rehearsed(fix());
});
afterEach(() => shop.t.close());

/** Sealed and signed, with a drill that counted then. */
async function signed(): Promise<void> {
  expect(await drilled(shop.w, release)).toMatchObject({ outcome: 'passed' });
  await shop.w.reconciled(release);
  await shop.w.sign(release);
}

/** Changes the newest drill's record, as only time or another run would. */
async function newest(change: ReturnType<typeof sql>): Promise<void> {
  const { id } = await newestDrill(shop.t.db);
  await shop.t.db.execute(sql`update control.drill set ${change} where id = ${id}`);
}

const activate = () => shop.w.move('dee', 'activate', release);
const only = { status: 409, code: 'DRILL_MISSING', codes: ['DRILL_MISSING'] };

describe('a dataset that requires drills', () => {
  it('lets a release be cut over after a drill that passed, in time and not long ago', async () => {
    await signed();
    await activate();
    expect(await shop.w.state(release)).toBe('ACTIVE');
  });

  it('is not sealed, nor cut over, without one', async () => {
    expect(await refusalOf(shop.w.move('dee', 'seal', release))).toEqual(only);
    await signed();
    await shop.t.db.execute(sql`delete from control.drill`);
    expect(await refusalOf(activate())).toEqual(only);
    expect(await shop.w.state(release)).toBe('APPROVED');
    const { activate: told } = await blockersOf(shop.t.db, await findRelease(shop.t.db, release));
    expect(told).toMatchObject([{ code: 'DRILL_MISSING', kind: 'fix', current: 'no drill yet' }]);
  });

  it('reads the clock of the database: one that is too old does not count', async () => {
    await signed();
    await newest(sql`ended_at = clock_timestamp() - interval '24 hours 1 second'`);
    expect(await refusalOf(activate())).toEqual(only);
    await newest(sql`ended_at = clock_timestamp() - interval '23 hours 59 minutes'`);
    await activate();
  });

  it('takes 15:00, and nothing beyond', async () => {
    await signed();
    await newest(sql`rollback_seconds = 900.001`);
    expect(await refusalOf(activate())).toEqual(only);
    await newest(sql`rollback_seconds = 900`);
    await activate();
  });

  it('goes by the last one: an earlier good one does not count beside one that failed', async () => {
    await signed();
    await shop.t.db.execute(sql`
      insert into control.drill (release, dataset, generation, by, ended_at, outcome, why, rollback_seconds)
      select release, dataset, generation, by, clock_timestamp(), 'failed', 'told by the test', 1
      from control.drill`);
    expect(await refusalOf(activate())).toEqual(only);
  });

  it('does not take another release’s', async () => {
    await drilled(shop.w, release);
    await shop.w.move('ana', 'abandon', release);
    const next = await shop.w.rehearsed(fix({ release: 'vat-fix@2', targetGeneration: 'g3' }));
    expect(await refusalOf(shop.w.move('dee', 'seal', next))).toEqual(only);
  });

  it('is not changed to require less while a release is under way', async () => {
    const apply = (policy: unknown) =>
      applyDataset(as(shop.t.db, 'root'), { ...orders.dataset, policy });
    expect(await refusalOf(apply({ ...required, requireDrill: false }))).toMatchObject({
      code: 'POLICY_LOWERED',
    });
    expect(await refusalOf(apply({ ...required, drillMaxAgeHours: 25 }))).toMatchObject({
      code: 'POLICY_LOWERED',
    });
    await apply({ ...required, drillMaxAgeHours: 1 });
  });
});

it('a dataset that requires none shows the last one, and is cut over without', async () => {
  await shop.t.db.execute(
    sql`update control.dataset set policy = policy - 'requireDrill' - 'drillMaxAgeHours'`,
  );
  await shop.w.reconciled(release);
  await shop.w.sign(release);
  await activate();
  expect(await maybeOne(shop.t.db, sql`select 1 from control.drill`)).toBeNull();
});
