import { isObject, type Json } from '@/lib/domain/json';

/** Members, at any depth, that another door may have filled in and that the form has no place for. */
const KEPT = new Set([
  'schema',
  'writeMode',
  'deletes',
  'timezone',
  'partition',
  'columns',
  'pin',
  'snapshot',
  'old',
  'lock',
  'root',
  'basis',
  'sourceRowsPerSecond',
  'warehouseSeconds',
]);

/**
 * The JSON merge patch that makes a spec out of another: what the later one does not say is taken
 * away, except what the form has no place for.
 */
export function patchTo(before: Json | undefined, after: Json): Json {
  if (!isObject(before) || !isObject(after)) return after;
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name) && !KEPT.has(name));
  return Object.fromEntries([
    ...gone.map((name) => [name, null] as const),
    ...Object.entries(after as Record<string, Json>).map(
      ([name, value]) => [name, patchTo((before as Record<string, Json>)[name], value)] as const,
    ),
  ]);
}
