export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** JSON pointer (RFC 6901) of a path; the empty path is the whole document. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as it may stand in a message: quoted, on one line, cut at 60 characters. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const characters = [...text];
  return JSON.stringify(characters.length > 60 ? `${characters.slice(0, 60).join('')}…` : text);
}

/** JSON merge patch (RFC 7396): null removes a member, objects merge, anything else replaces. */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, Json>(
    isObject(target) ? (Object.entries(target) as [string, Json][]) : [],
  );
  for (const [key, value] of Object.entries(patch) as [string, Json][]) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key) ?? null, value));
  }
  return Object.fromEntries(merged);
}

export type Change = { pointer: string; before: Json | undefined; after: Json | undefined };

/**
 * The members in which two JSON values differ, by JSON pointer in the order of their names;
 * `undefined` where a side lacks the member. Arrays count as one value: their order is theirs.
 */
export function differences(
  before: Json | undefined,
  after: Json | undefined,
  at: readonly string[] = [],
): Change[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) =>
      differences(memberOf(before, name), memberOf(after, name), [...at, name]),
    );
  }
  if (sortedText(before) === sortedText(after)) return [];
  return [{ pointer: pointerOf(at), before, after }];
}

function memberOf(object: Record<string, unknown>, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? (object[name] as Json) : undefined;
}

/** JSON text with the members of every object in the order of their names, to compare by. */
export function sortedText(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner) =>
      isObject(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  );
}
