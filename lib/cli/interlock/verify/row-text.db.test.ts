import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonbText, keyText, valueTexts } from '@/lib/cli/interlock/verify/row-text';
import { one } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { keySql } from '@/lib/db/statements/evaluate';
import { rowHash } from '@/lib/digest/row-encoding';
import { rowHashSql } from '@/lib/digest/row-encoding-sql';
import { rowJson } from '@/lib/services/dataset/read-rows';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
});
afterAll(() => t.close());

/** Every column type with a value that has more than one spelling. */
const COLUMNS = [
  ['id', 'text', `'a"b\\c ü'`],
  ['n', 'integer', '-7'],
  ['big', 'bigint', '9007199254740993'],
  ['price', 'numeric(12,3)', '2.5'],
  ['exact', 'numeric', '100.00'],
  ['ratio', 'double precision', '0.1::float8 + 0.2::float8'],
  ['nan', 'double precision', `'NaN'`],
  ['yes', 'boolean', 'true'],
  ['day', 'date', `'2011-03-27'`],
  ['at', 'timestamptz', `'2011-03-27 02:30:00.120+01'`],
  ['uid', 'uuid', `'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'`],
  [
    'doc',
    'jsonb',
    `'{"bb": [1, 2.5, 1e3, null, "x\\u00e9\\n"], "a": {"z": true, "é": {}}, "": []}'`,
  ],
  ['nothing', 'text', 'null'],
] as const;

const columns = COLUMNS.map(([name, type]) => ({ name, type, nullable: true }));

async function exported() {
  const list = COLUMNS.map(([name, type, value]) => `(${value})::${type} as "${name}"`).join(', ');
  const texts = COLUMNS.map(([name]) => `x."${name}"::text`).join(', ');
  return one<{ values: (string | null)[]; hash: Buffer } & Record<string, unknown>>(
    t.db,
    sql.raw(`select array[${texts}] as values, ${rowHashSql(columns, 'x')} as hash,
      ${KEYS.map((key, i) => `${keySql({ columns, key } as never, 'x')} as key${i}`).join(', ')}
      from (select ${list}) x`),
  );
}

const KEYS = [
  ['id'],
  ['at'],
  ['exact'],
  ['yes'],
  ['uid'],
  ['n', 'id'],
  ['at', 'price', 'day', 'big'],
];

describe('a row as the API gives it', () => {
  it('has the same hash and the same keys here as in the database', async () => {
    const found = await exported();
    const row = JSON.parse(
      JSON.stringify(rowJson({ columns } as unknown as DatasetShape, found.values)),
    );
    expect(rowHash(columns, valueTexts(columns, row)).toString('hex')).toBe(
      Buffer.from(found.hash).toString('hex'),
    );
    for (const [i, key] of KEYS.entries()) {
      expect(keyText(columns, key, row)).toBe(found[`key${i}`]);
    }
  });

  it('writes jsonb as PostgreSQL does', async () => {
    const value = {
      long: 1,
      b: [],
      a: { é: 'ü"', e: 1e21, f: -1e-7 },
      '': null,
      zz: [true, [false]],
    };
    const { text } = await one<{ text: string }>(
      t.db,
      sql`select ${JSON.stringify(value)}::jsonb::text as text`,
    );
    expect(jsonbText(value)).toBe(text);
  });

  it('is refused where a column or a key is missing', () => {
    expect(() => valueTexts(columns, { id: 'a' })).toThrow(/no column n/);
    expect(() => keyText(columns, ['id'], { id: null })).toThrow(/no key id/);
  });
});
