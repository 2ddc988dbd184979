import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rows } from '@/lib/db/client';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { lateralSql } from '@/lib/transform/compile';
import { checkTransform } from '@/lib/transform/parse';

const sourceColumns = [
  { name: 'line', type: 'text' },
  { name: 'invoiced_at', type: 'timestamptz' },
  { name: 'quantity', type: 'integer' },
  { name: 'unit_price', type: 'numeric(14,4)' },
  { name: 'country', type: 'text' },
];
const targetColumns = [
  { name: 'line', type: 'text' },
  { name: 'invoiced_at', type: 'timestamptz' },
  { name: 'net', type: 'numeric(14,3)' },
  { name: 'tax', type: 'numeric(14,2)' },
];
const facts = 20_000;

let t: TestDatabase;

beforeAll(async () => {
  t = await testDatabase();
  await t.db.execute(sql`
    create table public.facts as
    select 'L' || n as line,
           case when n % 11 <> 0 then timestamptz '2010-12-01T00:00:00Z' + n * interval '7 minutes' end
             as invoiced_at,
           n % 9 - 2 as quantity,
           (n % 701) * 0.1234 as unit_price,
           case n % 4 when 0 then 'UK' when 1 then 'FR' when 2 then '' end as country
    from generate_series(1, ${sql.raw(String(facts))}) n`);
  await t.db.execute(sql`create index on public.facts (invoiced_at)`);
  await t.db.execute(sql`create unique index on public.facts (line)`);
  await t.db.execute(sql`vacuum analyze public.facts`);
  // What a transform reads if nobody replaces it: the same rows under the name that authors use.
  await t.db.execute(sql`create view public.source as select * from public.facts`);
});

afterAll(() => t.close());

async function compiled(text: string): Promise<string> {
  const check = await checkTransform(text, {
    sourceColumns,
    targetColumns,
    key: ['line'],
    businessTime: 'invoiced_at',
  });
  if (!check.ok) throw new Error(JSON.stringify(check.problems));
  return lateralSql(check.transform, { sourceColumns, factAlias: 'f' });
}

const vat = "case when invoiced_at < timestamptz '2011-01-04T00:00:00Z' then 0.175 else 0.2 end";
const TRANSFORMS: readonly [string, string][] = [
  [
    'a plain one',
    `select line, invoiced_at, quantity * unit_price as net,
       round(quantity * unit_price * ${vat}, 2) as tax from source`,
  ],
  [
    'one with a filter and an alias',
    `select s.line, s.invoiced_at, 1.5 as net, null::numeric as tax from source as s
     where s.country = 'UK' and s.quantity > 0 or s.country is null`,
  ],
  [
    'one in steps of sub-selects',
    `select line, invoiced_at, net, round(net * rate, 2) as tax
     from (select *, ${vat} as rate from
       (select *, quantity * unit_price as net from source where quantity <> 0) a) b
     where net > 1`,
  ],
  [
    'one in steps of CTEs',
    `with a as (select *, quantity * unit_price as net from source),
          b as (select line, invoiced_at, net, ${vat} as rate from a where country <> '')
     select line, invoiced_at, net, round(net * rate, 2) as tax from b`,
  ],
  [
    'one with a constant beside it',
    `with p as (select 0.2 as rate)
     select line, invoiced_at, (select quantity * unit_price) as net,
       round(unit_price * (select rate from p), 2) as tax from source`,
  ],
  [
    'one with other names',
    `select f.line, f.invoiced_at, f.quantity as net, f.unit_price as tax from source f`,
  ],
];

describe('a compiled transform', () => {
  it.each(TRANSFORMS)('yields from each fact what the statement yields: %s', async (_, text) => {
    const lateral = await compiled(text);
    const differing = await rows(
      t.db,
      sql.raw(`
        with lateral_rows as (
          select t.* from public.facts f cross join lateral (${lateral}) t
        ), plain_rows as (
          select * from (${text}) x
        )
        (select 'lateral only' as side, * from (table lateral_rows except all table plain_rows) a)
        union all
        (select 'plain only', * from (table plain_rows except all table lateral_rows) b)
        limit 5`),
    );
    expect(differing).toEqual([]);
    const [count] = await rows<{ n: string }>(
      t.db,
      sql.raw(`select count(*) as n from public.facts f cross join lateral (${lateral}) t`),
    );
    expect(Number(count?.n)).toBeGreaterThan(1000);
  });

  it.each(TRANSFORMS)('says from which fact each row came: %s', async (_, text) => {
    const lateral = await compiled(text);
    const wrong = await rows(
      t.db,
      sql.raw(
        `select 1 from public.facts f cross join lateral (${lateral}) t where t.line <> f.line`,
      ),
    );
    expect(wrong).toEqual([]);
  });

  it.each(TRANSFORMS)('is flattened into an index scan of the facts: %s', async (_, text) => {
    const lateral = await compiled(text);
    const plan = await rows<{ 'QUERY PLAN': string }>(
      t.db,
      sql.raw(
        `explain select f.line, t.* from public.facts f cross join lateral (${lateral}) t
         where t.invoiced_at >= '2011-01-04T00:00:00Z' and t.invoiced_at < '2011-01-05T00:00:00Z'`,
      ),
    );
    const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(lines).toMatch(
      /Index (Only )?Scan (using .* )?(on|using) (facts_invoiced_at_idx|facts)/,
    );
    expect(lines).not.toMatch(/Subquery Scan|Seq Scan|Nested Loop|Sort/);
    expect(lines).not.toMatch(/CTE Scan on (a|b)\b/);
  });

  it('runs under an empty search_path', async () => {
    const lateral = await compiled(TRANSFORMS[0]?.[1] ?? '');
    const found = await t.db.transaction(async (tx) => {
      await tx.execute(sql`set local search_path = ''`);
      return rows(
        tx,
        sql.raw(`select t.* from public.facts f cross join lateral (${lateral}) t limit 1`),
      );
    });
    expect(found).toHaveLength(1);
  });

  it('cannot see the rows around it even if a name of them is free', async () => {
    await expect(
      compiled('select f.line, f.invoiced_at, 1 as net, 1 as tax from source'),
    ).rejects.toThrow(/no column f\.line/);
  });
});
