import * as z from 'zod';
import { quoted } from './json';
import { columnNameSchema } from './names';
import type { Read } from './refusal';
import { textSchema } from './zod-issues';

/** Column types are PostgreSQL's own, by one spelling each. */
export type ColumnType =
  | { base: 'numeric'; precision: number | null; scale: number | null }
  | {
      base:
        | 'text'
        | 'integer'
        | 'bigint'
        | 'double precision'
        | 'boolean'
        | 'date'
        | 'timestamptz'
        | 'uuid'
        | 'jsonb';
    };

export type BaseType = ColumnType['base'];

const SPELLINGS: Record<string, Exclude<BaseType, 'numeric'>> = {
  text: 'text',
  integer: 'integer',
  int: 'integer',
  int4: 'integer',
  bigint: 'bigint',
  int8: 'bigint',
  'double precision': 'double precision',
  float8: 'double precision',
  boolean: 'boolean',
  bool: 'boolean',
  date: 'date',
  timestamptz: 'timestamptz',
  'timestamp with time zone': 'timestamptz',
  uuid: 'uuid',
  jsonb: 'jsonb',
};

const NUMERIC = /^(?:numeric|decimal)(?: ?\( ?(\d{1,4}) ?(?:, ?(\d{1,4}) ?)?\))?$/;
/** PostgreSQL's bound of a declared precision. */
const MOST_PRECISION = 1000;

/** Reads a type's text (`numeric(14, 2)`, `int8`); null if it is none of ours. */
export function readColumnType(text: string): ColumnType | null {
  const plain = text.trim().toLowerCase().replace(/\s+/g, ' ');
  if (Object.hasOwn(SPELLINGS, plain)) {
    return { base: SPELLINGS[plain] as Exclude<BaseType, 'numeric'> };
  }
  const match = NUMERIC.exec(plain);
  if (match === null) return null;
  if (match[1] === undefined) return { base: 'numeric', precision: null, scale: null };
  const precision = Number(match[1]);
  const scale = Number(match[2] ?? '0');
  if (precision < 1 || precision > MOST_PRECISION || scale > precision) return null;
  return { base: 'numeric', precision, scale };
}

/** The one spelling of a type: `numeric(14,2)`, `double precision`. */
export function columnTypeText(type: ColumnType): string {
  if (type.base !== 'numeric' || type.precision === null) return type.base;
  return `numeric(${type.precision},${type.scale})`;
}

/** A type from its text in canonical spelling, as it is stored. Throws where it is none. */
export function columnTypeOf(text: string): ColumnType {
  const type = readColumnType(text);
  if (type === null) throw new RangeError(`not a column type: ${text}`);
  return type;
}

const columnTypeSchema = textSchema(
  (text): Read<string> => {
    const type = readColumnType(text);
    if (type !== null) return { ok: true, value: columnTypeText(type) };
    return {
      ok: false,
      code: 'INVALID_INPUT',
      message: `${quoted(text)} is not a column type; they are text, integer, bigint, numeric, numeric(p,s), double precision, boolean, date, timestamptz, uuid and jsonb.`,
    };
  },
  { description: 'a PostgreSQL type', examples: ['text', 'numeric(14,2)', 'timestamptz'] },
);

/** A column as it is declared; `nullable` left out means nullable, except in a key or a time. */
const declaredColumn = z.strictObject({
  name: columnNameSchema,
  type: columnTypeSchema,
  nullable: z.boolean().optional(),
});

/** A column in canonical form: `type` in its one spelling. */
export type Column = { name: string; type: string; nullable: boolean };

/** PostgreSQL holds 1600 columns at most; a row of ours has a few of its own beside them. */
const MOST_COLUMNS = 500;

export const columnListSchema = z
  .array(declaredColumn)
  .min(1)
  .max(MOST_COLUMNS)
  .check((ctx) => {
    const seen = new Set<string>();
    ctx.value.forEach((column, index) => {
      if (seen.has(column.name)) {
        ctx.issues.push({
          code: 'custom',
          message: `There are two columns ${quoted(column.name)}.`,
          input: column.name,
          path: [index, 'name'],
        });
      }
      seen.add(column.name);
    });
  });

export type DeclaredColumn = z.output<typeof declaredColumn>;

/** Types that may be part of a key: those whose equal values have one text. */
const KEY_TYPES: ReadonlySet<BaseType> = new Set([
  'text',
  'integer',
  'bigint',
  'numeric',
  'boolean',
  'date',
  'timestamptz',
  'uuid',
]);

export function isKeyType(type: string): boolean {
  return KEY_TYPES.has(columnTypeOf(type).base);
}

type Fault = { path: PropertyKey[]; message: string };

/**
 * Checks that the named columns exist and can be what they are named for. Key columns: one to
 * eight different ones of a type with one text per value. A time column: `timestamptz`.
 */
export function columnFaults(
  columns: readonly DeclaredColumn[],
  key: readonly string[],
  time: { field: string; name: string } | null,
): Fault[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const faults: Fault[] = [];
  key.forEach((name, index) => {
    const column = byName.get(name);
    const path = ['key', index];
    if (column === undefined) {
      faults.push({ path, message: `There is no column ${quoted(name)}.` });
    } else if (!isKeyType(column.type)) {
      faults.push({ path, message: `A key cannot hold a column of type ${column.type}.` });
    } else if (column.nullable === true) {
      faults.push({ path, message: `${name} is part of the key and so never NULL.` });
    } else if (key.indexOf(name) !== index) {
      faults.push({ path, message: `${name} stands twice in the key.` });
    }
  });
  if (time !== null) {
    const column = byName.get(time.name);
    if (column === undefined) {
      faults.push({ path: [time.field], message: `There is no column ${quoted(time.name)}.` });
    } else if (column.type !== 'timestamptz') {
      faults.push({
        path: [time.field],
        message: `${time.name} is ${column.type}; a time is timestamptz.`,
      });
    }
  }
  return faults;
}

/** The list with every `nullable` decided: false for the named ones, else as declared or true. */
export function decideNullable(
  columns: readonly DeclaredColumn[],
  never: readonly string[],
): Column[] {
  return columns.map(({ name, type, nullable }) => ({
    name,
    type,
    nullable: never.includes(name) ? false : (nullable ?? true),
  }));
}
