import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maybeOne, one } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { refreshFigures } from '@/lib/db/statements/figures';
import { NotFound } from '@/lib/domain/refusal';
import { type CalendarPartition, datasetCalendar } from '@/lib/queries/dataset-calendar';
import { gapsIn, gapsOf } from '@/lib/queries/dataset-gaps';
import { aggregatesOf } from '@/lib/services/apply/aggregates';
import { claim } from '@/lib/services/claims';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { as, event, World } from '@/lib/testing/world';

let t: TestDatabase;
let w: World;

const dataset = 'order_tax';
const day = (n: number, hour = 0) =>
  `2011-01-${String(n).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`;

/** Rows on the 2nd, 3rd, 4th, 6th, 7th and 8th of January 2011; nothing on the 5th. */
beforeAll(async () => {
  t = await testDatabase();
  w = new World(t.db);
  await w.shop();
  await w.append([2, 3, 4, 6, 7, 8].map((n) => event({ line: `l${n}`, at: day(n, 12) })));
  await w.live();
});
afterAll(() => t.close());

/** Takes the figures that are old, as the sweeper does. */
async function figures(): Promise<void> {
  const { generation } = await one<{ generation: string }>(
    t.db,
    sql`select active_generation as generation from control.registry where dataset = ${dataset}`,
  );
  const shape = await loadDataset(t.db, dataset);
  if (!shape) throw new Error('the shop has no dataset');
  await refreshFigures(t.db, shape, await aggregatesOf(shape), generation);
}

/** What the warning says, read its own way, is what the calendar shows. */
async function calendar() {
  const found = await datasetCalendar(t.db, dataset);
  const gaps = gapsIn(found);
  expect(await gapsOf(t.db, dataset)).toEqual(found.watched && gaps.count > 0 ? [gaps] : []);
  return found;
}
const at = (partitions: readonly CalendarPartition[], n: number) =>
  partitions.find(({ start }) => start === day(n));

async function aRun(
  kind: 'adhoc' | 'scheduled',
  [from, to]: readonly [number, number],
  outcome: { state: string; reason?: string; run?: string; why?: string },
): Promise<string> {
  const { id } = await one<{ id: string }>(
    t.db,
    sql`insert into control.run (dataset, kind, range_from, range_to, owner, "by", state, why,
        scheduled_for)
      values (${dataset}, ${kind}, ${day(from)}, ${day(to)}, 'nightly', 'ana',
        ${outcome.run ?? 'done'}, ${outcome.why ?? null},
        ${kind === 'scheduled' ? sql`clock_timestamp()` : null})
      returning id`,
  );
  for (let n = from; n < to; n += 1) {
    await t.db.execute(
      sql`insert into control.run_partition (run, start_at, end_at, state, reason)
        values (${id}, ${day(n)}, ${day(n + 1)}, ${outcome.state}, ${outcome.reason ?? null})`,
    );
  }
  return id;
}

async function publish(n: number, m: number): Promise<string> {
  const { id } = await one<{ id: string }>(
    t.db,
    sql`insert into control.publication (dataset, range_from, range_to, sent_to, "by")
      values (${dataset}, ${day(n)}, ${day(m)}, 'tax office', 'ana') returning id`,
  );
  for (let d = n; d < m; d += 1) {
    await t.db.execute(
      sql`insert into control.published_partition (dataset, start_at, end_at, publication,
          generation, segment, transform, progress, rows, sums, partials, root)
        select ${dataset}, ${day(d)}, ${day(d + 1)}, ${id}, g.generation, g.segment, g.transform,
          p.offsets, 0, '{}', '{}', ''
        from control.registry r
        join control.generation_range g on g.generation = r.active_generation
          and g.span @> ${day(d)}::timestamptz
        join control.generation_progress p on p.generation = r.active_generation
        where r.dataset = ${dataset}`,
    );
  }
  return id;
}

describe('the calendar of a dataset', () => {
  it('goes from the first partition with rows to the last, where nobody promised more', async () => {
    await figures();
    const { partitions, watched, unit, zone, cut } = await calendar();
    expect({ watched, unit, zone, cut }).toEqual({
      watched: false,
      unit: 'day',
      zone: 'Europe/London',
      cut: false,
    });
    expect(partitions.map(({ start, rows }) => [start, rows])).toEqual([
      [day(2), '1'],
      [day(3), '1'],
      [day(4), '1'],
      [day(5), '0'],
      [day(6), '1'],
      [day(7), '1'],
      [day(8), '1'],
    ]);
    expect(gapsIn(await calendar()).first).toEqual([
      { from: day(5), to: day(6), partitions: 1, kinds: ['no_rows'] },
    ]);
  });

  it('warns of nothing where nobody runs or publishes: sparse data looks like that', async () => {
    expect(await gapsOf(t.db)).toEqual([]);
  });

  it('does not call rows missing while their figures are old', async () => {
    await t.db.execute(
      sql`update control.segment_partition set version = version + 1 where start_at = ${day(3)}`,
    );
    expect(at((await calendar()).partitions, 3)).toMatchObject({ rows: null, gap: null });
    await figures();
  });

  it('tells claims', async () => {
    await claim(as(t.db, 'ana'), { dataset, from: day(6), to: day(7), owner: 'audit' });
    const { partitions } = await calendar();
    expect(at(partitions, 6)?.claimedBy).toBe('audit');
    expect(at(partitions, 7)?.claimedBy).toBeNull();
  });

  it('tells the newest run of each partition, and watches the dataset from then on', async () => {
    const first = await aRun('adhoc', [3, 5], { state: 'done' });
    const second = await aRun('adhoc', [4, 5], { state: 'skipped', reason: 'claimed_by:audit' });
    const asked = await aRun('adhoc', [3, 5], { state: 'planned', run: 'second_person' });
    const { partitions, watched } = await calendar();
    expect(watched).toBe(true);
    expect(at(partitions, 3)?.run).toMatchObject({ id: first, state: 'done' });
    expect(at(partitions, 4)?.run).toMatchObject({ id: second, state: 'skipped' });
    // whoever asked for it has to ask again; without a schedule it is no gap
    expect(at(partitions, 4)?.gap).toBeNull();
    expect(await gapsOf(t.db)).toEqual([
      {
        dataset,
        zone: 'Europe/London',
        unit: 'day',
        count: 1,
        first: [{ from: day(5), to: day(6), partitions: 1, kinds: ['no_rows'] }],
      },
    ]);
    await t.db.execute(sql`update control.run set state = 'planned' where id = ${asked}`);
    expect(at((await calendar()).partitions, 3)?.run).toMatchObject({
      id: asked,
      state: 'planned',
    });
    await t.db.execute(sql`update control.run set state = 'cancelled' where id = ${asked}`);
    expect(at((await calendar()).partitions, 3)?.run).toMatchObject({ id: first });
  });

  it('counts a partition that a failed run did not come to as failed with it', async () => {
    const id = await aRun('adhoc', [7, 8], {
      state: 'planned',
      run: 'failed',
      why: 'epoch sealed',
    });
    expect(at((await calendar()).partitions, 7)?.run).toMatchObject({
      id,
      state: 'failed',
      reason: 'epoch sealed',
    });
  });

  it('never calls a sealed partition a gap, and counts what moved since', async () => {
    const id = await publish(5, 7);
    await t.db.execute(
      sql`insert into control.pending_correction (dataset, start_at, shard, "offset", source_key)
        select ${dataset}, ${day(6)}::timestamptz, 0, p.progress[1] + n, 'l' || n
        from control.published_partition p, generate_series(0, 2) n
        where p.start_at = ${day(6)}`,
    );
    const sealed = (await calendar()).partitions;
    expect(at(sealed, 5)).toMatchObject({
      gap: null,
      sealed: true,
      seal: { publication: id, pending: 0, corrections: 0 },
    });
    // an offset that the published figures contain is no pending correction
    expect(at(sealed, 6)?.seal).toEqual({ publication: id, pending: 2, corrections: 0 });
    expect(await gapsOf(t.db)).toEqual([]);

    await t.db.execute(
      sql`insert into control.correction (dataset, start_at, end_at, kind, generation, transform,
          progress, rows_before, sums_before, partials_before, root_before, rows_after, sums_after,
          partials_after, root_after, reason, "by")
        select dataset, start_at, end_at, 'amend', generation, transform, array[progress[1] + 1]
            || progress[2:], rows, sums, partials, root, rows, sums, partials, root, 'late', 'ana'
        from control.published_partition where start_at = ${day(6)}`,
    );
    expect(at((await calendar()).partitions, 6)?.seal).toEqual({
      publication: id,
      pending: 1,
      corrections: 1,
    });
  });

  it('holds a schedule to its first run on: missing, failed, or skipped for a claim', async () => {
    await t.db.execute(
      sql`update control.dataset set policy = jsonb_set(policy, '{runs}',
        '{"cron": "0 3 * * *", "partitions": 1, "secondPersonOver": null}')
        where name = ${dataset}`,
    );
    // not yet run by the clock: nothing is overdue
    expect((await calendar()).partitions.every(({ gap }) => gap === null)).toBe(true);

    await aRun('scheduled', [7, 8], { state: 'skipped', reason: 'claimed_by:audit' });
    await aRun('scheduled', [8, 9], { state: 'failed', reason: 'boom' });
    const { partitions, cron } = await calendar();
    expect(cron).toBe('0 3 * * *');
    expect(at(partitions, 4)?.gap).toBeNull();
    expect(at(partitions, 7)?.gap).toBe('run_skipped');
    expect(at(partitions, 8)?.gap).toBe('run_failed');
    // to the one under way; the schedule has until the next partition is whole to take the last
    expect(at(partitions, 9)?.gap).toBe('no_rows');
    expect(await gapsOf(t.db)).toMatchObject([{ dataset, first: [{ from: day(7) }] }]);
    const now = await one<{ now: string }>(t.db, sql`select clock_timestamp() as now`);
    const last = partitions.at(-1);
    expect(last && last.start <= now.now && now.now < last.end).toBe(true);
    expect(last).toMatchObject({ whole: false, gap: null });
  });

  it('looks into a window alone', async () => {
    const { partitions } = await datasetCalendar(t.db, dataset, {
      from: day(4) as never,
      to: day(6) as never,
    });
    expect(partitions.map(({ start, gap }) => [start, gap])).toEqual([
      [day(4), null],
      [day(5), null],
    ]);
  });

  it('knows no dataset that is not there, and leaves out forks', async () => {
    await expect(datasetCalendar(t.db, 'nobody')).rejects.toThrow(NotFound);
    expect(
      await maybeOne(t.db, sql`select 1 from control.dataset where fork_of is not null`),
    ).toBeNull();
  });
});
