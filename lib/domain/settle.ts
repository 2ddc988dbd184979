import { locate, type MapRange } from './range-map';

/** What one transform made of one fact. */
export type Outcome =
  | { kind: 'row'; key: string | null; micros: bigint | null; values: (string | null)[] }
  | { kind: 'filtered' }
  | { kind: 'error'; code: string; error: string };

/** A source key with what each transform of the map makes of its newest fact; gone: none. */
export interface Evaluated {
  sourceKey: string;
  revision: string;
  outcomes: ReadonlyMap<string, Outcome> | 'gone';
  /** Where the fact says by itself that it belongs: its time in the source. Null: nowhere. */
  home?: bigint | null;
}

export interface RowToWrite {
  sourceKey: string;
  revision: string;
  key: string;
  micros: bigint;
  values: (string | null)[];
}

export interface Quarantined {
  sourceKey: string;
  code: 'ROW_ERROR' | 'NULL_KEY' | 'NULL_TIME' | 'KEY_COLLISION' | 'EDGE_CROSSING';
  error: string;
  wantedKey: string | null;
  micros: bigint | null;
}

export interface Settled {
  /** Rows that stand, in the order given. */
  write: RowToWrite[];
  /** Keys of which no row stands: deleted, filtered, or placed where the map holds no segment. */
  gone: string[];
  /** Keys that could not become a row; their last good row stays. */
  quarantine: Quarantined[];
}

type Placed =
  | { kind: 'row'; row: RowToWrite }
  | { kind: 'gone' }
  | { kind: 'quarantine'; entry: Quarantined };

/**
 * Decides what becomes of a set of source keys, from what the map's transforms make of their facts.
 *
 * The transform that governs a place is the map's. Every transform says where it would put the row;
 * if they do not agree on the territory, nobody may decide, and it is EDGE_CROSSING: a row that both
 * sides claim would be there twice, one that both disown would be lost. A transform that errs has no
 * opinion, and matters only where it governs. Two source keys that want one business key are both
 * quarantined, so that the outcome does not depend on the order of shards.
 *
 * The caller must pass the whole connected group: also whoever holds a wanted key now.
 */
export function settle(map: readonly MapRange[], keys: readonly Evaluated[]): Settled {
  const settled: Settled = { write: [], gone: [], quarantine: [] };
  const wanted = new Map<string, RowToWrite[]>();
  for (const key of keys) {
    const placed = place(map, key);
    if (placed.kind === 'gone') settled.gone.push(key.sourceKey);
    else if (placed.kind === 'quarantine') settled.quarantine.push(placed.entry);
    else {
      const rivals = wanted.get(placed.row.key);
      if (rivals) rivals.push(placed.row);
      else wanted.set(placed.row.key, [placed.row]);
    }
  }
  for (const [key, rivals] of wanted) {
    const [first] = rivals;
    if (rivals.length === 1 && first) settled.write.push(first);
    else {
      const names = rivals.map((r) => r.sourceKey).sort();
      for (const row of rivals) {
        settled.quarantine.push({
          sourceKey: row.sourceKey,
          code: 'KEY_COLLISION',
          error: `${rivals.length} source keys want the key ${key}: ${names.slice(0, 5).join(', ')}`,
          wantedKey: key,
          micros: row.micros,
        });
      }
    }
  }
  return settled;
}

function place(map: readonly MapRange[], key: Evaluated): Placed {
  if (key.outcomes === 'gone') return { kind: 'gone' };
  const quarantine = (
    code: Quarantined['code'],
    error: string,
    row?: { key: string | null; micros: bigint | null },
  ): Placed => ({
    kind: 'quarantine',
    entry: {
      sourceKey: key.sourceKey,
      code,
      error,
      wantedKey: row?.key ?? null,
      micros: row?.micros ?? null,
    },
  });

  const territories = new Set<string>();
  let place: bigint | null = null;
  let mine = false;
  let untimed = false;
  let firstError: Extract<Outcome, { kind: 'error' }> | undefined;
  const settleAt = (micros: bigint) => {
    const range = locate(map, micros);
    territories.add(range.transform);
    if (range.segment !== null) mine = true;
    // named by a place that this map keeps rows for, so that one planned partition answers for it
    if (place === null || range.segment !== null) place = micros;
  };
  for (const outcome of key.outcomes.values()) {
    if (outcome.kind === 'error') firstError ??= outcome;
    if (outcome.kind !== 'row') continue;
    if (outcome.micros === null) untimed = true;
    else settleAt(outcome.micros);
  }
  // where no transform yields a row with a time, the fact's own time says who answers for it
  const home = key.home ?? null;
  if (territories.size === 0 && home !== null) settleAt(home);
  // In a candidate the map holds no segment outside the release's range: what becomes of a key there,
  // a row or an error, is the old generation's.
  if (territories.size > 0 && !mine) return { kind: 'gone' };

  if (territories.size > 1) {
    return quarantine(
      'EDGE_CROSSING',
      'the transforms put this row on different sides of an edge',
      {
        key: null,
        micros: place,
      },
    );
  }
  const [governor] = territories;
  if (governor === undefined) {
    if (untimed) return quarantine('NULL_TIME', 'the business time is NULL or infinite');
    if (firstError) return quarantine('ROW_ERROR', wordsOf(firstError));
    return { kind: 'gone' };
  }
  const outcome = key.outcomes.get(governor);
  if (!outcome || outcome.kind === 'filtered') return { kind: 'gone' };
  if (outcome.kind === 'error')
    return quarantine('ROW_ERROR', wordsOf(outcome), { key: null, micros: place });
  if (outcome.micros === null)
    return quarantine('NULL_TIME', 'the business time is NULL or infinite', outcome);
  if (outcome.key === null) return quarantine('NULL_KEY', 'a key column is NULL', outcome);
  if (locate(map, outcome.micros).segment === null) return { kind: 'gone' };
  return {
    kind: 'row',
    row: {
      sourceKey: key.sourceKey,
      revision: key.revision,
      key: outcome.key,
      micros: outcome.micros,
      values: outcome.values,
    },
  };
}

const wordsOf = (outcome: { code: string; error: string }) => `${outcome.error} (${outcome.code})`;
