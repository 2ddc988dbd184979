import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { array, type Database, one, rows } from '@/lib/db/client';
import { formatDigest } from '@/lib/digest/canonical';
import type { TypedColumn } from '@/lib/digest/column-type';
import { EMPTY_PARTITION_ROOT, PartitionRootBuilder } from '@/lib/digest/partition-root';
import { bucketOf, rowHash } from '@/lib/digest/row-encoding';
import {
  bucketFiguresSql,
  bucketSql,
  ident,
  partitionFiguresSql,
  rootOfBucketHashesSql,
  rowHashSql,
} from '@/lib/digest/row-encoding-sql';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';

/** Names that only quoting keeps whole. */
const columns: readonly TypedColumn[] = [
  { name: 'text', type: 'text' },
  { name: 'Integer "q"', type: 'integer' },
  { name: 'big int', type: 'bigint' },
  { name: 'select', type: 'numeric' },
  { name: "o'numeric", type: 'numeric(40,6)' },
  { name: 'double', type: 'double precision' },
  { name: 'bool', type: 'boolean' },
  { name: 'date', type: 'date' },
  { name: 'at', type: 'timestamptz' },
  { name: 'id', type: 'uuid' },
  { name: 'größe', type: 'jsonb' },
];

const text = fc
  .oneof(
    fc.constantFrom('', 'null', 'NULL', '\\', "'", '"', ',', '\t', '\r\n', '{}', '\u0001', ' a '),
    fc.constantFrom('é', 'e\u0301', '\u{1f600}', '\u{10ffff}', '\uffff', '\ufeff', 'ß', 'İ', '中'),
    fc.string({ unit: 'binary', maxLength: 40 }),
  )
  .map((value) => value.replaceAll('\0', ''));

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }), fc.integer({ min: -20, max: 80 }))
  .map(([digits, scale]) => `${digits}e${-scale}`);

const values: readonly fc.Arbitrary<string>[] = [
  text,
  fc.oneof(fc.constantFrom('0', '-2147483648', '2147483647'), fc.integer().map(String)),
  fc.oneof(
    fc.constantFrom('9223372036854775807', '-9223372036854775808'),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  ),
  fc.oneof(
    fc.constantFrom('1', '1.0', '1.00', '1e0', '1e3', '-0', '0.000', '-0.0', '1e-30', '1e130'),
    fc.constantFrom('NaN', 'Infinity', '-Infinity', '100', '1e2', '-1200.00'),
    decimal,
  ),
  fc.bigInt({ min: -(10n ** 39n), max: 10n ** 39n }).map((digits) => `${digits}e-6`),
  fc.oneof(
    fc.constantFrom('-0', '0', 'NaN', 'Infinity', '-Infinity', '5e-324', '0.1', '1e21'),
    fc.constantFrom('1.7976931348623157e308', '0.30000000000000004', '9007199254740993'),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  ),
  fc.constantFrom('true', 'false', 't', 'f'),
  fc.oneof(
    fc.constantFrom('infinity', '-infinity', '1970-01-01', '4714-11-24 BC', '5874897-12-31'),
    fc.integer({ min: -719162, max: 2932896 }).map((day) => isoOf(day * 86_400_000).slice(0, 10)),
  ),
  fc.oneof(
    fc.constantFrom('infinity', '-infinity', '1970-01-01T00:00:00Z', '2011-03-27 01:30:00+01'),
    fc.constantFrom('294276-12-31 23:59:59.999999+00', '4714-11-24 00:00:00+00 BC'),
    fc
      .tuple(
        fc.integer({ min: -62135596800, max: 253402300799 }),
        fc.integer({ min: 0, max: 999999 }),
      )
      .map(([s, us]) => `${isoOf(s * 1000).slice(0, 19)}.${String(us).padStart(6, '0')}Z`),
  ),
  fc.tuple(fc.uuid(), fc.boolean()).map(([id, upper]) => (upper ? id.toUpperCase() : id)),
  fc
    .jsonValue({ maxDepth: 2 })
    .map((value) => JSON.stringify(value))
    .filter((json) => !json.includes('\\u0000') && !/\\ud[89a-f]/.test(json)),
];

const row = fc.tuple(text, ...values.map((value) => fc.option(value, { freq: 6 })));

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

const settings = fc.record({
  TimeZone: fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia'),
  DateStyle: fc.constantFrom('ISO, MDY', 'German, DMY', 'SQL, DMY', 'Postgres, MDY'),
  IntervalStyle: fc.constantFrom('postgres', 'sql_standard', 'iso_8601', 'postgres_verbose'),
  extra_float_digits: fc.constantFrom('-15', '0', '3'),
  bytea_output: fc.constantFrom('hex', 'escape'),
  standard_conforming_strings: fc.constantFrom('on', 'off'),
  search_path: fc.constantFrom('', 'public'),
});

let t: TestDatabase;
/** One connection, whose settings the tests change. */
let odd: Database;

beforeAll(async () => {
  t = await testDatabase();
  odd = t.connect('tool', 1);
  const declared = columns.map(({ name, type }) => `${ident(name)} ${type}`);
  await t.db.execute(
    sql.raw(
      `create table public.r (n bigint, _key text collate "C", part timestamptz, ${declared})`,
    ),
  );
});

afterAll(() => t.close());

type Row = readonly [string, ...(string | null)[]];

/** Stores the rows; answers them as PostgreSQL prints them under the settings that we export with. */
async function store(given: readonly Row[]): Promise<Row[]> {
  await t.db.execute(sql`truncate public.r`);
  const cells = [
    sql`${array(
      given.map((_, i) => i),
      'bigint',
    )}`,
    sql`${array(
      given.map(([key], i) => `${key}#${i}`),
      'text',
    )}`,
    ...columns.map(
      (_, c) =>
        sql`${array(
          given.map((cell) => cell[c + 1] ?? null),
          'text',
        )}`,
    ),
  ];
  const names = columns.map((_, c) => `c${c}`);
  const casts = columns.map(({ type }, c) => `c${c}::${type}`);
  await t.db.execute(sql`
    insert into public.r
    select n, k, timestamptz 'epoch' + (n % 3) * interval '1 day', ${sql.raw(casts.join(', '))}
    from unnest(${sql.join(cells, sql`, `)}) as u (n, k, ${sql.raw(names.join(', '))})`);
  const texts = columns.map(({ name }) => `${ident(name)}::text`);
  const stored = await rows<{ line: Row }>(
    t.db,
    sql.raw(`select jsonb_build_array(_key, ${texts.join(', ')}) as line from public.r order by n`),
  );
  return stored.map(({ line }) => line);
}

async function apply(changed: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(changed)) {
    await odd.execute(sql`select set_config(${name}, ${value}, false)`);
  }
}

function builderOf(given: readonly Row[]) {
  const builder = new PartitionRootBuilder(columns);
  for (const [key, ...cells] of given) builder.add(key, cells);
  return builder.finish();
}

const ofAll = { alias: 'r', from: 'public.r', columns } as const;

describe('roots in SQL and in TypeScript', () => {
  it('agree on a thousand random rows under any session settings', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 100, maxLength: 100 }),
        settings,
        async (given, changed) => {
          const exported = await store(given);
          await apply(changed);
          const answers = await rows<{ hash: string; bucket: number; key: string }>(
            odd,
            sql.raw(
              `select encode(${rowHashSql(columns, 'r')}, 'hex') as hash, r._key as key,
                 ${bucketSql('r._key')} as bucket from public.r order by n`,
            ),
          );
          expect(answers).toHaveLength(given.length);
          for (const [i, answer] of answers.entries()) {
            const [key, ...cells] = exported[i] as Row;
            expect(answer.key).toBe(key);
            expect(answer.hash).toBe(rowHash(columns, cells).toString('hex'));
            expect(answer.bucket).toBe(bucketOf(key));
            // The text that the row was made from gives the same hash as the text that came back.
            const original = given[i]?.slice(1) as (string | null)[];
            const last = columns.length - 1;
            original[last] = cells[last] ?? null;
            expect(rowHash(columns, original).toString('hex')).toBe(answer.hash);
          }
          const root = await one<{ root: string; rows: string }>(
            odd,
            sql.raw(
              `select encode(root, 'hex') as root, rows from (${partitionFiguresSql(ofAll)}) x`,
            ),
          );
          expect(`sha256:${root.root}`).toBe(builderOf(exported).root);
          seen += Number(root.rows);
        },
      ),
      { numRuns: 12, endOnFailure: true },
    );
    expect(seen).toBeGreaterThanOrEqual(1000);
  });

  it('agree on every NaN and both zeros, whatever computation made them', async () => {
    const column = [{ name: 'x', type: 'double precision' }];
    const found = await rows<{ hash: string; raw: string }>(
      odd,
      sql.raw(
        `select encode(${rowHashSql(column, 'v')}, 'hex') as hash, encode(float8send(x), 'hex') as raw
         from (select 'infinity'::float8 - 'infinity'::float8 union all select 'NaN'::float8
           union all select -0.0::float8 union all select 0::float8 * -1) v (x)`,
      ),
    );
    expect(new Set(found.map(({ raw }) => raw)).size).toBeGreaterThan(2);
    const expected = ['NaN', 'NaN', '0', '-0'].map((x) => rowHash(column, [x]).toString('hex'));
    expect(found.map(({ hash }) => hash)).toEqual(expected);
  });
});

describe('figures in SQL', () => {
  const [first, second, third] = ['1970-01-01', '1970-01-02', '1970-01-03'] as const;

  async function sample(): Promise<Row[]> {
    const seed = 20110104;
    return store(fc.sample(row, { numRuns: 150, seed }));
  }

  it('give each partition its rows, buckets, root and aggregates in one statement', async () => {
    const exported = await sample();
    const figures = await rows<Record<string, unknown> & { part: string }>(
      t.db,
      sql.raw(
        `select (partition at time zone 'UTC')::date::text as part, rows, bucket_rows,
           encode(root, 'hex') as root, encode(${rootOfBucketHashesSql('bucket_hashes')}, 'hex') as again,
           s_int::text, s_count, s_min::text, s_max::text
         from (${partitionFiguresSql({
           ...ofAll,
           partitionSql: 'r.part',
           aggregates: [
             { name: 's_int', fn: 'sum', argSql: 'r."Integer ""q"""' },
             { name: 's_count', fn: 'count', argSql: null, filterSql: 'r."bool"' },
             { name: 's_min', fn: 'min', argSql: 'r."big int"' },
             { name: 's_max', fn: 'max', argSql: 'r."date"' },
           ],
         })}) x order by 1`,
      ),
    );
    const plain = await rows<Record<string, unknown>>(
      t.db,
      sql.raw(
        `select (part at time zone 'UTC')::date::text as part, count(*) as rows,
           sum("Integer ""q""")::text as s_int, count(*) filter (where "bool") as s_count,
           min("big int")::text as s_min, max("date")::text as s_max
         from public.r group by 1 order by 1`,
      ),
    );
    expect(figures.map(({ part }) => part)).toEqual([first, second, third]);
    for (const [i, line] of figures.entries()) {
      const expected = builderOf(exported.filter((_, n) => n % 3 === i));
      expect(line).toMatchObject(plain[i] ?? {});
      expect(`sha256:${line.root}`).toBe(expected.root);
      expect(line.again).toBe(line.root);
      const bucketRows = (line.bucket_rows as unknown[]).map(Number);
      expect(bucketRows).toEqual(expected.buckets.map((bucket) => bucket.rows));
    }
  });

  it('give the touched bucket alone', async () => {
    const expected = builderOf(await sample());
    const touched = expected.buckets.findIndex((bucket) => bucket.rows > 1);
    const where = `${bucketSql('r._key')} = ${touched}`;
    const found = await rows<{ bucket: number; rows: string; hash: string }>(
      t.db,
      sql.raw(
        `select bucket, rows, encode(hash, 'hex') as hash from (${bucketFiguresSql({ ...ofAll, where })}) x`,
      ),
    );
    const { rows: count, hash } = expected.buckets[touched] ?? { rows: 0, hash: Buffer.alloc(0) };
    expect(found.map((line) => ({ ...line, rows: Number(line.rows) }))).toEqual([
      { bucket: touched, rows: count, hash: hash.toString('hex') },
    ]);
  });

  it('give the fixed root where there is no row', async () => {
    await t.db.execute(sql`truncate public.r`);
    const found = await one<{ root: string; rows: string; s: string | null; c: string }>(
      t.db,
      sql.raw(
        `select encode(root, 'hex') as root, rows, s, c from (${partitionFiguresSql({
          ...ofAll,
          aggregates: [
            { name: 's', fn: 'sum', argSql: 'r."big int"' },
            { name: 'c', fn: 'count', argSql: 'r."big int"' },
          ],
        })}) x`,
      ),
    );
    expect(found.root).toBe(EMPTY_PARTITION_ROOT.slice(7));
    expect([Number(found.rows), found.s, Number(found.c)]).toEqual([0, null, 0]);
    expect(formatDigest(Buffer.from(found.root, 'hex'))).toBe(EMPTY_PARTITION_ROOT);
  });

  it('refuse an aggregate under one of their own names', () => {
    const aggregates = [{ name: 'rows', fn: 'count', argSql: null } as const];
    expect(() => partitionFiguresSql({ ...ofAll, aggregates })).toThrow(RangeError);
  });
});
