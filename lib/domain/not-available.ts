import type * as z from 'zod';
import { isObject, pointerOf } from './json';
import { Invalid, type Issue } from './refusal';
import { issuesOf } from './zod-issues';

/**
 * A choice that the written form of an order has and this version does not do. It is refused by
 * name, so that nobody takes the silence of a generic error, or of acceptance, for an answer.
 */
export type NotAvailable = {
  path: readonly string[];
  when: (value: unknown) => boolean;
  message: string;
};

export const given = (value: unknown) => value !== undefined && value !== null;

/** The choices of a value that are not available, each at its JSON pointer. */
export function unavailableIn(table: readonly NotAvailable[], value: unknown): Issue[] {
  return table.flatMap(({ path, when, message }) => {
    let at: unknown = value;
    for (const step of path) {
      at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    }
    return when(at) ? [{ pointer: pointerOf(path), code: 'NOT_AVAILABLE', message }] : [];
  });
}

/** Parses with a schema that knows only what is available; the rest is refused from the table. */
export function parseAvailable<S extends z.ZodType>(
  schema: S,
  table: readonly NotAvailable[],
  value: unknown,
): z.output<S> {
  const unavailable = unavailableIn(table, value);
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success && unavailable.length === 0) return result.data;
  const named = new Set(unavailable.map((issue) => issue.pointer));
  const others = result.success
    ? []
    : issuesOf(result.error).filter((issue) => !named.has(issue.pointer));
  throw new Invalid([...unavailable, ...others]);
}
