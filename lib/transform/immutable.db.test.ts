import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rows } from '@/lib/db/client';
import { pgError } from '@/lib/db/pg-error';
import { ident } from '@/lib/digest/row-encoding-sql';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { ACCEPTED, SOURCE_COLUMNS } from '@/lib/transform/accepted.fixture';
import { castRefusal } from '@/lib/transform/cast';
import { resultOf } from '@/lib/transform/function-catalog';
import { SIGNATURES } from '@/lib/transform/function-signatures';
import { loadGrammar } from '@/lib/transform/grammar';
import { binary, prefix } from '@/lib/transform/operator';
import { checkTransform } from '@/lib/transform/parse';
import { typed, type ValueType } from '@/lib/transform/value-type';

/*
 * Our rules about what is immutable, held against PostgreSQL's own. An index on an expression is
 * the judge: PostgreSQL makes it only if everything that the expression calls is immutable.
 */

const TYPES: readonly ValueType[] = [
  'text',
  'integer',
  'bigint',
  'numeric',
  'double precision',
  'boolean',
  'date',
  'timestamp',
  'timestamptz',
  'time',
  'interval',
  'uuid',
  'jsonb',
  'bytea',
  'text[]',
  'integer[]',
];

let t: TestDatabase;

beforeAll(async () => {
  t = await testDatabase();
  await loadGrammar();
  const columns = TYPES.map((type) => `${ident(type)} ${type}`);
  await t.db.execute(sql.raw(`create table public.of_type (${columns.join(', ')})`));
  const source = SOURCE_COLUMNS.map(({ name, type }) => `${ident(name)} ${type}`);
  await t.db.execute(sql.raw(`create table public.source (${source.join(', ')})`));
});

afterAll(() => t.close());

interface Verdict {
  /** PostgreSQL's name of the expression's type; null where it knows no such expression. */
  readonly type: string | null;
  readonly immutable: boolean;
}

class Undo extends Error {}

/** What PostgreSQL says of an expression over a table; nothing of it stays. */
async function judge(expression: string, table: string): Promise<Verdict> {
  let type: string | null = null;
  let immutable = false;
  const undone = t.db.transaction(async (tx) => {
    await tx.execute(
      sql.raw(`create view public.v as select (${expression}) as x from public.${table}`),
    );
    const [found] = await rows<{ type: string }>(
      tx,
      sql`select atttypid::regtype::text as type from pg_attribute
          where attrelid = 'public.v'::regclass and attname = 'x'`,
    );
    type = found?.type ?? null;
    await tx.execute(sql.raw(`create index on public.${table} (((${expression}) is null))`));
    immutable = true;
    throw new Undo();
  });
  await undone.catch((error) => {
    const isExpected = error instanceof Undo || pgError(error) !== null;
    if (!isExpected) throw error;
  });
  return { type, immutable };
}

const POSTGRES_NAMES: Readonly<Record<string, ValueType>> = {
  'timestamp with time zone': 'timestamptz',
  'timestamp without time zone': 'timestamp',
  'time without time zone': 'time',
  'character varying': 'text',
};

function ourName(type: string | null): string | null {
  return type === null ? null : (POSTGRES_NAMES[type] ?? type);
}

/** Functions that PostgreSQL calls stable only for the sake of what we fix. */
const FIXED: Readonly<Record<string, string>> = {
  date_trunc: 'a zone by name asks no table of abbreviations',
  date_add: 'likewise',
  date_subtract: 'likewise',
  timezone: 'likewise',
  make_timestamptz: 'likewise',
  date_part: 'the epoch has no zone',
  extract: 'likewise',
  to_timestamp: 'the format has the offset, and no names of a locale',
  to_date: 'the format has no names of a locale',
  concat: 'the text of the types that we take depends on nothing',
  concat_ws: 'likewise',
  array_to_string: 'likewise',
  to_jsonb: 'likewise',
  jsonb_build_array: 'likewise',
  jsonb_build_object: 'likewise',
  convert_to: 'a conversion that is not made: the database holds UTF-8',
  convert_from: 'likewise',
};

describe('the function catalogue', () => {
  const tokens: Readonly<Record<string, string>> = {
    double: operand('double precision'),
    array: operand('text[]'),
    '#count': '3',
    '#zone': "'Europe/London'",
    "'zone'": "'Europe/London'",
    "'utf8'": "'UTF8'",
    "'epoch'": "'epoch'",
    "'path'": "'$.a'",
    "'format'": "'YYYY-MM-DD'",
    "'offsetFormat'": "'YYYY-MM-DD TZH'",
    '~': operand('text'),
    '?': operand('date'),
  };
  const listed = SIGNATURES.trim()
    .split('\n')
    .map((line) => {
      const [, name = '', list = '', result = ''] = /^(\w+)\((.*)\) (\S+)$/.exec(line) ?? [];
      const parameters = list.split(',').filter((token) => token !== '' && token !== '...');
      const args = parameters.map((token) => tokens[token] ?? operand(token as ValueType));
      const types = parameters.map((token) => (token === 'double' ? 'double precision' : token));
      const yields = result === 'double' ? 'double precision' : result;
      return { name, types, yields, call: `pg_catalog.${name}(${args.join(', ')})` };
    });

  it('has only functions that PostgreSQL calls immutable, and those that we fix', async () => {
    const wrong: string[] = [];
    const stable = new Set<string>();
    for (const { name, call, yields } of listed) {
      const { type, immutable } = await judge(call, 'of_type');
      if (ourName(type) !== yields) wrong.push(`${call}: ${type}, not ${yields}`);
      if (!immutable) stable.add(name);
    }
    expect(wrong).toEqual([]);
    expect([...stable].filter((name) => !Object.hasOwn(FIXED, name))).toEqual([]);
  });

  it('infers the type that PostgreSQL infers, whatever numbers and literals are mixed', async () => {
    const kinds: readonly ValueType[] = ['integer', 'bigint', 'numeric', 'double precision'];
    const numeric = listed.filter(({ types }) => types.length > 0 && types.every(isNumeric));
    const names = [...new Set(numeric.map(({ name }) => name))];
    const wrong: string[] = [];
    let compared = 0;
    for (const name of names) {
      const lengths = numeric.filter((each) => each.name === name).map(({ types }) => types.length);
      for (const length of new Set(lengths.filter((count) => count <= 2))) {
        for (const types of combinations(kinds, length)) {
          const ours = resultOf(
            name,
            types.map((type) => ({ ...typed(type, 0), number: null })),
          );
          if (ours === null) continue;
          const call = `${name}(${types.map(ident).join(', ')})`;
          const { type, immutable } = await judge(call, 'of_type');
          compared += 1;
          if (ourName(type) !== ours || !immutable) wrong.push(`${call}: ${type}, not ${ours}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(100);
  });

  function isNumeric(type: string): boolean {
    return ['integer', 'bigint', 'numeric', 'double precision'].includes(type);
  }
});

function combinations<T>(values: readonly T[], length: number): T[][] {
  if (length === 0) return [[]];
  return combinations(values, length - 1).flatMap((rest) =>
    values.map((value) => [...rest, value]),
  );
}

/** A value of a type: a column of the table, or a literal without a type. */
function operand(type: ValueType): string {
  return type === 'unknown' ? 'null' : `of_type.${ident(type)}`;
}

describe('operators', () => {
  it('that we allow are immutable, and yield the type that we say', async () => {
    const operators =
      '= <> < <= > >= + - * / % ^ & | # << >> || ~ ~* !~ !~* ~~ !~~ ~~* !~~* ^@ -> ->> #> #>> ? ?| ?& @> <@ #-';
    const wrong: string[] = [];
    let allowed = 0;
    for (const operator of operators.split(' ')) {
      for (const [left, right] of combinations([...TYPES, 'unknown'] as ValueType[], 2)) {
        if (left === undefined || right === undefined) continue;
        const ours = binary(operator, typed(left, 0), typed(right, 0));
        if (!('type' in ours)) continue;
        const expression = `${operand(left)} operator(pg_catalog.${operator}) ${operand(right)}`;
        const { type, immutable } = await judge(expression, 'of_type');
        // What PostgreSQL does not know at all it refuses itself; nothing of it can run.
        if (type === null) continue;
        allowed += 1;
        if (ourName(type) !== ours.type) wrong.push(`${expression}: ${type}, not ${ours.type}`);
        else if (!immutable && !isStableConcatenation(operator))
          wrong.push(`${expression}: stable`);
      }
    }
    expect(wrong).toEqual([]);
    expect(allowed).toBeGreaterThan(200);
  });

  /** `text || integer` is stable for the sake of other types; ours have a fixed text. */
  function isStableConcatenation(operator: string): boolean {
    return operator === '||';
  }

  it('before a value likewise', async () => {
    const wrong: string[] = [];
    for (const operator of ['+', '-', '@', '|/', '||/', '~']) {
      for (const type of TYPES) {
        const ours = prefix(operator, typed(type, 0));
        if (!('type' in ours)) continue;
        const expression = `operator(pg_catalog.${operator}) ${operand(type)}`;
        const verdict = await judge(expression, 'of_type');
        if (ourName(verdict.type) !== ours.type || !verdict.immutable) wrong.push(expression);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('casts', () => {
  it('that we allow are immutable', async () => {
    const wrong: string[] = [];
    let allowed = 0;
    for (const [from, to] of combinations(TYPES, 2)) {
      if (from === undefined || to === undefined || castRefusal(from, to) !== null) continue;
      const { type, immutable } = await judge(`${operand(from)}::${to}`, 'of_type');
      allowed += 1;
      if (type === null || !immutable) wrong.push(`${from} to ${to}`);
    }
    expect(wrong).toEqual([]);
    expect(allowed).toBeGreaterThan(50);
  });
});

describe('accepted expressions', () => {
  /** Stable to PostgreSQL, and fixed by the literals that they hold. */
  const excused = [
    /^date_trunc\('day', invoiced_at, 'Europe\/London'\)$/,
    /^make_timestamptz\(/,
    /^extract\(epoch/,
    /^to_(date|timestamp)\(payload/,
    /^invoiced_at [+-] interval/,
    /^concat\(/,
    /^jsonb_build_object\(/,
    /^lower\(country\) \|\| '-' \|\| quantity$/,
    /^encode\(sha256\(convert_to/,
  ];

  it('have the type that PostgreSQL infers, and are immutable unless a literal fixes them', async () => {
    const wrong: string[] = [];
    for (const { sql: expression, type } of ACCEPTED) {
      const verdict = await judge(expression, 'source');
      if (ourName(verdict.type) !== type) wrong.push(`${expression}: ${verdict.type}`);
      const isExcused = excused.some((pattern) => pattern.test(expression));
      if (!verdict.immutable && !isExcused) wrong.push(`${expression}: stable`);
    }
    expect(wrong).toEqual([]);
  });

  it('compute the same rows under any session settings', async () => {
    await t.db.execute(sql`
      insert into public.source values
        ('a', '2011-03-27 00:30:00.123456+00', '2011-03-27', 'United Kingdom, GB', 7, 8, 12.5,
         0.1, true, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
         '{"a": {"b": 1}, "n": 3, "items": [1], "d": "2011-01-04", "t": "2011-01-04T00:00:00+01:00"}',
         'x'),
        ('b', null, null, null, null, null, null, null, null, null, null, null)`);
    const one = ACCEPTED.filter(({ sql: expression }) => !/country::numeric/.test(expression));
    const list = one.map(({ sql: expression }, i) => `(${expression}) as c${i}`).join(', ');
    const table = (name: string) =>
      `create table public.${name} as select line, ${list} from public.source`;
    await t.db.execute(sql.raw(table('plain')));
    const odd = t.connect('tool', 1);
    const settings: readonly Record<string, string>[] = [
      { TimeZone: 'Asia/Kathmandu', DateStyle: 'SQL, DMY', IntervalStyle: 'sql_standard' },
      { TimeZone: 'Europe/Dublin', DateStyle: 'German, DMY', IntervalStyle: 'postgres_verbose' },
      { TimeZone: 'America/St_Johns', DateStyle: 'Postgres, MDY', extra_float_digits: '-15' },
    ];
    for (const [i, setting] of settings.entries()) {
      for (const [name, value] of Object.entries({ ...setting, bytea_output: 'escape' })) {
        await odd.execute(sql`select set_config(${name}, ${value}, false)`);
      }
      await odd.execute(sql.raw(table(`odd_${i}`)));
      const differing = await rows<{ line: string; column: string }>(
        t.db,
        sql.raw(
          `select p.line, p.key as column from
             (select line, (jsonb_each_text(to_jsonb(x))).* from public.plain x) p
             join (select line, (jsonb_each_text(to_jsonb(x))).* from public.odd_${i} x) o
               on o.line = p.line and o.key = p.key
           where p.value is distinct from o.value`,
        ),
      );
      const named = differing.map(({ column }) => one[Number(column.slice(1))]?.sql);
      expect(named).toEqual([]);
    }
  });

  it('are accepted by the check', async () => {
    const target = SOURCE_COLUMNS.filter(({ name }) => name === 'line');
    const list = ACCEPTED.map(({ sql: expression }, i) => `(${expression}) as c${i}`).join(', ');
    const check = await checkTransform(`select line from (select line, ${list} from source) s`, {
      sourceColumns: SOURCE_COLUMNS,
      targetColumns: target,
      businessTime: 'line',
    });
    expect(check).toMatchObject({ ok: true });
  });
});
