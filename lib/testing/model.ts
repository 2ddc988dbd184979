import type { GenerationState, Item } from '@/lib/testing/items';

/**
 * What a generation has to hold, said naively over all facts at once: no batches, no order, no
 * shards, no segments. The tests hold live writing, catch-up, build and replay to it.
 */
export type Made = { code: string | null; at: string | null; value: number } | 'filtered' | 'error';
export type Transform = (fact: Item) => Made;

export interface Territory {
  /** Half-open in text order of instants; null is unbounded. */
  from: string | null;
  to: string | null;
  transform: string;
  /** False where a candidate keeps no rows. */
  kept: boolean;
}

export interface Model {
  map: readonly Territory[];
  transforms: Readonly<Record<string, Transform>>;
}

const holds = (t: Territory, at: string) =>
  (t.from === null || t.from <= at) && (t.to === null || at < t.to);

/** The newest upsert of each id, in any order of events; deletes take it away. */
export function factsOf(events: readonly Item[]): Item[] {
  const newest = new Map<string, Item>();
  for (const event of events) {
    const known = newest.get(event.id);
    if (!known || (event.revision ?? 1) > (known.revision ?? 1)) newest.set(event.id, event);
  }
  return [...newest.values()].filter((event) => event.op !== 'delete');
}

export function expectedState(
  model: Model,
  facts: readonly Item[],
): GenerationState & { filtered: number } {
  const at = (instant: string) => model.map.find((t) => holds(t, instant)) as Territory;
  const rows: { id: string; code: string; at: string; value: number }[] = [];
  const quarantine = new Map<string, string>();
  let filtered = 0;
  for (const fact of facts) {
    const verdict = judge(fact);
    if (verdict === 'none') filtered += 1;
    else if (typeof verdict === 'string') quarantine.set(fact.id, verdict);
    else rows.push({ id: fact.id, ...verdict });
  }
  for (const { id, code } of rows) {
    if (rows.filter((row) => row.code === code).length > 1) quarantine.set(id, 'KEY_COLLISION');
  }
  return {
    rows: rows
      .filter((row) => !quarantine.has(row.id))
      .map((row) => `${row.id} ${row.code} ${row.at.slice(0, 10)} ${row.value}`)
      .sort(),
    quarantine: [...quarantine].map(([id, code]) => `${id} ${code}`).sort(),
    filtered,
  };

  function judge(fact: Item): string | { code: string; at: string; value: number } {
    const names = [...new Set(model.map.map((t) => t.transform))];
    const made = new Map(names.map((name) => [name, (model.transforms[name] as Transform)(fact)]));
    const rowsMade = [...made.values()].filter((m) => typeof m === 'object');
    const places = rowsMade.flatMap((m) => (m.at === null ? [] : [m.at]));
    const home = fact.at ?? null;
    if (places.length === 0 && home !== null) places.push(home);
    if (places.length > 0 && !places.some((p) => at(p).kept)) return 'none';
    const claims = new Set(places.map((p) => at(p).transform));
    if (claims.size > 1) return 'EDGE_CROSSING';
    const [governor] = claims;
    if (governor === undefined) {
      if (rowsMade.length > 0) return 'NULL_TIME';
      return [...made.values()].includes('error') ? 'ROW_ERROR' : 'none';
    }
    const row = made.get(governor);
    if (row === undefined || row === 'filtered') return 'none';
    if (row === 'error') return 'ROW_ERROR';
    if (row.at === null) return 'NULL_TIME';
    if (row.code === null) return 'NULL_KEY';
    return at(row.at).kept ? { code: row.code, at: row.at, value: row.value } : 'none';
  }
}
