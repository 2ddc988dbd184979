import { sql } from 'drizzle-orm';
import { bigint, customType, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, array, json, maybeOne, one, rows } from '@/lib/db/client';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
});
afterAll(() => t.close());

describe('a session', () => {
  it.each([
    ['web', '15s', '10s'],
    ['runner', '30s', '10s'],
    ['tool', '0', '0'],
  ] as const)('of %s has its limits from the first statement on', async (role, statement, idle) => {
    const settings = await one(
      t.connect(role),
      sql`select
        current_setting('TimeZone') as zone,
        current_setting('transaction_isolation') as isolation,
        current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle,
        current_setting('application_name') as name`,
    );
    expect(settings).toEqual({
      zone: 'UTC',
      isolation: 'read committed',
      statement,
      idle,
      name: `interlock-${role}`,
    });
  });
});

describe('values read', () => {
  it('are exact text, but for small integers and floats', async () => {
    const row = await one(
      t.db,
      sql`select
        timestamptz '2011-01-04 00:00:00.123456+01' as instant,
        timestamptz '2011-01-04' as midnight,
        timestamptz 'infinity' as never,
        date '2011-01-04' as day,
        9007199254740993::bigint as big,
        1.10::numeric as amount,
        7 as small,
        'NaN'::float8 as nan,
        '{"a": [1, null]}'::jsonb as document,
        array[timestamptz '2011-01-04 UTC', null] as instants,
        array[1.10, 2]::numeric[] as amounts,
        array[date '2011-01-04'] as days,
        array[9007199254740993]::bigint[] as offsets,
        array['a,b', 'NULL', null, '"', '\\'] as texts`,
    );
    expect(row).toEqual({
      instant: '2011-01-03T23:00:00.123456Z',
      midnight: '2011-01-04T00:00:00Z',
      never: 'infinity',
      day: '2011-01-04',
      big: '9007199254740993',
      amount: '1.10',
      small: 7,
      nan: Number.NaN,
      document: { a: [1, null] },
      instants: ['2011-01-04T00:00:00Z', null],
      amounts: ['1.10', '2'],
      days: ['2011-01-04'],
      offsets: ['9007199254740993'],
      texts: ['a,b', 'NULL', null, '"', '\\'],
    });
  });

  it('are given back as instants without loss', async () => {
    const instant = '2011-01-04T00:00:00.000001Z';
    expect(await one(t.db, sql`select ${instant}::timestamptz as at`)).toEqual({ at: instant });
  });
});

describe('array', () => {
  const awkward = ['', ' ', 'a,b', '{}', '"', '\\', '\\"', 'NULL', 'null', 'é\n\t€😀', null];

  it('binds any text as one parameter', async () => {
    const { back } = await one<{ back: string[] }>(
      t.db,
      sql`select ${array(awkward, 'text')} as back`,
    );
    expect(back).toEqual(awkward);
  });

  it('binds the empty array', async () => {
    expect(await one(t.db, sql`select cardinality(${array([], 'bigint')}) as n`)).toEqual({ n: 0 });
  });

  it('binds 64-bit integers, numerics, instants, booleans and documents', async () => {
    const row = await one(
      t.db,
      sql`select
        ${array(['9007199254740993', 5n, 7], 'bigint')} as offsets,
        ${array(['1.10', 'NaN'], 'numeric')} as amounts,
        ${array(['2011-01-04T00:00:00Z'], 'timestamptz')} as instants,
        ${array([true, false, null], 'boolean')} as flags,
        ${array(['{"a":"\\"}"}', 'null'], 'jsonb')} as documents`,
    );
    expect(row).toEqual({
      offsets: ['9007199254740993', '5', '7'],
      amounts: ['1.10', 'NaN'],
      instants: ['2011-01-04T00:00:00Z'],
      flags: [true, false, null],
      documents: [{ a: '"}' }, null],
    });
  });

  it('unnests beside another', async () => {
    const found = await rows(
      t.db,
      sql`select k, o from unnest(${array(['a', 'b'], 'text')}, ${array([1, 2], 'bigint')}) u(k, o)`,
    );
    expect(found).toEqual([
      { k: 'a', o: '1' },
      { k: 'b', o: '2' },
    ]);
  });
});

describe('json', () => {
  it.each([[{ a: { b: [1, 'x', null, true] }, é: '"\\' }], ['text'], [null], [[]], [12]])(
    'arrives as the document %j, not as text of it',
    async (value) => {
      const row = await one(
        t.db,
        sql`select d, jsonb_typeof(d) as type from (select ${json(value)} as d) s`,
      );
      const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
      expect(row).toEqual({ d: value, type });
    },
  );

  it('refuses what JSON cannot say', () => {
    expect(() => json(undefined)).toThrow(TypeError);
  });
});

describe('the Drizzle builder', () => {
  const offsets = customType<{ data: string[] }>({ dataType: () => 'bigint[]' });
  const sample = pgTable('sample', {
    id: text().primaryKey(),
    roles: text().array().notNull(),
    at: offsets().notNull(),
    document: jsonb().notNull(),
    size: bigint({ mode: 'bigint' }),
  });

  it('writes and reads arrays, documents and 64-bit integers', async () => {
    await affected(
      t.db,
      sql`create table sample (id text primary key, roles text[], at bigint[], document jsonb, size bigint)`,
    );
    const row = {
      id: 'a',
      roles: ['x,"y"', ''],
      at: ['9007199254740993', '0'],
      document: { a: [1] },
      size: 9007199254740993n,
    };
    await t.db.insert(sample).values(row);
    await t.db.insert(sample).values({ ...row, id: 'b', roles: [], at: [] });
    expect(await t.db.select().from(sample).orderBy(sample.id)).toEqual([
      row,
      { ...row, id: 'b', roles: [], at: [] },
    ]);
  });
});

describe('rows, one, maybeOne, affected', () => {
  it('count what they find', async () => {
    expect(await rows(t.db, sql`select 1 as n where false`)).toEqual([]);
    expect(await maybeOne(t.db, sql`select 1 as n where false`)).toBeNull();
    expect(await maybeOne(t.db, sql`select 1 as n`)).toEqual({ n: 1 });
    await expect(one(t.db, sql`select 1 as n where false`)).rejects.toThrow(/expected one row/);
    await expect(maybeOne(t.db, sql`select generate_series(1, 2)`)).rejects.toThrow(/got 2/);
    await affected(t.db, sql`create table counted as select generate_series(1, 3) as n`);
    expect(await affected(t.db, sql`delete from counted where n > 1`)).toBe(2);
  });
});
