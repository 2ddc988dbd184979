import { describe, expect, it } from 'vitest';
import { accepted, codeOf, using, where, withNet } from '@/lib/transform/check.fixture';

describe('one SELECT over source', () => {
  it.each([
    ['nothing', ''],
    ['a comment alone', '-- nothing'],
    ['two statements', `${withNet('1.5')}; select 1`],
    ['an insert', 'insert into source values (1)'],
    ['an update', "update source set line = ''"],
    ['a delete', 'delete from source returning line, invoiced_at, 1.5 as net'],
    ['DDL', 'drop table source'],
    ['a DO block', 'do $$ begin end $$'],
    ['COPY', "copy source to program 'id'"],
    ['SET', 'set role postgres'],
    ['SELECT INTO', 'select line, invoiced_at, 1.5 as net into t from source'],
    ['CREATE TABLE AS', 'create table t as select 1'],
    ['EXPLAIN', `explain ${withNet('1.5')}`],
    ['VALUES', 'values (1, 2, 3)'],
    ['TABLE of another relation', 'table other'],
    ['no FROM', "select 'a' as line, null::timestamptz as invoiced_at, 1.5 as net"],
    ['another relation', 'select line, invoiced_at, 1.5 as net from orders'],
    ['a catalogue', 'select line, invoiced_at, 1.5 as net from pg_authid'],
    ['a schema-qualified source', 'select line, invoiced_at, 1.5 as net from public.source'],
    ['source of a database', 'select line, invoiced_at, 1.5 as net from db.public.source'],
    ['a quoted Source', 'select line, invoiced_at, 1.5 as net from "Source"'],
    ['a quoted dotted name', 'select line, invoiced_at, 1.5 as net from "public.source"'],
    ['ONLY', 'select line, invoiced_at, 1.5 as net from only source'],
    ['a sample', 'select line, invoiced_at, 1.5 as net from source tablesample system (1)'],
    ['FOR UPDATE', `${withNet('1.5')} for update`],
    ['a CTE called source', `with source as (select 1) ${withNet('1.5')}`],
    ['a quoted CTE called source', `with "source" as (select 1 as a) ${withNet('1.5')}`],
    ['a CTE that writes', `with a as (delete from source returning *) ${withNet('1.5')}`],
    ['a recursive CTE', `with recursive a as (select 1 as n) ${withNet('1.5')}`],
    [
      'a materialized CTE',
      'with a as materialized (select * from source) select line, invoiced_at, 1.5 as net from a',
    ],
    [
      'columns of an alias',
      'select a as line, b as invoiced_at, 1.5 as net from source as s (a, b)',
    ],
    ['LATERAL', 'select line, invoiced_at, 1.5 as net from lateral (select * from source) s'],
    [
      'XMLTABLE',
      "select line, invoiced_at, 1.5 as net from xmltable('/a' passing '' columns b text)",
    ],
    [
      'JSON_TABLE',
      "select line, invoiced_at, 1.5 as net from json_table('{}', '$' columns (a int))",
    ],
    ['a parameter', withNet('$1')],
    [
      'a constant CTE as what is read',
      "with p as (select 'a' as line, null::timestamptz as invoiced_at, 1.5 as net) select * from p",
    ],
    ['a NUL', withNet("'\0'")],
    ['a lone surrogate', withNet("'\ud800'")],
    ['a very long text', withNet(`1.5${' '.repeat(70_000)}`)],
  ])('refuses %s', async (_, sql) => {
    expect(await codeOf(sql)).toContain('TRANSFORM_INVALID');
  });

  it('refuses what is nested too deeply, and works on', async () => {
    expect(await codeOf(withNet(`${'('.repeat(20_000)}1${')'.repeat(20_000)}`))).toEqual([
      'TRANSFORM_INVALID',
    ]);
    expect(await codeOf(withNet(`1${' + 1'.repeat(15_000)}`))).toEqual(['TRANSFORM_INVALID']);
    expect(await codeOf(withNet(`${'(select '.repeat(3_000)}1${')'.repeat(3_000)}`))).toEqual([
      'TRANSFORM_INVALID',
    ]);
    await accepted(withNet('1.5'));
  });

  it('refuses columns that double with each step', async () => {
    const deep = Array.from({ length: 40 }).reduce<string>(
      (inner) => `(select *, * from ${inner} s)`,
      'source',
    );
    expect(await codeOf(`select line, invoiced_at, 1.5 as net from ${deep} s`)).toContain(
      'TRANSFORM_INVALID',
    );
  });

  it('tells of a text that is wrong all over often enough', async () => {
    const calls = Array.from({ length: 1_500 }, (_, i) => `now() as c${i}`).join(', ');
    expect(await codeOf(`select ${calls} from source`)).toHaveLength(50);
  });

  it('refuses CTEs that double with each step', async () => {
    const steps = Array.from(
      { length: 40 },
      (_, i) => `c${i + 1} as (select (select n from c${i}) + (select n from c${i}) as n)`,
    );
    const ctes = ['c0 as (select 1 as n)', ...steps].join(', ');
    expect(await codeOf(`with ${ctes} ${withNet('(select n from c40)')}`)).toEqual([
      'TRANSFORM_INVALID',
    ]);
  });

  it.each([
    ['a bracket that closes the sub-select', `${withNet('1.5')}) t; drop table x; --`],
    ['a bracket and a join', `${withNet('1.5')}) t cross join lateral (select * from x`],
    ['an open comment', `${withNet('1.5')} /*`],
    ['an open string', `${withNet("'")}`],
    ['an open quoted name', 'select line, invoiced_at, 1.5 as "net from source'],
    ['a bracket in a comment that ends', `${withNet('1.5')} /* */ ) --`],
    ['an open dollar quote', withNet('$x$ 1')],
  ])('refuses to be left by %s', async (_, sql) => {
    expect(await codeOf(sql)).toEqual(['TRANSFORM_INVALID']);
  });

  it('has brackets and comments in strings and names only as such', async () => {
    const { normal } = await accepted(using("') t; drop table x; --' || $$*/)$$"));
    expect(normal).toContain("') t; drop table x; --'");
    const alias = 'select "a) --"."line", "a) --".invoiced_at, 1.5 as net from source "a) --"';
    expect((await accepted(alias)).normal).toContain('"a) --".line');
  });
});

describe('row by row', () => {
  it.each([
    ['a self-join', 'select a.line, a.invoiced_at, 1.5 as net from source a, source b'],
    [
      'a JOIN of source to itself',
      'select a.line, a.invoiced_at, 1.5 as net from source a join source b using (line)',
    ],
    [
      'a join with a constant',
      'select line, invoiced_at, x as net from source cross join (select 1 as x) c',
    ],
    ['EXISTS over source', where('exists (select 1 from source)')],
    ['IN over source', where('line in (select line from source)')],
    ['a sub-select over source', withNet('(select quantity from source)')],
    ['an ARRAY over source', using('array(select line from source)')],
    [
      'a CTE read twice',
      'with a as (select * from source) select x.line, y.invoiced_at, 1.5 as net from a x, a y',
    ],
    ['a CTE over source beside source', `with a as (select * from source) ${withNet('1.5')}`],
    [
      'a CTE over source as a value',
      `with a as (select quantity from source) ${withNet('(select quantity from a)')}`,
    ],
    [
      'source as a value only',
      "select 'a' as line, null::timestamptz as invoiced_at, (select quantity from source) as net",
    ],
    ['an aggregate', withNet('sum(quantity)')],
    ['count(*)', withNet('count(*)')],
    ['an aggregate of pg_catalog', withNet('pg_catalog.sum(quantity)')],
    ['an ordered aggregate', withNet("string_agg(line, ',' order by line)")],
    [
      'an aggregate within a group',
      withNet('percentile_cont(0.5) within group (order by quantity)'),
    ],
    ['a filtered aggregate', withNet('count(*) filter (where gift)')],
    ['DISTINCT in a call', withNet('lower(distinct country)')],
    ['a window', withNet('sum(quantity) over ()')],
    ['a window function', withNet('row_number() over (order by line)')],
    ['any function over a window', withNet('lower(country) over ()')],
    ['GROUP BY', `${withNet('1.5')} group by line, invoiced_at`],
    ['HAVING', `${withNet('1.5')} having true`],
    ['WINDOW', `${withNet('1.5')} window w as ()`],
    ['DISTINCT', 'select distinct line, invoiced_at, 1.5 as net from source'],
    ['DISTINCT ON', 'select distinct on (line) line, invoiced_at, 1.5 as net from source'],
    ['LIMIT', `${withNet('1.5')} limit 1`],
    ['LIMIT ALL', `${withNet('1.5')} limit all`],
    ['FETCH', `${withNet('1.5')} fetch first row only`],
    ['OFFSET', `${withNet('1.5')} offset 1`],
    ['ORDER BY', `${withNet('1.5')} order by line`],
    ['UNION', `${withNet('1.5')} union all ${withNet('2.5')}`],
    ['EXCEPT', `${withNet('1.5')} except select null, null, null`],
    ['LIMIT inside', 'select * from (select line, invoiced_at, 1.5 as net from source limit 1) s'],
    [
      'DISTINCT in a CTE',
      'with a as (select distinct line, invoiced_at, 1.5 as net from source) select * from a',
    ],
    ['generate_series', withNet('generate_series(1, 3)')],
    ['unnest', withNet('unnest(array[1, 2])')],
    ['jsonb_array_elements', withNet("jsonb_array_elements(payload -> 'items')")],
    ['regexp_matches', withNet("regexp_matches(country, 'a', 'g')")],
    [
      'a function in FROM',
      'select line, invoiced_at, n as net from source, generate_series(1, 2) n',
    ],
    ['a function alone in FROM', 'select line, invoiced_at, 1.5 as net from unnest(array[1]) n'],
    ['ROWS FROM', 'select line, invoiced_at, 1.5 as net from rows from (unnest(array[1])) n'],
    ['GROUPING', withNet('grouping(line)')],
  ])('refuses %s', async (_, sql) => {
    expect(await codeOf(sql)).toContain('TRANSFORM_NOT_ROW_WISE');
  });
});
