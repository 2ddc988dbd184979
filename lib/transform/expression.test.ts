import { describe, expect, it } from 'vitest';
import {
  type Aggregate,
  checkAggregate,
  checkPredicate,
  type ExpressionRelation,
  type Predicate,
} from '@/lib/transform/expression';
import type { Problem } from '@/lib/transform/problem';

const columns = [
  { name: 'line', type: 'text' },
  { name: 'invoiced_at', type: 'timestamptz' },
  { name: 'net', type: 'numeric(14,3)' },
  { name: 'tax', type: 'numeric(14,2)' },
  { name: 'lines', type: 'integer' },
  { name: 'weight', type: 'double precision' },
  { name: 'Odd "name"', type: 'boolean' },
];
const sides: readonly ExpressionRelation[] = [
  { name: 'old', alias: 'o', columns },
  { name: 'new', alias: 'n', columns },
];
const rowsOf = (alias: string): ExpressionRelation[] => [{ name: null, alias, columns }];

async function predicate(sql: string, relations = sides): Promise<Predicate> {
  const check = await checkPredicate(sql, relations);
  if (!check.ok) throw new Error(JSON.stringify(check.problems));
  return check.expression;
}

async function aggregate(sql: string): Promise<Aggregate> {
  const check = await checkAggregate(sql, rowsOf('r'));
  if (!check.ok) throw new Error(JSON.stringify(check.problems));
  return check.expression;
}

async function refusedPredicate(sql: string, relations = sides): Promise<readonly Problem[]> {
  const check = await checkPredicate(sql, relations);
  if (check.ok) throw new Error(`accepted: ${check.expression.sql}`);
  return check.problems;
}

async function refusedAggregate(sql: string): Promise<readonly Problem[]> {
  const check = await checkAggregate(sql, rowsOf('r'));
  if (check.ok) throw new Error(`accepted: ${JSON.stringify(check.expression)}`);
  return check.problems;
}

describe('checkPredicate', () => {
  it('qualifies the columns of a rule by the aliases given', async () => {
    const rule = await predicate('new.tax = round(old.net * 0.2, 2)');
    expect(rule.sql).toBe('(n.tax = round(o.net * 0.2, 2))');
    expect(rule.normal).toBe('new.tax = round(old.net * 0.2, 2)');
    expect(rule.reads).toEqual([
      { relation: 'new', column: 'tax' },
      { relation: 'old', column: 'net' },
    ]);
  });

  it('qualifies bare columns, and quotes what needs it', async () => {
    const bad = await predicate('net > 0 and tax < 0 or not "Odd ""name"""', rowsOf('my rows'));
    expect(bad.sql).toBe(
      '(("my rows".net > 0 AND "my rows".tax < 0) OR NOT ("my rows"."Odd ""name"""))',
    );
  });

  it('keeps the order of operations', async () => {
    const { sql } = await predicate('(net = 1 or net = 2) and net - (tax - 1) = 0', rowsOf('r'));
    expect(sql).toBe('((r.net = 1 OR r.net = 2) AND (r.net - (r.tax - 1)) = 0)');
  });

  it('ends in itself: a bracket in a string cannot close it, a comment is gone', async () => {
    const { sql } = await predicate("line <> ') or (true' -- )\n", rowsOf('r'));
    expect(sql).toBe("(r.line <> ') or (true')");
  });

  it.each([
    '',
    '  -- nothing',
    'true, true',
    'true as x',
    'true x',
    'true from source',
    'true from pg_authid',
    'true where true',
    'true; drop table x',
    'true) or (true',
    'true /*',
    "'",
    'true union select true',
    'distinct true',
    'true order by 1',
    'true limit 1',
    'true for update',
    'true into t',
    '*',
    'old.*',
    'old',
    'old = new',
    'old.ctid = new.ctid',
    'net > 0',
    'old.missing > 0',
    'other.net > 0',
    'n.tax > 0',
    'old.net',
    "'a' || old.line",
    'old.net > $1',
    '(select true)',
    'exists (select 1)',
    'old.net in (select 1)',
    '(select count(*) from control.release) > 0',
  ])('refuses %j', async (sql) => {
    expect((await refusedPredicate(sql)).map(({ code }) => code)).toContain('TRANSFORM_INVALID');
  });

  it.each([
    'random() < 0.5',
    'old.invoiced_at < now()',
    "old.invoiced_at < 'today'",
    'old.invoiced_at::date = current_date',
    'pg_sleep(1) is null',
    'old.line::regclass is null',
    'old.net operator(public.=) new.net',
  ])('refuses %s as not deterministic', async (sql) => {
    expect((await refusedPredicate(sql)).map(({ code }) => code)).toContain(
      'TRANSFORM_NOT_DETERMINISTIC',
    );
  });

  it.each(['sum(old.net) > 0', 'row_number() over () = 1', 'unnest(array[true])'])(
    'refuses %s as more than a row',
    async (sql) => {
      expect((await refusedPredicate(sql)).map(({ code }) => code)).toContain(
        'TRANSFORM_NOT_ROW_WISE',
      );
    },
  );

  it('gives positions in the text of the author', async () => {
    expect(await refusedPredicate('now() is null')).toMatchObject([{ line: 1, column: 1 }]);
    expect(await refusedPredicate("old.line = 'ö' and\n  random() > 0")).toMatchObject([
      { line: 2, column: 3 },
    ]);
    expect(await refusedPredicate('old.net >')).toMatchObject([{ line: 1, column: 10 }]);
    expect((await refusedPredicate('net > 0'))[0]?.message).toMatch(/old\.net or new\.net/);
  });
});

describe('checkAggregate', () => {
  it('takes an aggregate apart', async () => {
    expect(await aggregate('sum(net * lines)')).toEqual({
      fn: 'sum',
      argSql: '(r.net * r.lines)',
      filterSql: null,
      type: 'numeric',
      normal: 'sum(net * lines)',
      reads: [
        { relation: null, column: 'net' },
        { relation: null, column: 'lines' },
      ],
    });
    expect(await aggregate('COUNT(*)')).toMatchObject({
      fn: 'count',
      argSql: null,
      type: 'bigint',
    });
    expect(await aggregate('count(tax) filter (where net > 0)')).toMatchObject({
      argSql: '(r.tax)',
      filterSql: '(r.net > 0)',
    });
    expect(await aggregate('sum(lines)')).toMatchObject({ type: 'bigint' });
    expect(await aggregate('max(invoiced_at)')).toMatchObject({ fn: 'max', type: 'timestamptz' });
    expect(await aggregate('pg_catalog.min(weight)')).toMatchObject({ fn: 'min' });
    expect(await aggregate('sum(weight::numeric)')).toMatchObject({ type: 'numeric' });
  });

  it.each([
    'net',
    'avg(net)',
    'sum(net) + 1',
    'sum(net) / count(*)',
    'coalesce(sum(net), 0)',
    'sum(net)::text',
    'round(sum(net))',
    '-sum(net)',
    'sum(distinct net)',
    'count(distinct line)',
    'sum(net order by line)',
    'sum(net) over ()',
    'sum(*)',
    'count()',
    'sum(net, tax)',
    'sum(variadic array[net])',
    'public.sum(net)',
    'sum(line)',
    'sum("Odd ""name""")',
    'max("Odd ""name""")',
    'sum(missing)',
    'sum(net) filter (where net)',
    'sum((select 1))',
    'sum(net), sum(tax)',
    'sum(net) from x',
    "string_agg(line, ',')",
    'array_agg(net)',
    'sum(net) as total',
  ])('refuses %s', async (sql) => {
    expect((await refusedAggregate(sql)).length).toBeGreaterThan(0);
  });

  it('refuses a sum whose value depends on the order of rows', async () => {
    expect(await refusedAggregate('sum(weight)')).toMatchObject([
      { code: 'TRANSFORM_NOT_DETERMINISTIC', line: 1, column: 5 },
    ]);
  });

  it.each(['sum(sum(net))', 'sum(net) filter (where count(*) > 1)', 'max(row_number() over ())'])(
    'refuses %s',
    async (sql) => {
      expect((await refusedAggregate(sql)).map(({ code }) => code)).toEqual([
        'TRANSFORM_NOT_ROW_WISE',
      ]);
    },
  );

  it('refuses what a fact cannot give, inside the argument too', async () => {
    expect((await refusedAggregate('sum(net * random())')).map(({ code }) => code)).toEqual([
      'TRANSFORM_NOT_DETERMINISTIC',
    ]);
  });
});
