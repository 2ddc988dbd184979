import { type BaseType, baseType } from '@/lib/digest/column-type';

type Scalar = BaseType | 'timestamp' | 'time' | 'interval' | 'bytea';

/**
 * What an expression yields, as far as it decides whether the expression is deterministic.
 * `unknown` is a bare string literal or NULL, whose type PostgreSQL takes from its surroundings;
 * `error` has been reported and silences what follows from it.
 */
export type ValueType = Scalar | `${Scalar}[]` | 'unknown' | 'error';

export interface Typed {
  readonly type: ValueType;
  /** The text of a string literal, bare or written as interval; null for everything else. */
  readonly literal: string | null;
  /** Byte offset, where the node has one. */
  readonly at: number | undefined;
}

export function typed(type: ValueType, at: number | undefined): Typed {
  return { type, literal: null, at };
}

const NUMBERS: readonly ValueType[] = ['integer', 'bigint', 'numeric', 'double precision'];
const MOMENTS: readonly ValueType[] = ['date', 'timestamp', 'timestamptz', 'time', 'interval'];

export function isNumber(type: ValueType): boolean {
  return NUMBERS.includes(type);
}

/** Types whose text form, and whose literals, can depend on session settings or on the clock. */
export function isMoment(type: ValueType): boolean {
  return MOMENTS.includes(type);
}

export function isArray(type: ValueType): type is `${Scalar}[]` {
  return type.endsWith('[]');
}

export function elementOf(type: `${Scalar}[]`): Scalar {
  return type.slice(0, -2) as Scalar;
}

export function arrayOf(type: ValueType): ValueType {
  if (type === 'error' || isArray(type)) return 'error';
  return `${type === 'unknown' ? 'text' : type}[]`;
}

/** Of two number types the one that PostgreSQL computes in. */
export function widest(a: ValueType, b: ValueType): ValueType {
  return NUMBERS.indexOf(a) > NUMBERS.indexOf(b) ? a : b;
}

/** Whether PostgreSQL turns a value of type `from` into `to` by itself, among numbers. */
export function widens(from: ValueType, to: ValueType): boolean {
  return isNumber(from) && isNumber(to) && NUMBERS.indexOf(from) <= NUMBERS.indexOf(to);
}

/** The type of a declared column. */
export function columnValueType(declared: string): ValueType {
  return baseType(declared);
}

const TYPE_NAMES: Readonly<Record<string, Scalar>> = {
  text: 'text',
  varchar: 'text',
  bpchar: 'text',
  int2: 'integer',
  int4: 'integer',
  int8: 'bigint',
  numeric: 'numeric',
  float4: 'double precision',
  float8: 'double precision',
  bool: 'boolean',
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  time: 'time',
  interval: 'interval',
  uuid: 'uuid',
  jsonb: 'jsonb',
  bytea: 'bytea',
};

/** The type that a cast names, or null if casts to it are not allowed (`regclass`, `xml`, …). */
export function namedType(names: readonly string[]): Scalar | null {
  const name = names.length === 2 && names[0] === 'pg_catalog' ? names[1] : names[0];
  if (name === undefined || (names.length !== 1 && name !== names[1])) return null;
  return Object.hasOwn(TYPE_NAMES, name) ? (TYPE_NAMES[name] ?? null) : null;
}

/** The type as it is shown to people. */
export function typeLabel(type: ValueType): string {
  return type === 'unknown' ? 'a literal' : type;
}
