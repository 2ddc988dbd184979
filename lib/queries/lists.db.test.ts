import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { one, rows } from '@/lib/db/client';
import { distinctSql } from '@/lib/db/distinct-sql';
import { planWorkSql } from '@/lib/db/plan-work-sql';
import { claimsBetween } from '@/lib/db/statements/claim';
import { claimRanges } from '@/lib/domain/claims';
import { NotFound } from '@/lib/domain/refusal';
import { auditFacets } from '@/lib/queries/audit-facets';
import { claimRangesOf } from '@/lib/queries/dataset-claims';
import { datasetView } from '@/lib/queries/dataset-view';
import { runPage } from '@/lib/queries/run-page';
import { runView } from '@/lib/queries/runs';
import { claim } from '@/lib/services/claims';
import { askRun } from '@/lib/services/runs';
import { walkRun } from '@/lib/services/steps/run-walk';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { as, event, vatFix, World } from '@/lib/testing/world';

let t: TestDatabase;
let w: World;
const dataset = 'order_tax';
const day = (n: number) => `2011-01-${String(n).padStart(2, '0')}T00:00:00Z`;

beforeAll(async () => {
  t = await testDatabase();
  w = new World(t.db);
  await w.shop();
  await w.append(
    [4, 5, 6, 7].map((n) => event({ line: `l${n}`, at: day(n).replace('00:', '12:') })),
  );
  await w.live();
});
afterAll(() => t.close());

describe('what pages list, read without the rest', () => {
  it('puts claims together as the rules do', async () => {
    const held = [
      ['audit', 3, 6],
      ['audit', 8, 9],
      ['nightly', 6, 8],
      ['audit', 20, 21],
    ] as const;
    for (const [owner, from, to] of held) {
      await claim(as(t.db, 'ana'), { dataset, owner, from: day(from), to: day(to) });
    }
    // the same owner, but another person claimed it
    await claim(as(t.db, 'dee'), { dataset, owner: 'audit', from: day(9), to: day(10) });
    const all = claimRanges(await claimsBetween(t.db, dataset, null, null));
    expect(all.map(({ owner, partitions }) => [owner, partitions])).toEqual([
      ['audit', 3],
      ['nightly', 2],
      ['audit', 1],
      ['audit', 1],
      ['audit', 1],
    ]);
    expect(await claimRangesOf(t.db, dataset)).toEqual({ items: all, count: 5 });
  });

  it('says how many ranges there are where it does not list them all', async () => {
    await t.db.execute(sql`insert into control.claim (dataset, start_at, end_at, owner, "by", at)
      select ${dataset}, s, s + interval '1 day', 'many', 'ana', clock_timestamp()
      from generate_series(timestamptz '2012-01-01', timestamptz '2012-09-01', interval '2 days') s`);
    const { items, count } = await claimRangesOf(t.db, dataset);
    expect(items).toHaveLength(100);
    expect(count).toBe(claimRanges(await claimsBetween(t.db, dataset, null, null)).length);
    await t.db.execute(sql`delete from control.claim where dataset = ${dataset}`);
  });

  it('finds the values of a column one by one', async () => {
    const { verbs, actors } = await auditFacets(t.db);
    const distinct = (column: string) =>
      rows<{ value: string }>(
        t.db,
        sql`select distinct ${sql.identifier(column)} as value from control.audit_event order by 1`,
      );
    expect(verbs).toEqual((await distinct('verb')).map(({ value }) => value));
    expect(verbs.length).toBeGreaterThan(1);
    expect(actors).toEqual((await distinct('actor')).map(({ value }) => value));
    expect(await rows(t.db, distinctSql('correction', 'by'))).toEqual([]);
  });

  it('counts a run’s partitions as its view lists them', async () => {
    await claim(as(t.db, 'dee'), { dataset, owner: 'nightly', from: day(5), to: day(6) });
    const range = { dataset, from: day(3), to: day(7) };
    const { id } = await askRun(as(t.db, 'ana'), range);
    const before = await runPage(t.db, id);
    expect(before).toMatchObject({ green: null, counts: { planned: 4, done: 0 } });
    expect(before.left.map(({ state }) => state)).toEqual(Array(4).fill('planned'));

    await walkRun(t.db, id, { stopping: () => false });
    const view = await runView(t.db, id);
    const page = await runPage(t.db, id);
    expect(page).toMatchObject({
      id,
      range: view.range,
      state: view.state,
      green: false,
      generation: view.generation,
      rows: view.rows,
      counts: {
        planned: view.planned.length,
        done: view.done.length,
        changed: view.changed.length,
        skipped: view.skipped.length,
        failed: view.failed.length,
      },
      stopped: 1,
      withoutData: 1,
    });
    expect(page.counts).toMatchObject({ done: 2, skipped: 2 });
    // without data it is taken only where there is some, so it is not named
    expect(page.left).toEqual([
      { start: day(5), end: day(6), state: 'skipped', reason: 'claimed_by:nightly' },
    ]);
    await expect(runPage(t.db, '999999')).rejects.toThrow(NotFound);
    await expect(runPage(t.db, 'x')).rejects.toThrow(NotFound);
    await t.db.execute(sql`delete from control.claim where dataset = ${dataset}`);
  });

  it('counts how much of a plan is done', async () => {
    const release = await w.draft(vatFix({ from: day(4), to: day(8) }));
    const work = () =>
      one<Record<string, unknown>>(
        t.db,
        sql`select w.planned::int, w.receipts::int, w.running::int, w.failed::int, w.last
          from control.release r, lateral (${planWorkSql(sql`r.id`)}) w
          where r.name || '@' || r.revision = ${release}`,
      );
    expect(await work()).toEqual({ planned: 0, receipts: 0, running: 0, failed: 0, last: null });
    await w.move('ana', 'pin', release);
    await w.move('ana', 'build', release);
    expect(await work()).toMatchObject({ planned: 4, receipts: 0 });
    await w.work(release);
    const { last, ...counts } = await work();
    expect(counts).toEqual({ planned: 4, receipts: 4, running: 0, failed: 0 });
    expect(last).toEqual(expect.any(String));
  });

  it('lists the newest of the generations that are gone, all of them where nobody says', async () => {
    await t.db.execute(sql`insert into control.generation
        (dataset, name, state, transform, retired_at)
      select dataset, 'gone-' || n, 'retired', transform, clock_timestamp()
      from control.generation, generate_series(1, 5) n where name = 'order_tax-g1'`);
    const names = async (retired?: number) =>
      (await datasetView(t.db, dataset, retired)).generations.map(({ name }) => name);
    const there = ['order_tax-g1', 'vat-fix-g2'];
    expect(await names()).toEqual([...there, 'gone-1', 'gone-2', 'gone-3', 'gone-4', 'gone-5']);
    expect(await names(2)).toEqual([...there, 'gone-4', 'gone-5']);
    expect(await names(0)).toEqual(there);
  });
});
