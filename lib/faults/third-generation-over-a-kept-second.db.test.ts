import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { affected, one, rows } from '@/lib/db/client';
import { retireGenerations } from '@/lib/services/steps/retire';
import {
  activeGeneration,
  asServed,
  built,
  candidateOf,
  cutOver,
  type GenerationState,
  generationState,
  type Item,
  openItems,
  priceRelease,
  servedPrices,
} from '@/lib/testing/items';

let shop: Awaited<ReturnType<typeof openItems>>;
const on = (day: number) => `2011-01-${String(day).padStart(2, '0')}T12:00:00Z`;
const days = [3, 4, 5, 6, 7, 8, 9];
const times = (factor: number) => `select code, at, value * ${factor} as value from source`;
const rules = [{ rule: 'times', where: 'true', columns: ['value'] }];

let g1 = '';
let g2 = '';
let g3 = '';
let r2 = '';
let r3 = '';

/** g1 is whole, g2 doubles the 5th and 6th, g3 makes tenfold of the 8th; all three are kept. */
beforeAll(async () => {
  shop = await openItems();
  await shop.append(days.map((day): Item => ({ id: `i${day}`, code: `C${day}`, at: on(day) })));
  await shop.w.live('prices');
  g1 = await activeGeneration(shop.t.db);
  r2 = await built(
    shop.w,
    priceRelease('two', times(2), {
      range: { from: '2011-01-05T00:00:00Z', to: '2011-01-07T00:00:00Z' },
      expectedDiff: rules,
    }),
  );
  await cutOver(shop.w, r2);
  g2 = await candidateOf(shop.t.db, r2);
  r3 = await built(
    shop.w,
    priceRelease('ten', times(10), {
      range: { from: '2011-01-08T00:00:00Z', to: '2011-01-09T00:00:00Z' },
      expectedDiff: rules,
    }),
  );
  await cutOver(shop.w, r3);
  g3 = await candidateOf(shop.t.db, r3);
});
afterAll(() => shop.t.close());

/** Whatever was done, readers get the rows of the generation in use. */
afterEach(async () => {
  const { rows: held } = await generationState(shop.t.db, await activeGeneration(shop.t.db));
  expect(await servedPrices(shop.t.db)).toEqual(held.map(asServed).sort());
});

const states = async () => ({
  g1: await generationState(shop.t.db, g1),
  g2: await generationState(shop.t.db, g2),
  g3: await generationState(shop.t.db, g3),
});
const row = (day: number, value: number, code = `C${day}`) =>
  `i${day} ${code} 2011-01-0${day} ${value}`;
const plain = (list: number[], factor: (day: number) => number = () => 1): GenerationState => ({
  rows: list.map((day) => row(day, factor(day))),
  quarantine: [],
});
const double = (day: number) => (day === 5 || day === 6 ? 2 : 1);
const tenfold = (day: number) => (day === 8 ? 10 : double(day));

/** Every map that is not retired is whole and has no two neighbours that could be one. */
async function expectWhole(): Promise<void> {
  const maps = await rows<{ covered: string; mergeable: number }>(
    shop.t.db,
    sql`select range_agg(span)::text as covered, (count(*) filter (where same))::int as mergeable from (
      select r.generation, r.span, lag(r.span) over w is not null and (r.segment, r.transform)
        is not distinct from (lag(r.segment) over w, lag(r.transform) over w) as same
      from control.generation_range r window w as (partition by r.generation order by r.span)) m
      group by generation`,
  );
  for (const map of maps) expect(map).toEqual({ covered: '{(,)}', mergeable: 0 });
}

describe('three kept generations', () => {
  it('start out apart where they differ, and share the rest', async () => {
    expect(await states()).toEqual({
      g1: plain(days),
      g2: plain(days, double),
      g3: plain(days, tenfold),
    });
    await expectWhole();
    const segments = await rows(shop.t.db, sql`select distinct _segment from ds_prices.rows`);
    expect(segments).toHaveLength(3);
  });

  it('a write goes to the one in use alone, whoever shares the partition', async () => {
    const before = await states();
    // shared by all, by g2 and g3, by nobody; and one that moves from the first to the last
    await shop.append([
      { id: 'i3', code: 'C3', at: on(3), value: '7', revision: 2 },
      { id: 'i5', code: 'C5', at: on(5), value: '7', revision: 2 },
      { id: 'i8', code: 'C8', at: on(8), value: '7', revision: 2 },
      { id: 'i4', code: 'C4', at: on(9), revision: 2 },
      { id: 'new', code: 'N', at: on(4) },
      { id: 'i6', code: 'C6', op: 'delete', revision: 2 },
    ]);
    await shop.w.live('prices');
    const after = await states();
    expect(after.g1).toEqual(before.g1);
    expect(after.g2).toEqual(before.g2);
    expect(after.g3.rows).toEqual([
      'i3 C3 2011-01-03 7',
      'i4 C4 2011-01-09 1',
      'i5 C5 2011-01-05 14',
      'i7 C7 2011-01-07 1',
      'i8 C8 2011-01-08 70',
      'i9 C9 2011-01-09 1',
      'new N 2011-01-04 1',
    ]);
    await expectWhole();
  });

  it('a second write to the same partition is made in place, in the copy', async () => {
    const copies = () =>
      one(shop.t.db, sql`select count(distinct _segment)::int as n from ds_prices.rows`);
    const before = await copies();
    const kept = await states();
    await shop.append([{ id: 'i3', code: 'C3', at: on(3), value: '8', revision: 3 }]);
    await shop.w.live('prices');
    expect(await copies()).toEqual(before);
    expect((await states()).g1).toEqual(kept.g1);
    expect((await states()).g3.rows[0]).toBe('i3 C3 2011-01-03 8');
  });

  it('going back replays onto the one alone; the other two stay as they are', async () => {
    const before = await states();
    await shop.w.move('dee', 'rollback', r3);
    await shop.w.work(r3);
    const after = await states();
    expect(await activeGeneration(shop.t.db)).toBe(g2);
    expect(after.g1).toEqual(before.g1);
    expect(after.g3).toEqual(before.g3);
    expect(after.g2.rows).toEqual([
      'i3 C3 2011-01-03 8',
      'i4 C4 2011-01-09 1',
      'i5 C5 2011-01-05 14',
      'i7 C7 2011-01-07 1',
      'i8 C8 2011-01-08 7',
      'i9 C9 2011-01-09 1',
      'new N 2011-01-04 1',
    ]);
    await expectWhole();
    // and is written to again, beside a rolled-back generation that is still kept
    await shop.append([{ id: 'i7', code: 'C7', at: on(7), value: '3', revision: 2 }]);
    await shop.w.live('prices');
    const later = await states();
    expect(later.g3).toEqual(before.g3);
    expect(later.g2.rows).toContain('i7 C7 2011-01-07 3');
  });

  it('retiring two leaves the third one’s rows, and dead rows of a segment that it shares are never met', async () => {
    const before = await states();
    await affected(
      shop.t.db,
      sql`update control.generation set kept_until = clock_timestamp() - interval '1 second' where state = 'kept'`,
    );
    expect(await retireGenerations(shop.t.db, 'prices')).toEqual(['prices-g1', 'ten-g']);
    expect(await generationState(shop.t.db, g2)).toEqual(before.g2);
    // what nothing names is gone; should something of it be left, it is met by nobody
    const dead = await rows<{ key: string }>(
      shop.t.db,
      sql`select x._source_key as key from ds_prices.rows x where not exists (
        select from control.generation_range r where r.segment = x._segment and r.span @> x._partition) order by 1`,
    );
    expect(dead).toEqual([]);
    await affected(
      shop.t.db,
      sql`insert into ds_prices.rows (_segment, _partition, _key, _source_key, _revision, code, at, value)
        select r.segment, '2011-01-05', x._key, x._source_key, 1, x.code, '2011-01-05T12:00:00Z', 9
        from control.generation_range r, ds_prices.rows x
        where r.generation = ${g2} and r.span @> timestamptz '2011-01-09T00:00:00Z'
          and x._source_key in ('i3', 'i5', 'i7')`,
    );
    await shop.append([
      { id: 'i5', code: 'C5', op: 'delete', revision: 3 },
      { id: 'i6', code: 'C6', at: on(6), revision: 3 },
      { id: 'i3', code: 'C3', at: on(5), revision: 4 },
    ]);
    await shop.w.live('prices');
    expect((await generationState(shop.t.db, g2)).rows).toEqual([
      'i3 C3 2011-01-05 2',
      'i4 C4 2011-01-09 1',
      'i6 C6 2011-01-06 2',
      'i7 C7 2011-01-07 3',
      'i8 C8 2011-01-08 7',
      'i9 C9 2011-01-09 1',
      'new N 2011-01-04 1',
    ]);
    expect(await rows(shop.t.db, sql`select 1 from read.prices`)).toHaveLength(7);
    await expectWhole();
  });
});
