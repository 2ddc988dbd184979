import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, one } from '@/lib/db/client';
import { day, fix, openShop, type Shop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';
import { publish, publishPreview } from './index';

let shop: Shop;
const preview = (from: number, to: number) =>
  publishPreview(shop.t.db, { dataset: 'order_tax', from: day(from, 0), to: day(to, 0) });

beforeAll(async () => {
  shop = await openShop();
  await publish(as(shop.t.db, 'ana'), {
    dataset: 'order_tax',
    from: day(3, 0),
    to: day(4, 0),
    sentTo: 'finance',
  });
});
afterAll(() => shop.t.close());

describe('what is told before a range is published', () => {
  it('is what is served of it, what is sealed already, and what is empty; nothing is recorded', async () => {
    const written = () =>
      one(
        shop.t.db,
        sql`select (select count(*)::int from control.publication) as publications,
          (select count(*)::int from control.published_partition) as sealed,
          (select count(*)::int from control.audit_event) as audit`,
      );
    const before = await written();
    expect(await preview(2, 10)).toMatchObject({
      range: { from: day(2, 0), to: day(10, 0) },
      partitions: 8,
      already: 1,
      empty: 1,
      rows: '7',
      sums: { net: '700.000' },
      quarantined: { inRange: 0, anywhere: 0 },
      blockers: [],
    });
    expect(await written()).toEqual(before);
  });

  it('counts events that no row came of, in the range and of nobody knows where', async () => {
    const quarantine = (key: string, at: string | null) =>
      affected(
        shop.t.db,
        sql`insert into control.quarantine (generation, source_key, code, error, business_time)
          select active_generation, ${key}, '22003', 'too large', ${at}::timestamptz
          from control.registry where dataset = 'order_tax'`,
      );
    await quarantine('q1', day(5));
    await quarantine('q2', day(8));
    await quarantine('q3', null);
    expect((await preview(5, 6)).quarantined).toEqual({ inRange: 1, anywhere: 1 });
  });

  it('refuses ends within a day, with the nearest edges', async () => {
    const range = { dataset: 'order_tax', from: day(4, 7), to: day(6, 0) };
    await expect(publishPreview(shop.t.db, range)).rejects.toMatchObject({
      code: 'RANGE_NOT_ON_PARTITION_EDGE',
      issues: [{ pointer: '/from', edges: { before: day(4, 0), after: day(5, 0) } }],
    });
  });

  it('names the release that publishing would have to wait for', async () => {
    const release = await shop.w.rehearsed(fix());
    const found = (await preview(5, 6)).blockers;
    expect(found).toMatchObject([
      { code: 'RELEASE_OVERLAP', kind: 'wait', link: `/releases/${release}` },
    ]);
    expect((await preview(2, 3)).blockers).toEqual([]);
  });
});
