import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { deleteUnmapped } from '@/lib/db/statements/mapped-partitions';
import { newSegment } from '@/lib/db/statements/segment';
import { transaction } from '@/lib/db/transaction';
import { applyLive } from '@/lib/services/apply/apply-live';
import { clearUnmapped, compact, compactMaps } from '@/lib/services/steps/compact';
import { retireGenerations } from '@/lib/services/steps/retire';
import {
  activeGeneration,
  built,
  cutOver,
  generationState,
  type Item,
  openItems,
  priceRelease,
} from '@/lib/testing/items';
import { race } from '@/lib/testing/race';
import { movePartitions } from './move-partitions';

let shop: Awaited<ReturnType<typeof openItems>>;
let old = '';
let active = '';

const DAYS = 40;
const at = (day: number, hour = 12) =>
  new Date(Date.UTC(2011, 0, day, hour)).toISOString().replace('.000Z', 'Z');
const micros = (day: number) => BigInt(Date.UTC(2011, 0, day)) * 1000n;
const item = (day: number, more: Partial<Item> = {}): Item => ({
  id: `i${day}`,
  code: `C${day}`,
  at: at(day),
  ...more,
});

/** Forty days with two rows each; a release doubled the last one, and both generations are kept. */
beforeEach(async () => {
  shop = await openItems();
  const days = Array.from({ length: DAYS }, (_, i) => i + 1);
  await shop.append(
    days.flatMap((day) => [item(day), item(day, { id: `j${day}`, code: `D${day}` })]),
  );
  await shop.w.live('prices');
  old = await activeGeneration(shop.t.db);
  const release = await built(
    shop.w,
    priceRelease('two', 'select code, at, value * 2 as value from source', {
      range: { from: at(DAYS, 0), to: at(DAYS + 1, 0) },
      expectedDiff: [{ rule: 'double', where: 'true', columns: ['value'] }],
    }),
  );
  await cutOver(shop.w, release);
  active = await activeGeneration(shop.t.db);
});
afterEach(() => shop.t.close());

const write = (days: number[], value: string, revision: number) =>
  shop.append(days.map((day) => item(day, { value, revision })));
const ranges = async (generation = active) =>
  (
    await one<{ n: number }>(
      shop.t.db,
      sql`select count(*)::int as n from control.generation_range where generation = ${generation}`,
    )
  ).n;
/** Rows and records that no map names. */
const leftOver = async () =>
  one<{ rows: number; records: number }>(
    shop.t.db,
    sql`select (select count(*)::int from ds_prices.rows x where not exists (
          select from control.generation_range r where r.segment = x._segment and r.span @> x._partition)) as rows,
        (select count(*)::int from control.segment_partition s where not exists (
          select from control.generation_range r where r.segment = s.segment and r.span @> s.start_at)) as records`,
  );
/** A generation's partitions with what a reader, a comparison and a receipt go by. */
const figures = (generation = active) =>
  rows(
    shop.t.db,
    sql`select s.start_at as start, s.version, s.figures_version as figures, s.rows, encode(s.root, 'hex') as root
      from control.generation_range r
      join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      where r.generation = ${generation} order by 1`,
  );
const segmentOf = async (day: number, generation = active) =>
  one<{ id: string; kind: string }>(
    shop.t.db,
    sql`select s.id, s.kind from control.generation_range r join control.segment s on s.id = r.segment
      where r.generation = ${generation} and r.span @> ${at(day)}::timestamptz`,
  );
const open = () => true;
const shape = async () => {
  const dataset = await loadDataset(shop.t.db, 'prices');
  if (!dataset) throw new Error('there is no dataset');
  return dataset;
};
const moveDays = async (db: Database, from: number, to: number, segment: string) =>
  movePartitions(db, {
    dataset: await shape(),
    generation: active,
    span: { from: micros(from), to: micros(to) },
    segment,
    open,
  });
const copySegment = () => transaction(shop.t.db, (tx) => newSegment(tx, 'prices', 'copy'));

describe('a shared partition that is too large to be copied under the lock', () => {
  it('is copied ahead, and then written to where the copy stands', async () => {
    const kept = await generationState(shop.t.db, old);
    await write([5, 6], '7', 2);
    expect(await applyLive(shop.t.db, 'prices', null, { mostCopied: 1 })).toMatchObject({
      kind: 'applied',
      caughtUp: true,
      applied: { written: 2, copied: 0 },
    });
    const now = await generationState(shop.t.db, active);
    expect(now.rows).toContain('i5 C5 2011-01-05 7');
    expect(now.rows).toContain('j5 D5 2011-01-05 1');
    expect(now.rows).toHaveLength(2 * DAYS);
    expect(await generationState(shop.t.db, old)).toEqual(kept);
    expect(await segmentOf(5)).toMatchObject({ kind: 'copy' });
    expect(await segmentOf(7)).toEqual(await segmentOf(7, old));
    expect(await leftOver()).toEqual({ rows: 0, records: 0 });
  });

  it('is copied without holding anybody up: live writing passes meanwhile', async () => {
    const segment = await copySegment();
    await write([6], '7', 2);
    const { first, second } = await race(
      shop.t.url,
      (db) => moveDays(db, 5, 6, segment),
      (db) => applyLive(db, 'prices', null),
      { holdAt: 1, expect: 'passed' },
    );
    expect(second).toMatchObject({ value: { kind: 'applied' } });
    expect(first).toEqual({ status: 'fulfilled', value: 1 });
    expect(await segmentOf(5)).toMatchObject({ id: segment });
  });
});

describe('moving partitions', () => {
  it('that somebody writes to between the copy and the turn leaves everything as it was', async () => {
    const segment = await copySegment();
    await write([5], '6', 2);
    await shop.w.live('prices');
    const before = await segmentOf(5);
    await write([5], '7', 3);
    const { first } = await race(
      shop.t.url,
      (db) => moveDays(db, 4, 8, segment),
      (db) => applyLive(db, 'prices', null),
      { holdAt: 1, expect: 'passed' },
    );
    expect(first).toEqual({ status: 'fulfilled', value: null });
    expect(await segmentOf(5)).toEqual(before);
    expect((await generationState(shop.t.db, active)).rows).toContain('i5 C5 2011-01-05 7');
    expect(await leftOver()).toEqual({ rows: 0, records: 0 });
  });

  it('to which a partition is added meanwhile leaves everything as it was', async () => {
    const segment = await copySegment();
    await shop.append([item(DAYS + 3, { id: 'late', code: 'L' })]);
    const { first } = await race(
      shop.t.url,
      (db) => moveDays(db, DAYS + 1, DAYS + 5, segment),
      (db) => applyLive(db, 'prices', null),
      { holdAt: 1, expect: 'passed' },
    );
    expect(first).toEqual({ status: 'fulfilled', value: null });
    expect((await generationState(shop.t.db, active)).rows).toContain('late L 2011-02-12 1');
  });

  it('is seen by a writer that waited for the turn', async () => {
    const segment = await copySegment();
    await write([5], '7', 2);
    const { first, second } = await race(
      shop.t.url,
      (db) => moveDays(db, 5, 6, segment),
      (db) => applyLive(db, 'prices', null, { wait: true }),
      { holdAt: 2 },
    );
    expect(first).toEqual({ status: 'fulfilled', value: 1 });
    // the copy is nobody else's: written in place
    expect(second).toMatchObject({ value: { kind: 'applied', applied: { copied: 0 } } });
    expect((await generationState(shop.t.db, active)).rows).toContain('i5 C5 2011-01-05 7');
  });

  it('whose copy was cleared away is not turned over', async () => {
    const segment = await copySegment();
    const rival = await race(
      shop.t.url,
      // stands for the clearing of what a dead process left
      (db) =>
        transaction(db, async (tx) => {
          await tx.execute(sql`
            insert into control.segment_partition (segment, start_at, end_at)
            values (${segment}, ${at(5, 0)}, ${at(6, 0)})`);
          await deleteUnmapped(tx, 'prices', [{ segment, start: micros(5) }]);
        }),
      (db) => moveDays(db, 5, 6, segment),
    );
    expect(rival.second).toEqual({ status: 'fulfilled', value: 1 });
    expect(await leftOver()).toEqual({ rows: 0, records: 0 });
  });

  it('that was turned over while the clearing waited for it is kept', async () => {
    const segment = await copySegment();
    const before = await generationState(shop.t.db, active);
    const { second } = await race(
      shop.t.url,
      (db) => moveDays(db, 5, 6, segment),
      (db) =>
        transaction(db, (tx) => deleteUnmapped(tx, 'prices', [{ segment, start: micros(5) }])),
      { holdAt: 2 },
    );
    expect(second).toEqual({ status: 'fulfilled', value: 0 });
    expect(await segmentOf(5)).toMatchObject({ id: segment });
    expect(await generationState(shop.t.db, active)).toEqual(before);
  });
});

describe('a map that copy on write has cut up', () => {
  const cutUp = async () => {
    for (const [i, day] of [3, 6, 9, 12, 15, 18, 21, 24, 27, 30].entries()) {
      await write([day], String(i + 2), 2);
    }
    await shop.w.live('prices');
  };

  it('is short again after compaction, and everything that it leads to is the same', async () => {
    await cutUp();
    expect(await ranges()).toBeGreaterThanOrEqual(16);
    const before = { state: await generationState(shop.t.db, active), figures: await figures() };
    const kept = { state: await generationState(shop.t.db, old), figures: await figures(old) };
    await compactMaps(shop.t.db);
    expect(await ranges()).toBeLessThan(16);
    expect({ state: await generationState(shop.t.db, active), figures: await figures() }).toEqual(
      before,
    );
    expect({ state: await generationState(shop.t.db, old), figures: await figures(old) }).toEqual(
      kept,
    );
    expect(await leftOver()).toEqual({ rows: 0, records: 0 });
    await write([3, 4], '50', 3);
    await shop.w.live('prices');
    const after = await generationState(shop.t.db, active);
    expect(after.rows).toContain('i3 C3 2011-01-03 50');
    expect(after.rows).toHaveLength(2 * DAYS);
  });

  it('stays as it is while ingress is sealed', async () => {
    await cutUp();
    const before = await ranges();
    await affected(
      shop.t.db,
      sql`update control.registry set state = 'SEALED', sealer = 'release:0',
        sealed_until = clock_timestamp() + interval '1 hour', sealed_at = clock_timestamp(),
        barrier = (select offsets from control.generation_progress where generation = ${active})`,
    );
    await compactMaps(shop.t.db);
    await compact(shop.t.db, await shape(), active);
    expect(await ranges()).toBe(before);
    expect(await leftOver()).toEqual({ rows: 0, records: 0 });
  });

  it('is not made of transforms that differ', async () => {
    await compact(shop.t.db, await shape(), active);
    expect(await ranges()).toBe(3);
  });
});

describe('what no map names', () => {
  it('is cleared away where a generation goes, though others use its segment', async () => {
    await write([5], '7', 2);
    await shop.w.live('prices');
    await affected(
      shop.t.db,
      sql`update control.generation set kept_until = clock_timestamp() - interval '1 second' where id = ${old}`,
    );
    const before = await generationState(shop.t.db, active);
    expect(await retireGenerations(shop.t.db, 'prices')).toEqual(['prices-g1']);
    expect(await leftOver()).toEqual({ rows: 0, records: 0 });
    expect(await generationState(shop.t.db, active)).toEqual(before);
  });

  it('is left alone while it may be a copy under way', async () => {
    const segment = await copySegment();
    await affected(
      shop.t.db,
      sql`insert into control.segment_partition (segment, start_at, end_at)
        values (${segment}, ${at(5, 0)}, ${at(6, 0)})`,
    );
    await clearUnmapped(shop.t.db, 'prices');
    expect(await leftOver()).toEqual({ rows: 0, records: 1 });
    await affected(
      shop.t.db,
      sql`update control.segment set created_at = clock_timestamp() - interval '1 hour' where id = ${segment}`,
    );
    await clearUnmapped(shop.t.db, 'prices');
    expect(await leftOver()).toEqual({ rows: 0, records: 0 });
  });
});
