import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { one, rows } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { refreshFigures } from '@/lib/db/statements/figures';
import { type Instant, instantOf, microsOf } from '@/lib/domain/instant';
import { aggregatesOf } from '@/lib/services/apply/aggregates';
import { openShop, type Shop } from '@/lib/testing/shop';
import { event, vatFix } from '@/lib/testing/world';

const dayMicros = 86_400_000_000n;
const start = microsOf('2011-01-01T12:00:00Z' as Instant);
const days = Array.from({ length: 365 }, (_, i) => instantOf(start + BigInt(i) * dayMicros));
const week = { from: '2011-02-07T00:00:00Z', to: '2011-02-14T00:00:00Z' };
const inWeek = (at: string) => at >= week.from && at < week.to;

let shop: Shop;
let first = '';
let second = '';
let release = '';

beforeAll(async () => {
  shop = await openShop();
  await shop.w.append(days.map((at, i) => event({ line: `d${i}`, at, price: '100.00' })));
  await shop.w.live();
  await refresh();
  first = await active();
  release = await shop.w.rehearsed(vatFix(week));
  await shop.w.reconciled(release);
  await shop.w.sign(release);
}, 180_000);
afterAll(() => shop.t.close());

async function active(): Promise<string> {
  const found = await one<{ id: string }>(
    shop.t.db,
    sql`select active_generation as id from control.registry`,
  );
  return found.id;
}

async function refresh(): Promise<void> {
  const dataset = await loadDataset(shop.t.db, 'order_tax');
  if (!dataset) throw new Error('no dataset');
  await refreshFigures(shop.t.db, dataset, await aggregatesOf(dataset), await active());
}

/** Start, segment and root of every partition of a generation, as its map says. */
const partitions = (generation: string) =>
  rows<{ start: string; segment: string; root: string; rows: string; version: string }>(
    shop.t.db,
    sql`select s.start_at as start, s.segment, encode(s.root, 'hex') as root, s.rows, s.version
      from control.generation_range r
      join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      where r.generation = ${generation} order by s.start_at`,
  );

/** Every stored row with its place in the table: a row that is copied or written again is another one. */
const storage = (where = 'true') =>
  one<{ n: number; digest: string }>(
    shop.t.db,
    sql.raw(`select count(*)::int as n, md5(string_agg(x.ctid::text || x.xmin::text || x::text, '|' order by x.ctid)) as digest
      from ds_order_tax.rows x where ${where}`),
  );

const spans = (generation: string) =>
  rows(
    shop.t.db,
    sql`select coalesce(lower(span)::text, '') as "from", r.segment = ${sql.raw('(select segment from control.release limit 1)')} as own
      from control.generation_range r where generation = ${generation} order by span`,
  );

describe('a generation built over one week of a year', () => {
  it('inherits every other partition by reference: same segments, same roots, nothing copied', async () => {
    const before = await partitions(first);
    expect(before).toHaveLength(365);
    const stored = await storage();
    await shop.w.move('dee', 'activate', release);
    second = await active();
    expect(second).not.toBe(first);
    expect(await storage()).toEqual(stored);

    const after = await partitions(second);
    expect(after.map((p) => p.start)).toEqual(before.map((p) => p.start));
    const outside = (list: typeof before) => list.filter((p) => !inWeek(p.start));
    expect(outside(after)).toEqual(outside(before));
    expect(outside(after)).toHaveLength(358);
    const replaced = after.filter((p) => inWeek(p.start));
    const old = before.filter((p) => inWeek(p.start));
    expect(replaced.map((p) => p.rows)).toEqual(old.map((p) => p.rows));
    for (const [i, p] of replaced.entries()) {
      expect(p.segment).not.toBe(old[i]?.segment);
      expect(p.root).not.toBe(old[i]?.root);
    }
    expect(await partitions(first)).toEqual(before);
    expect(await spans(second)).toEqual([
      { from: '', own: false },
      { from: '2011-02-07 00:00:00+00', own: true },
      { from: '2011-02-14 00:00:00+00', own: false },
    ]);
  });

  it('copies one partition when one is written, and leaves the old generation’s as it is', async () => {
    const before = await partitions(first);
    const stored = await storage(
      `x._segment in (select segment from control.generation_range where generation = ${first})`,
    );
    await shop.w.append([
      event({ line: 'd0', at: days[0] as string, price: '50.00', revision: 2 }),
    ]);
    await shop.w.live();
    await refresh();
    expect(await partitions(first)).toEqual(before);
    expect(
      await storage(
        `x._segment in (select segment from control.generation_range where generation = ${first})`,
      ),
    ).toEqual(stored);
    const after = await partitions(second);
    const moved = after.filter((p, i) => p.segment !== before[i]?.segment && !inWeek(p.start));
    expect(moved.map((p) => [p.start, p.rows])).toEqual([['2011-01-01T00:00:00Z', '1']]);
    expect(moved[0]?.root).not.toBe(before[0]?.root);
    expect((await shop.w.served()).d0?.tax).toBe('8.75');
  });

  it('is taken back by reference too, with what was written since', async () => {
    const before = await partitions(first);
    await shop.w.move('dee', 'rollback', release);
    await shop.w.work(release);
    expect(await active()).toBe(first);
    await refresh();
    const after = await partitions(first);
    const changed = after.filter((p, i) => p.root !== before[i]?.root);
    expect(changed.map((p) => p.start)).toEqual(['2011-01-01T00:00:00Z']);
    // nobody else maps that partition since it was copied away: it is written where it stands
    expect(after.filter((p, i) => p.segment !== before[i]?.segment)).toEqual([]);
    expect((await shop.w.served()).d0?.tax).toBe('8.75');
  });
});
