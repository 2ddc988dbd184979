import { civilOf, dateText, epochDayOf, isCivilDate } from './civil-date';
import { type Column, type ColumnType, columnTypeOf } from './column';
import {
  type Decimal,
  decimalText,
  integerDigits,
  readDecimal,
  shortest,
  withScale,
} from './decimal';
import { readInstant } from './instant';
import { isObject, type Json, quoted } from './json';
import type { Read } from './refusal';

/** A value of a column in the one form in which it is stored and digested, or why it is none. */
export type ValueRead = Read<Json>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const INTEGER = /^[+-]?\d{1,40}$/;
const NUL_OR_LONE_SURROGATE = /\0|\p{Surrogate}/u;
const MOST_DEPTH = 64;
const INT4 = { min: -(2n ** 31n), max: 2n ** 31n - 1n };
const INT8 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

const refuse = (why: string): ValueRead => ({
  ok: false,
  code: 'INVALID_INPUT',
  message: `${why}.`,
});
const accept = (value: Json): ValueRead => ({ ok: true, value });

/**
 * Reads a JSON value as a value of a column. Canonical forms: integers as numbers, bigint and
 * numeric as exact texts (numeric(p,s) with exactly s decimals, as PostgreSQL prints it; plain
 * numeric without trailing zeros), instants and dates as canonical texts, uuid in small letters,
 * double precision as a number or `NaN`, `Infinity`, `-Infinity`. Equal values get equal forms
 * however they were spelt. Nothing is rounded, cut or guessed; what would be is refused.
 */
export function validateValue(
  column: Pick<Column, 'type' | 'nullable'>,
  value: unknown,
): ValueRead {
  if (value === null || value === undefined) {
    return column.nullable ? accept(null) : refuse('it may not be NULL');
  }
  return validateTyped(columnTypeOf(column.type), value);
}

/** As `validateValue`, for a value that is not NULL and a type that is parsed already. */
export function validateTyped(type: ColumnType, value: unknown): ValueRead {
  switch (type.base) {
    case 'text':
      return readText(value);
    case 'integer':
      return readWhole(value, INT4, 'integer', Number);
    case 'bigint':
      return readWhole(value, INT8, 'bigint', String);
    case 'numeric':
      return readNumeric(value, type.precision, type.scale);
    case 'double precision':
      return readDouble(value);
    case 'boolean':
      return readBoolean(value);
    case 'date':
      return readDate(value);
    case 'timestamptz':
      return readInstant(value);
    case 'uuid': {
      const text = typeof value === 'string' ? value.toLowerCase() : '';
      return UUID.test(text) ? accept(text) : refuse(`${quoted(value)} is not a uuid`);
    }
    case 'jsonb':
      return readJson(value, 0);
  }
}

function readText(value: unknown): ValueRead {
  if (typeof value !== 'string') return refuse(`${quoted(value)} is not a text`);
  return NUL_OR_LONE_SURROGATE.test(value)
    ? refuse('a text holds no NUL and no half of a surrogate pair: PostgreSQL cannot store them')
    : accept(value);
}

function readWhole(
  value: unknown,
  { min, max }: { min: bigint; max: bigint },
  name: string,
  out: (value: bigint) => number | string,
): ValueRead {
  let whole: bigint;
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return refuse(`${quoted(value)} is not a whole number`);
    if (!Number.isSafeInteger(value)) return refuse(beyondExact(value));
    whole = BigInt(value);
  } else if (typeof value === 'string' && INTEGER.test(value)) {
    whole = BigInt(value.replace(/^\+/, ''));
  } else {
    return refuse(`${quoted(value)} is not a whole number`);
  }
  if (whole < min || whole > max) return refuse(`${quoted(value)} does not fit into ${name}`);
  return accept(out(whole));
}

function beyondExact(value: number): string {
  return `${value} is beyond what a JSON number holds exactly (2^53); send it as a string`;
}

function readNumeric(value: unknown, precision: number | null, scale: number | null): ValueRead {
  if (value === 'NaN') return accept('NaN');
  const decimal = numericOf(value);
  if (typeof decimal === 'string') return refuse(decimal);
  const short = shortest(decimal);
  if (precision === null || scale === null) return accept(decimalText(short));
  const scaled = withScale(short, scale);
  if (scaled === null) {
    return refuse(`${quoted(value)} has more than ${scale} decimals; nothing is rounded here`);
  }
  if (integerDigits(short) > precision - scale) {
    return refuse(`${quoted(value)} does not fit into numeric(${precision},${scale})`);
  }
  return accept(decimalText(scaled));
}

/**
 * A JSON number has been through a double before we see it. A whole number within 2^53, and a
 * fraction of at most 15 significant digits, came through unchanged; of others nobody knows.
 */
function numericOf(value: unknown): Decimal | string {
  if (typeof value === 'string') {
    return readDecimal(value) ?? `${quoted(value)} is not a decimal number`;
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return `${quoted(value)} is not a decimal number`;
  }
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return beyondExact(value);
  const decimal = readDecimal(String(value));
  if (decimal === null) return `${quoted(value)} is not a decimal number`;
  const digits = String(decimal.digits).replace('-', '').length;
  if (!Number.isInteger(value) && digits > 15) {
    return `${value} has more digits than a JSON number holds exactly; send it as a string`;
  }
  return decimal;
}

function readDouble(value: unknown): ValueRead {
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return accept(value);
  const number = typeof value === 'string' && readDecimal(value) !== null ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    return refuse(`${quoted(value)} is not a double precision number`);
  }
  return accept(number === 0 ? 0 : number);
}

function readBoolean(value: unknown): ValueRead {
  if (value === true || value === 'true') return accept(true);
  if (value === false || value === 'false') return accept(false);
  return refuse(`${quoted(value)} is neither true nor false`);
}

function readDate(value: unknown): ValueRead {
  const match = typeof value === 'string' ? DATE.exec(value) : null;
  if (match === null) return refuse(`${quoted(value)} is not a date; write it as 2011-01-04`);
  const date = { year: Number(match[1]), month: Number(match[2]), day: Number(match[3]) };
  if (!isCivilDate(date)) return refuse(`${quoted(value)} is a day that does not exist`);
  return accept(dateText(civilOf(epochDayOf(date))));
}

function readJson(value: unknown, depth: number): ValueRead {
  if (depth > MOST_DEPTH) return refuse(`it is nested deeper than ${MOST_DEPTH}`);
  if (value === null || typeof value === 'boolean') return accept(value);
  if (typeof value === 'string') return readText(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return refuse(`${quoted(value)} is not JSON`);
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) return refuse(beyondExact(value));
    return accept(value === 0 ? 0 : value);
  }
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) {
      const read = readJson(item, depth + 1);
      if (!read.ok) return read;
      items.push(read.value);
    }
    return accept(items);
  }
  if (!isObject(value)) return refuse(`${quoted(value)} is not JSON`);
  const entries: [string, Json][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const name = readText(key);
    if (!name.ok) return name;
    const read = readJson(inner, depth + 1);
    if (!read.ok) return read;
    entries.push([key, read.value]);
  }
  // fromEntries defines own properties: a key __proto__ stays data.
  return accept(Object.fromEntries(entries));
}

/**
 * The text of a canonical value: what a key is made of. As PostgreSQL prints the value, with
 * instants in our canonical form.
 */
export function textOf(value: Exclude<Json, null>): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
}
