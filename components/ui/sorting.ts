/** By which column a table is sorted, and whether from its largest down. */
export interface Sorting<Key extends string = string> {
  key: Key;
  down: boolean;
}

/** Reads a sorting as addresses carry it: `lag`, or `-lag` from the largest down. */
export function readSorting<Key extends string>(
  text: string | null | undefined,
  keys: readonly Key[],
): Sorting<Key> | null {
  const down = text?.startsWith('-') ?? false;
  const key = keys.find((each) => each === (down ? text?.slice(1) : text));
  return key === undefined ? null : { key, down };
}

/** What the head of a column leads to: sorted by it, and pressed again the other way round. */
export function sortLink<Key extends string>(
  now: Sorting<Key> | null,
  key: Key,
  hrefOf: (sort: string) => string,
): { href: string; direction?: 'ascending' | 'descending' } {
  const mine = now?.key === key;
  const href = hrefOf(mine && !now.down ? `-${key}` : key);
  return mine ? { href, direction: now.down ? 'descending' : 'ascending' } : { href };
}

type Value = string | number | bigint | null;

/**
 * Rows of a table that is all there, sorted; equal ones stay in their order, and those without a
 * value stand last either way.
 */
export function sortedRows<Row, Key extends string>(
  rows: readonly Row[],
  now: Sorting<Key> | null,
  values: Readonly<Record<Key, (row: Row) => Value>>,
): readonly Row[] {
  if (!now) return rows;
  const value = values[now.key];
  return rows.toSorted((a, b) => compare(value(a), value(b), now.down));
}

function compare(a: Value, b: Value, down: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = a < b ? -1 : Number(a > b);
  return down ? -order : order;
}
