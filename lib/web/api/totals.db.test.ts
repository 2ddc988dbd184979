import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { affected, one } from '@/lib/db/client';
import type { TestDatabase } from '@/lib/testing/database';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import { rollup } from '@/lib/web/api/figures';

let t: TestDatabase;
let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  t = shop.t;
});
afterAll(() => t.close());

const at = (n: number) => `2011-01-0${n}T00:00:00Z`;

it('totals follow the pointer: read during switches they are of one generation', async () => {
  const { w } = shop;
  const release = await w.draft(fix({ range: { from: at(6), to: at(8) } }));
  await w.move('ana', 'pin', release);
  await w.move('ana', 'build', release);
  await w.work(release);
  const ids = await one<{ old: string; next: string }>(
    t.db,
    sql`select r.active_generation as old, g.id as next
      from control.registry r join control.generation g on g.dataset = r.dataset and g.name = 'vat-fix-g2'
      where r.dataset = 'order_tax'`,
  );
  // the candidate takes its inherited ranges at the cutover; here it serves with what it has
  const point = (id: string) =>
    affected(
      t.db,
      sql`update control.registry set active_generation = ${id} where dataset = 'order_tax'`,
    );
  const first = await rollup(t.db, { dataset: 'order_tax' });
  await point(ids.next);
  const second = await rollup(t.db, { dataset: 'order_tax' });
  expect(second.generation).not.toBe(first.generation);
  expect(second.metrics).not.toEqual(first.metrics);
  const expected = new Map([first, second].map((each) => [each.generation, each]));

  let reading = true;
  const switching = (async () => {
    while (reading) {
      await point(ids.old);
      await point(ids.next);
    }
  })();
  const seen = new Map<string, number>();
  for (let i = 0; i < 400 && (i < 60 || seen.size < 2); i++) {
    const found = await rollup(t.db, { dataset: 'order_tax' });
    expect(found).toEqual(expected.get(found.generation));
    seen.set(found.generation, (seen.get(found.generation) ?? 0) + 1);
  }
  reading = false;
  await switching;
  expect(seen.size).toBe(2);
  await point(ids.old);
  const named = await rollup(t.db, { dataset: 'order_tax', generation: 'vat-fix-g2' });
  expect(named).toMatchObject({ generation: 'vat-fix-g2', metrics: second.metrics, asOfNow: null });
});
