import { Invalid } from '@/lib/domain/refusal';

/** A list as every door gives it: the next page begins at `nextCursor`; null at the end. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** Which page of a list: `cursor` is a former page's `nextCursor`. */
export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
}

/** A cursor of the last row's sort keys, as opaque text. */
export function writeCursor(keys: readonly string[]): string {
  return Buffer.from(JSON.stringify(keys), 'utf8').toString('base64url');
}

/**
 * Reads a cursor back into its sort keys, each in the form that `forms` names, so that none can
 * reach SQL in a form that a cast would choke on.
 *
 * @throws Invalid where it is not a cursor of this list
 */
export function readCursor(cursor: string | undefined, forms: readonly RegExp[]): string[] | null {
  if (cursor === undefined) return null;
  try {
    const keys: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (
      Array.isArray(keys) &&
      keys.length === forms.length &&
      keys.every((key, i) => typeof key === 'string' && forms[i]?.test(key))
    ) {
      return keys as string[];
    }
  } catch {
    // falls through to the refusal
  }
  throw new Invalid({
    pointer: '/cursor',
    code: 'INVALID_INPUT',
    message: 'This is not a cursor of this list; begin again without one.',
  });
}

export const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;

/** One page of what was read with `limit + 1`: the row too many only says that there is more. */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  keysOf: (row: T) => readonly string[],
): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    nextCursor: rows.length > limit && last !== undefined ? writeCursor(keysOf(last)) : null,
  };
}
