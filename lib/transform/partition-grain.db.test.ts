import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { one, rows } from '@/lib/db/client';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { checkTransform } from '@/lib/transform/parse';

/** Aggregates and windows that are allowed, with the type that we infer. */
const ALLOWED = [
  ['count(*)', 'bigint'],
  ['count(distinct status)', 'bigint'],
  ['sum(quantity)', 'bigint'],
  ['sum(amount)', 'numeric'],
  ['sum(price)', 'numeric'],
  ["sum(at - timestamptz '2026-02-01 00:00:00Z')", 'interval'],
  ['avg(quantity)', 'numeric'],
  ['avg(price) filter (where paid)', 'numeric'],
  ['stddev_pop(amount)', 'numeric'],
  ['variance(price)', 'numeric'],
  ['min(at)', 'timestamptz'],
  ['max(status)', 'text'],
  ['max(weight)', 'double precision'],
  ['min(quantity)', 'integer'],
  ['bool_or(paid)', 'boolean'],
  ['every(paid)', 'boolean'],
  ['bit_xor(amount)', 'bigint'],
  ["string_agg(status, ', ' order by quantity desc, status)", 'text'],
  ['array_agg(distinct status order by status)', 'text[]'],
  ['array_agg(quantity order by quantity)', 'integer[]'],
  ['rank() over (order by sum(amount))', 'bigint'],
  ['percent_rank() over (order by sum(amount))', 'double precision'],
  ['ntile(3) over (order by sum(amount), status)', 'integer'],
  ['lag(sum(quantity), 1) over (order by sum(amount), status)', 'bigint'],
  ['first_value(max(at)) over (partition by status order by sum(amount))', 'timestamptz'],
  ['sum(sum(amount)) over (order by count(*))', 'numeric'],
  ['sum(sum(price)) over (order by status rows between 1 preceding and current row)', 'numeric'],
] as const;

const source = [
  { name: 'id', type: 'integer' },
  { name: 'at', type: 'timestamptz' },
  { name: 'quantity', type: 'integer' },
  { name: 'amount', type: 'bigint' },
  { name: 'price', type: 'numeric' },
  { name: 'weight', type: 'double precision' },
  { name: 'status', type: 'text' },
  { name: 'paid', type: 'boolean' },
];
const list = ALLOWED.map(([expression], i) => `(${expression}) as c${i}`).join(', ');

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
  const columns = source.map(({ name, type }) => `${name} ${type}`).join(', ');
  const values = `n, timestamptz '2026-02-01 08:00:00Z' + n * interval '7 minutes', n % 5, n * 31 % 17,
    (n * 37 % 1000) / 8.0, n / 3.0, (array['paid', 'refund', 'open'])[n % 3 + 1], n % 2 = 0`;
  for (const [name, order] of [
    ['source', 'n'],
    ['backwards', 'n desc'],
    ['shuffled', 'md5(n::text)'],
  ]) {
    await t.db.execute(sql.raw(`create table public.${name} (${columns})`));
    await t.db.execute(
      sql.raw(
        `insert into public.${name} select ${values} from generate_series(1, 200) n order by ${order}`,
      ),
    );
  }
});
afterAll(() => t.close());

it.each(ALLOWED)('%s is of the type that PostgreSQL infers', async (expression, type) => {
  const found = await one<{ type: string }>(
    t.db,
    sql.raw(
      `select pg_typeof(${expression})::text as type from public.source group by status limit 1`,
    ),
  );
  expect(found.type.replace('timestamp with time zone', 'timestamptz')).toBe(type);
  // as the dataset's column it must be of just that type
  const target = { name: 'y', type: type.endsWith('[]') || type === 'interval' ? 'text' : type };
  const checked = await checkTransform(
    `select max(at) as at, ${expression} as y from source group by status`,
    {
      sourceColumns: source,
      targetColumns: [{ name: 'at', type: 'timestamptz' }, target],
      businessTime: 'at',
      grain: 'partition',
      sourceKey: ['id'],
    },
  );
  if (target.type === type) expect(checked).toMatchObject({ ok: true });
  else expect(JSON.stringify(checked)).toContain(`y is ${type}, and the dataset declares text`);
});

it('come to the same in whatever order the facts are read', async () => {
  const by = (table: string) =>
    rows(
      t.db,
      sql.raw(`select status, ${list} from public.${table} group by status order by status`),
    );
  const first = await by('source');
  expect(await by('backwards')).toEqual(first);
  expect(await by('shuffled')).toEqual(first);
});
