import { describe, expect, it } from 'vitest';
import { partitionSql } from '@/lib/transform/compile';
import { checkTransform, type Transform } from '@/lib/transform/parse';

const SOURCE = [
  { name: 'order_id', type: 'text' },
  { name: 'at', type: 'timestamptz' },
  { name: 'amount', type: 'bigint' },
  { name: 'price', type: 'numeric(12,2)' },
  { name: 'weight', type: 'double precision' },
  { name: 'status', type: 'text' },
  { name: 'paid', type: 'boolean' },
  { name: 'doc', type: 'jsonb' },
];

async function check(sql: string, grain: 'row' | 'partition' = 'partition') {
  return checkTransform(sql, {
    sourceColumns: SOURCE,
    targetColumns: [
      { name: 'dt', type: 'timestamptz' },
      { name: 'x', type: 'numeric' },
    ],
    key: ['dt'],
    businessTime: 'dt',
    grain,
    sourceKey: ['order_id'],
  });
}

async function accepted(sql: string): Promise<Transform> {
  const checked = await check(sql);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.transform;
}

async function problems(sql: string) {
  const checked = await check(sql);
  return checked.ok ? [] : checked.problems.map(({ code, message }) => `${code} ${message}`);
}

const x = (expression: string) =>
  `select date_trunc('day', min(at), 'UTC') as dt, ${expression} as x from source`;
/** An expression of any type, beside what the dataset takes. */
const beside = (expression: string, more = '') =>
  `select dt, x from (select date_trunc('day', min(at), 'UTC') as dt, 1.5 as x, ${expression} as y from source ${more}) s`;

describe('a transform of grain partition', () => {
  it.each([
    'count(*)',
    'count(distinct status)',
    'sum(amount)',
    'sum(price) filter (where paid)',
    'avg(amount)',
    'avg(price)',
    'min(price) + max(weight)::numeric',
    'stddev(price)',
    "coalesce(sum(amount) filter (where status = 'refund'), 0)",
    'case when bool_and(paid) then 1 else array_length(array_agg(status order by at, status), 1) end',
  ])('takes %s', async (expression) => {
    await accepted(x(expression));
  });

  it.each([
    "string_agg(status, ',' order by at, status)",
    "string_agg(distinct status, ',' order by status)",
    'max(at)',
    'bit_or(amount)',
    'every(paid)',
  ])('takes %s beside', async (expression) => {
    await accepted(beside(expression));
  });

  it.each([
    ['GROUP BY', 'select at as dt, sum(amount) as x from source group by at'],
    [
      'GROUP BY a position',
      "select date_trunc('day', at, 'UTC') as dt, count(*) as x from source group by 1",
    ],
    [
      'GROUP BY a name',
      "select date_trunc('hour', at, 'UTC') as dt, count(*) as x from source group by dt having count(*) > 1",
    ],
    ['DISTINCT', 'select distinct at as dt, price as x from source'],
    [
      'a rank',
      'select at as dt, rank() over (partition by status order by amount) as x from source',
    ],
    ['a running total', 'select at as dt, sum(amount) over (order by at) as x from source'],
    [
      'a number in total order',
      'select at as dt, row_number() over (order by at, order_id) as x from source',
    ],
    [
      'the row before',
      'select at as dt, lag(amount) over w as x from source window w as (order by at, order_id)',
    ],
    [
      'a number over groups in total order',
      'select dt, row_number() over (order by n desc, dt) as x from (select at as dt, count(*) as n from source group by at) g',
    ],
    [
      'a number in a grouped SELECT',
      'select at as dt, row_number() over (order by sum(amount), at) as x from source group by at',
    ],
    [
      'LIMIT in total order',
      'select at as dt, amount as x from source order by amount desc, order_id limit 3',
    ],
    [
      'LIMIT over groups',
      'select at as dt, count(*) as x from source group by at order by x desc, dt limit 3',
    ],
    ['ORDER BY alone', 'select at as dt, amount as x from source order by amount'],
    [
      'DISTINCT ON in total order',
      'select distinct on (at) at as dt, amount as x from source order by at, amount, order_id',
    ],
    [
      'a set operation over a CTE that is read twice',
      'with l as (select at, amount, paid from source) select at as dt, amount as x from l where paid union all select at, -amount from l where not paid',
    ],
    [
      'a share of a total',
      'with l as (select at, sum(price) as price from source group by at) select at as dt, price / (select sum(price) from l) as x from l',
    ],
    [
      'a CTE over a CTE',
      'with a as (select at, amount from source where paid), b as (select at, sum(amount) as n from a group by at) select at as dt, n as x from b',
    ],
  ])('takes %s', async (_, sql) => {
    expect(await problems(sql)).toEqual([]);
    const text = partitionSql(await accepted(sql), SOURCE, 'at');
    expect(text.match(/_facts/g)).toHaveLength(1);
    expect(text).toMatch(/f\.at >= _part\._start AND f\.at < _part\._upper/i);
  });

  it.each([
    [
      'a sum of doubles',
      x('sum(weight)::numeric'),
      /sum\(\) over double precision depends on the order/,
    ],
    ['an average of doubles', x('avg(weight)::numeric'), /avg\(\) over double precision/],
    ['any value', beside('any_value(status)'), /any_value\(text\) takes whichever row/],
    [
      'a text in no order',
      beside("string_agg(status, ',')"),
      /end its ORDER BY with what it puts together/,
    ],
    ['a text in another order', beside("string_agg(status, ',' order by at)"), /end its ORDER BY/],
    ['an array in no order', beside('array_agg(status)'), /end its ORDER BY/],
    ['JSON', beside('jsonb_agg(status)'), /not among the aggregates/],
    [
      'LIMIT without an order',
      'select at as dt, amount as x from source limit 3',
      /LIMIT needs an ORDER BY .* lacks order_id/,
    ],
    [
      'LIMIT with equals',
      'select at as dt, amount as x from source order by amount limit 3',
      /lacks order_id/,
    ],
    ['OFFSET', 'select at as dt, amount as x from source order by amount offset 1', /OFFSET needs/],
    [
      'LIMIT over groups with equals',
      'select at as dt, count(*) as x from source group by at order by x limit 3',
      /lacks at/,
    ],
    [
      'LIMIT over rows that were put together',
      'with l as (select at, amount from source) select at as dt, amount as x from l union all select at, amount from l order by dt limit 1',
      /none are known/,
    ],
    [
      'a number in no order',
      'select at as dt, row_number() over () as x from source',
      /row_number\(\) needs an ORDER BY .* order_id/,
    ],
    [
      'the first with equals',
      'select at as dt, first_value(amount) over (order by at) as x from source',
      /first_value\(\) needs/,
    ],
    [
      'a frame of ROWS with equals',
      'select at as dt, sum(amount) over (order by at rows 2 preceding) as x from source',
      /sum\(\) over ROWS needs/,
    ],
    [
      'DISTINCT ON with equals',
      'select distinct on (at) at as dt, amount as x from source order by at',
      /DISTINCT ON needs/,
    ],
    [
      'groups of JSON',
      'select min(at) as dt, count(*) as x from source group by doc',
      /Equal values of jsonb/,
    ],
    [
      'distinct intervals',
      "select dt, x from (select distinct at as dt, 1.5 as x, at - timestamptz '2026-02-01 00:00:00Z' as y from source) s",
      /Equal values of interval/,
    ],
    ['the clock', x('extract(epoch from max(now() - at))'), /now/],
    ['a stable format', x("to_char(min(at), 'DD')::numeric"), /to_char/],
  ])('refuses %s as not deterministic', async (_, sql, message) => {
    const found = await problems(sql);
    expect(found[0]).toMatch(/^TRANSFORM_NOT_DETERMINISTIC /);
    expect(found.join('\n')).toMatch(message);
  });

  it.each([
    [
      'two reads of source',
      'select a.at as dt, a.amount as x from (select * from source union all select * from source) a',
      /source is named once/,
    ],
    [
      'a join',
      'with l as (select * from source) select a.at as dt, b.amount as x from l a join l b on a.order_id = b.order_id',
      /reads one relation/,
    ],
    [
      'an aggregate in WHERE',
      'select at as dt, 1.5 as x from source where count(*) > 1',
      /stands in the SELECT list/,
    ],
    [
      'ties',
      'select at as dt, amount as x from source order by amount, order_id fetch first 3 rows with ties',
      /WITH TIES/,
    ],
    ['ROLLUP', 'select at as dt, count(*) as x from source group by rollup(at)', /not allowed/],
    ['WITHIN GROUP', x('percentile_disc(0.5) within group (order by amount)'), /WITHIN GROUP/],
    [
      'a sub-select of many rows',
      'with l as (select * from source) select at as dt, (select amount from l) as x from l',
      /has one row/,
    ],
    [
      'a name of ours',
      'with _facts as (select at, amount from source) select at as dt, amount as x from _facts',
      /underscore/,
    ],
    ['an alias of ours', 'select at as dt, amount as x from source _part', /underscore/],
    [
      'a position beside a star',
      'select dt, x from (select *, at as dt, 1.5 as x from source order by 1) s',
      /leaves no positions/,
    ],
    [
      'LIMIT of an expression',
      'select at as dt, amount as x from source order by order_id limit 1 + 1',
      /take a number/,
    ],
    [
      'sides of other lengths',
      'with l as (select at, amount from source) select at as dt, amount as x from l union select at from l',
      /as many columns/,
    ],
    ['another relation', 'select at as dt, count(*) as x from orders group by at', /nothing else/],
    [
      'a window that is not there',
      'select at as dt, rank() over w as x from source',
      /no window w/,
    ],
    ['a rank without a window', 'select at as dt, rank() as x from source', /needs OVER/],
    ['VALUES', "values (timestamptz '2026-02-01 00:00:00Z', 1.5)", /VALUES is not allowed/],
    ['a lock', 'select at as dt, amount as x from source for update', /lock rows/],
  ])('refuses %s', async (_, sql, message) => {
    const found = await problems(sql);
    expect(found.join('\n')).toMatch(message);
    expect(found.some((each) => each.startsWith('TRANSFORM_NOT_ROW_WISE'))).toBe(false);
  });

  it('is not row-wise, and grain row says so', async () => {
    const checked = await check(x('count(*)'), 'row');
    expect(!checked.ok && checked.problems.map(({ code }) => code)).toContain(
      'TRANSFORM_NOT_ROW_WISE',
    );
  });
});
