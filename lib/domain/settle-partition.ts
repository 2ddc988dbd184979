import { type Instant, instantOf } from './instant';
import type { Quarantined, RowToWrite } from './settle';

/** A half-open interval of business time, in microseconds since 1970. */
export interface Interval {
  start: bigint;
  end: bigint;
}

/** A row that a transform made of a partition's facts. */
export interface PartitionRow {
  /** Null where a key column is NULL. */
  key: string | null;
  /** Null where the business time is NULL or infinite. */
  micros: bigint | null;
  values: (string | null)[];
}

/** What a transform of grain `partition` made of all facts of one partition. */
export type PartitionOutcome =
  | { kind: 'rows'; rows: readonly PartitionRow[] }
  | { kind: 'error'; code: string; error: string };

/** The rows that a partition is to hold; or why its last good rows stay. */
export type SettledPartition =
  | { kind: 'rows'; rows: RowToWrite[] }
  | { kind: 'quarantine'; entry: Quarantined };

/** What the rows of a partition come from, and what is in quarantine: the partition itself. */
export const partitionKey = (start: bigint): string => `partition:${instantOf(start)}`;

/** The same of a fact that belongs to no partition. */
export const factKey = (sourceKey: string): string => `fact:${sourceKey}`;

/** The partition that such a key names, and null where it names none. */
export function partitionOfKey(key: string): Instant | null {
  return key.startsWith('partition:') ? (key.slice('partition:'.length) as Instant) : null;
}

/**
 * Decides what becomes of one partition of a dataset of grain `partition`. It stands or falls as a
 * whole: of a partition whose transform erred, or that has a row without a key or a time, a row that
 * belongs elsewhere, or two rows of one key, nobody can say which of the other rows are right.
 */
export function settlePartition(part: Interval, outcome: PartitionOutcome): SettledPartition {
  const sourceKey = partitionKey(part.start);
  const quarantine = (
    code: Quarantined['code'],
    error: string,
    wantedKey: string | null = null,
  ): SettledPartition => ({
    kind: 'quarantine',
    entry: { sourceKey, code, error, wantedKey, micros: part.start },
  });
  if (outcome.kind === 'error') {
    return quarantine('ROW_ERROR', `${outcome.error} (${outcome.code})`);
  }
  const rows = new Map<string, RowToWrite>();
  for (const { key, micros, values } of outcome.rows) {
    if (micros === null)
      return quarantine('NULL_TIME', 'the business time is NULL or infinite', key);
    if (key === null) return quarantine('NULL_KEY', 'a key column is NULL');
    if (micros < part.start || micros >= part.end) {
      return quarantine('EDGE_CROSSING', `the row ${key} lies outside its partition`, key);
    }
    if (rows.has(key)) return quarantine('KEY_COLLISION', `two rows want the key ${key}`, key);
    rows.set(key, { sourceKey, revision: '0', key, micros, values });
  }
  return { kind: 'rows', rows: [...rows.values()] };
}
