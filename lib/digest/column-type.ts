/** The column types of sources and datasets, without their modifiers. */
export const BASE_TYPES = [
  'text',
  'integer',
  'bigint',
  'numeric',
  'double precision',
  'boolean',
  'date',
  'timestamptz',
  'uuid',
  'jsonb',
] as const;

export type BaseType = (typeof BASE_TYPES)[number];

/** A declared column as far as encoding and type checks need it; `type` as declared. */
export interface TypedColumn {
  readonly name: string;
  readonly type: string;
}

const NUMERIC = /^numeric\(\s*\d{1,4}\s*(,\s*-?\d{1,4}\s*)?\)$/;

/** The base of a declared type: `numeric(14,2)` is `numeric`. Throws on a type that is not ours. */
export function baseType(declared: string): BaseType {
  const type = NUMERIC.test(declared) ? 'numeric' : declared;
  const base = BASE_TYPES.find((candidate) => candidate === type);
  if (base === undefined) throw new RangeError(`not a column type: ${JSON.stringify(declared)}`);
  return base;
}
