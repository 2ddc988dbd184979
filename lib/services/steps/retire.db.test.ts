import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, one, rows } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { readRows } from '@/lib/services/dataset';
import { fix, line, openShop, type Shop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';
import { hide, retireBlockers, retireGenerations } from './retire';

let shop: Shop;
let release = '';
let old = '';
beforeEach(async () => {
  shop = await openShop();
  release = await shop.w.rehearsed(fix());
  await shop.w.reconciled(release);
  await shop.w.sign(release);
  ({ old } = await one<{ old: string }>(
    shop.t.db,
    sql`select old_generation as old from control.release`,
  ));
});
afterEach(() => shop.t.close());

const cutOver = () => shop.w.move('dee', 'activate', release);
const until = (offset: string) =>
  affected(
    shop.t.db,
    sql`update control.generation set kept_until = clock_timestamp() + ${offset}::interval where id = ${old}`,
  );
const state = async () =>
  (
    await one<{ state: string }>(
      shop.t.db,
      sql`select state from control.generation where id = ${old}`,
    )
  ).state;
const blockers = async () =>
  (await transaction(shop.t.db, (tx) => retireBlockers(tx, 'order_tax', old))).map((b) => b.code);
const retire = () => retireGenerations(shop.t.db, 'order_tax');
const left = async () =>
  one(
    shop.t.db,
    sql`select (select count(*)::int from control.generation_range where generation = ${old}) as ranges,
        (select count(*)::int from ds_order_tax.rows x where not exists (
          select from control.generation_range r where r.segment = x._segment and r.span @> x._partition)) as rows`,
  );

describe('a replaced generation', () => {
  it('stays while its rollback window is open', async () => {
    await cutOver();
    expect(await blockers()).toEqual(['ROLLBACK_WINDOW_OPEN']);
    expect(await retire()).toEqual([]);
    expect(await state()).toBe('kept');
  });

  it('stays while a reader holds it, who reads on to the end', async () => {
    const reader = as(shop.t.db, 'reader');
    const page = await readRows(reader, { dataset: 'order_tax', limit: 2 });
    await cutOver();
    await until('-1 second');
    expect(await retire()).toEqual([]);
    expect(await state()).toBe('hidden');
    expect(await blockers()).toEqual(['LEASES_OPEN']);
    const next = await readRows(reader, {
      dataset: 'order_tax',
      cursor: page.nextCursor ?? '',
      limit: 100,
    });
    expect(next.generation).toBe('order_tax-g1');
    expect(page.rows.length + next.rows.length).toBe(7);
    await affected(shop.t.db, sql`update control.lease set ended_at = clock_timestamp()`);
    expect(await retire()).toEqual(['order_tax-g1']);
    expect(await shop.w.state(release)).toBe('RETIRED');
  });

  it('stays while a rollback goes back to it, though its window ended meanwhile', async () => {
    await cutOver();
    await shop.w.append([line(5, { revision: 2 })]);
    await shop.w.live();
    await shop.w.move('dee', 'rollback', release);
    await until('-1 second');
    expect(await hide(shop.t.db, 'order_tax', old)).toBe(false);
    expect(await blockers()).toEqual(['ROLLBACK_IN_PROGRESS']);
    expect(await retire()).toEqual([]);
    await shop.w.work(release);
    expect(await shop.w.state(release)).toBe('ROLLED_BACK');
    expect(await state()).toBe('serving');
  });

  it.each([
    ['hidden', () => hide(shop.t.db, 'order_tax', old)],
    [
      'unmapped, its rows still there',
      async () => {
        await hide(shop.t.db, 'order_tax', old);
        const rowsOf = await rows(shop.t.db, sql`select * from ds_order_tax.rows`);
        await retire();
        // as if the deletes had never come to their commit
        const [first] = rowsOf as { _segment: string; _partition: string }[];
        await affected(
          shop.t.db,
          sql`update control.segment set deleted_at = null where id = ${first?._segment}`,
        );
        await affected(
          shop.t.db,
          sql`insert into ds_order_tax.rows (_segment, _partition, _key, _source_key, _revision, line, invoiced_at)
            values (${first?._segment}, '2011-01-05', 'dead', 'dead', 1, 'dead', '2011-01-05T12:00:00Z')`,
        );
      },
    ],
  ])('goes on from where it was %s', async (_step, come) => {
    await cutOver();
    await until('-1 second');
    await come();
    await retire();
    expect(await state()).toBe('retired');
    expect(await shop.w.state(release)).toBe('RETIRED');
    const { ranges } = (await left()) as { ranges: number };
    expect(ranges).toBe(0);
    // seven lines are served, whatever was cleared away
    expect(Object.keys(await shop.w.served())).toHaveLength(7);
  });
});
