import { sql } from 'drizzle-orm';
import { rows, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { locatePartitions } from '@/lib/db/statements/calendar';
import { factsOfKeys } from '@/lib/db/statements/facts';
import { loadMap, saveMap, sharedPartitions } from '@/lib/db/statements/generation-map';
import { beginPartitions, type HeldRow, heldRows } from '@/lib/db/statements/partition-rows';
import { type Batch, nextBatch } from '@/lib/db/statements/progress';
import { deleteRows, insertRows, markTouched } from '@/lib/db/statements/rows';
import { bucketOf } from '@/lib/digest/row-encoding';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { locate, type MapRange, turnTo } from '@/lib/domain/range-map';
import type { Quarantined, RowToWrite } from '@/lib/domain/settle';
import {
  factKey,
  type Interval,
  partitionKey,
  partitionOfKey,
} from '@/lib/domain/settle-partition';
import type { Applied, ApplyInput } from './apply-batch';
import { sourceTimeOf } from './compiled';
import { decidePartitions, placeOf } from './decide-partitions';
import { storeQuarantine } from './evaluate-keys';
import { finishBatch } from './finish-batch';
import { setPartitionsApart } from './set-partitions-apart';

/** Each is computed whole: more would hold the dataset's lock for too long. */
const MOST_PARTITIONS = 64;

/**
 * The same step as `applyBatch` for a dataset of grain `partition`: takes the next events after a
 * generation's progress and computes every partition that a fact of them came from or went to, whole,
 * from facts at the batch's end. The caller holds the same locks, so two shards' events on one
 * partition never compute it beside each other.
 */
export async function applyPartitions(tx: Tx, input: ApplyInput): Promise<Applied> {
  const { dataset, generation } = input;
  const before = await loadMap(tx, generation);
  const { batch, touched, placeless, partitions } = await boundedBatch(tx, input, before);
  if (batch.scanned === 0) {
    return { scanned: 0, written: 0, removed: 0, quarantined: 0, copied: 0, progress: batch.end };
  }
  const sealed = await setPartitionsApart(tx, input, batch, touched, partitions);
  const parts = partitions
    .filter(({ start }) => !sealed.has(start))
    .map((part) => ({ ...part, segment: locate(before, part.start).segment as string }));
  const decided = await decidePartitions(tx, dataset, before, parts, batch.end);
  const held = await heldRows(tx, dataset, parts);

  const quarantine: Quarantined[] = [...placeless];
  const changes: Change[] = [];
  for (const part of parts) {
    const outcome = decided.get(part.start);
    if (outcome?.kind === 'quarantine') quarantine.push(outcome.entry);
    else changes.push(changeOf(part, held.get(part.start) ?? [], outcome?.rows ?? []));
  }
  const changed = changes.filter(({ gone, put }) => gone.length + put.length > 0);
  const moved = await turnShared(tx, input, before, changed);
  await writeChanges(tx, dataset, input.writeSegment, changed, moved);
  await markStale(tx, quarantine, parts);

  const keys = [
    ...parts.map(({ start }) => partitionKey(start)),
    ...batch.keys.map(factKey),
    ...touched.retried.map(factKey),
  ];
  await storeQuarantine(tx, generation, keys, quarantine);
  await finishBatch(tx, generation, batch);
  return {
    scanned: batch.scanned,
    written: changed.reduce((sum, { put }) => sum + put.length, 0),
    removed: changed.reduce((sum, { gone }) => sum + gone.length, 0),
    quarantined: quarantine.length,
    copied: moved.size,
    progress: batch.end,
  };
}

/** What a batch touches, by the instants that its facts have in the source. */
export interface TouchedBy {
  /** Of each key of the batch: where its fact was before the batch and where it is at its end. */
  places: ReadonlyMap<string, readonly bigint[]>;
  /** Quarantined partitions that are tried again, by their start. */
  starts: readonly bigint[];
  /** Facts without a place that are tried again. */
  retried: readonly string[];
}

/**
 * The next batch that touches no more partitions than may be computed in one transaction; one event
 * of each shard is taken in any case.
 */
async function boundedBatch(tx: Tx, input: ApplyInput, map: readonly MapRange[]) {
  const { dataset, progress, limit, fromNothing } = input;
  const again = await quarantinedToTry(tx, input.generation);
  for (let size = input.size; ; size = Math.ceil(size / 4)) {
    const batch = await nextBatch(tx, dataset.source.name, progress, limit, size, fromNothing);
    if (batch.scanned === 0) {
      return { batch, touched: { places: new Map(), ...again }, placeless: [], partitions: [] };
    }
    const { touched, placeless, partitions } = await touchedBy(tx, input, map, batch, again);
    if (partitions.length <= MOST_PARTITIONS || size === 1) {
      return { batch, touched, placeless, partitions };
    }
  }
}

type Again = Pick<TouchedBy, 'starts' | 'retried'>;

async function touchedBy(
  tx: Tx,
  { dataset, progress }: ApplyInput,
  map: readonly MapRange[],
  batch: Batch,
  again: Again,
): Promise<{ touched: TouchedBy; placeless: Quarantined[]; partitions: Interval[] }> {
  const column = sourceTimeOf(dataset);
  const { source } = dataset;
  const keys = [...new Set([...batch.keys, ...again.retried])];
  const was = await factsOfKeys(tx, source, keys, progress);
  const is = await factsOfKeys(tx, source, keys, batch.end);
  const places = new Map<string, bigint[]>();
  for (const fact of [...was, ...is]) {
    const micros = placeOf(fact, column);
    if (micros !== null) places.set(fact.key, [...(places.get(fact.key) ?? []), micros]);
  }
  const instants = [...again.starts, ...[...places.values()].flat()];
  const located = await locatePartitions(tx, dataset, instants);
  const placeless = is.flatMap((fact): Quarantined[] => {
    if (fact.payload === null) return [];
    const micros = placeOf(fact, column);
    if (micros !== null && located.has(micros)) return [];
    const error =
      micros === null
        ? `${column} is NULL or infinite`
        : `${column} is outside the years 1900 to 2200`;
    const sourceKey = factKey(fact.key);
    return [{ sourceKey, code: 'NULL_TIME', error, wantedKey: null, micros: null }];
  });
  const byStart = new Map([...located.values()].map((part) => [part.start, part]));
  const partitions = [...byStart.values()]
    // a candidate holds nothing outside its release's range
    .filter(({ start }) => locate(map, start).segment !== null)
    .sort((a, b) => (a.start < b.start ? -1 : 1));
  return { touched: { places, ...again }, placeless, partitions };
}

/**
 * After a cutover everything in quarantine is tried once: what one inherited may be another
 * transform's affair now. Else a partition is tried again by its own facts' events.
 */
async function quarantinedToTry(tx: Tx, generation: string): Promise<Again> {
  const found = await rows<{ key: string }>(
    tx,
    sql`select q.source_key as key from control.quarantine q
      join control.generation g on g.id = q.generation
      join control.generation_progress p on p.generation = g.id
      where q.generation = ${generation} and g.served_from > p.applied_at`,
  );
  const starts: bigint[] = [];
  const retried: string[] = [];
  for (const { key } of found) {
    const start = partitionOfKey(key);
    if (start !== null) starts.push(microsOf(start as Instant));
    else if (key.startsWith('fact:')) retried.push(key.slice('fact:'.length));
  }
  return { starts, retried };
}

interface Change extends Interval {
  segment: string;
  /** The whole partition as it is to be. */
  rows: readonly RowToWrite[];
  /** Keys of rows that stand and are not to, or not as they are. */
  gone: readonly string[];
  /** Rows that do not stand yet, or not as they are to be. */
  put: readonly RowToWrite[];
}

function changeOf(
  part: Interval & { segment: string },
  held: readonly HeldRow[],
  wanted: readonly RowToWrite[],
): Change {
  const textOf = (row: { values: readonly (string | null)[] }) => JSON.stringify(row.values);
  const standing = new Map(held.map((row) => [row.key, textOf(row)]));
  const same = new Set(
    wanted.filter((row) => standing.get(row.key) === textOf(row)).map((row) => row.key),
  );
  return {
    ...part,
    rows: wanted,
    gone: held.filter((row) => !same.has(row.key)).map((row) => row.key),
    put: wanted.filter((row) => !same.has(row.key)),
  };
}

/**
 * Turns the map to the write segment for partitions that others map too. They are replaced whole, so
 * nothing is copied; readers of the others never see a change.
 */
async function turnShared(
  tx: Tx,
  { dataset, generation, writeSegment }: ApplyInput,
  before: readonly MapRange[],
  changed: readonly Change[],
): Promise<Set<bigint>> {
  if (writeSegment === null) return new Set();
  const foreign = changed.filter((part) => part.segment !== writeSegment);
  const shared = await sharedPartitions(tx, generation, foreign);
  const moved = foreign.filter((part) => shared.has(part.start));
  if (moved.length === 0) return shared;
  await beginPartitions(tx, dataset, writeSegment, moved);
  const spans = moved.map(({ start, end }) => ({ from: start, to: end }));
  await saveMap(tx, generation, before, turnTo(before, spans, writeSegment));
  return shared;
}

async function writeChanges(
  tx: Tx,
  dataset: DatasetShape,
  writeSegment: string | null,
  changed: readonly Change[],
  moved: ReadonlySet<bigint>,
): Promise<void> {
  const inPlace = changed.filter(({ start }) => !moved.has(start));
  await deleteRows(
    tx,
    dataset,
    inPlace.flatMap(({ segment, start, gone }) =>
      gone.map((key) => ({ sourceKey: '', segment, start, key })),
    ),
  );
  const target = (part: Change) =>
    moved.has(part.start) && writeSegment !== null ? writeSegment : part.segment;
  await insertRows(
    tx,
    dataset,
    changed.flatMap((part) =>
      (moved.has(part.start) ? part.rows : part.put).map((row) => ({
        ...row,
        segment: target(part),
        start: part.start,
      })),
    ),
  );
  await markTouched(
    tx,
    changed.map((part) => ({
      segment: target(part),
      start: part.start,
      end: part.end,
      buckets: bucketsOf([...part.gone, ...part.put.map((row) => row.key)]),
    })),
  );
}

function bucketsOf(keys: readonly string[]): string {
  const buckets = Array<'0' | '1'>(64).fill('0');
  for (const key of keys) buckets[bucketOf(key)] = '1';
  return buckets.join('');
}

/**
 * A partition in quarantine holds what it held, although its facts changed: a comparison made before
 * no longer speaks for it.
 */
async function markStale(
  tx: Tx,
  quarantine: readonly Quarantined[],
  parts: readonly (Interval & { segment: string })[],
): Promise<void> {
  const names = new Set(quarantine.map((entry) => entry.sourceKey));
  await markTouched(
    tx,
    parts
      .filter(({ start }) => names.has(partitionKey(start)))
      .map((part) => ({ ...part, buckets: '0'.repeat(64) })),
  );
}
