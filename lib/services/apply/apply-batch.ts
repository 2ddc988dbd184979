import { sql } from 'drizzle-orm';
import { rows, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { locatePartitions, type Partition } from '@/lib/db/statements/calendar';
import { loadMap, saveMap, sharedPartitions } from '@/lib/db/statements/generation-map';
import { partitionsOver } from '@/lib/db/statements/mapped-partitions';
import { type Batch, nextBatch } from '@/lib/db/statements/progress';
import {
  copyPartitions,
  deleteRows,
  insertRows,
  markTouched,
  type StandingRow,
  standingRows,
  type Touched,
} from '@/lib/db/statements/rows';
import { notedHolders } from '@/lib/db/statements/sealed';
import { bucketOf } from '@/lib/digest/row-encoding';
import { locate, type MapRange, turnTo } from '@/lib/domain/range-map';
import { type Quarantined, type RowToWrite, settle } from '@/lib/domain/settle';
import { applyPartitions } from './apply-partitions';
import { evaluateKeys, storeQuarantine } from './evaluate-keys';
import { finishBatch } from './finish-batch';
import { setApart } from './set-apart';

export interface ApplyInput {
  dataset: DatasetShape;
  generation: string;
  /** Locked by the caller. */
  progress: readonly string[];
  limit: readonly string[];
  /** Where a shared partition is copied to before its first change; null: nothing here is shared. */
  writeSegment: string | null;
  /** Events per shard. */
  size: number;
  /** A first generation that is loading: it began at offset 0, so the log's base is enough for it. */
  fromNothing?: boolean;
  /** Rows of a shared partition that may be copied in this very transaction. */
  mostCopied?: number | undefined;
}

/** A partition of so many rows is copied within about a tenth of a second. */
const MOST_COPIED = 10_000;

/**
 * The batch touches shared partitions that are too large to be copied under the dataset's lock.
 * Nothing was written; they are to be moved to a segment of their own first, and the batch tried
 * again.
 */
export class CopyAhead extends Error {
  constructor(
    readonly generation: string,
    readonly partitions: readonly Partition[],
  ) {
    super(`${partitions.length} shared partitions are to be copied ahead`);
  }
}

export interface Applied {
  scanned: number;
  written: number;
  removed: number;
  quarantined: number;
  copied: number;
  progress: string[];
}

/**
 * The one step of live writing, catch-up and replay: takes the next events after a generation's
 * progress and makes its rows what the map's transforms yield from facts at the batch's end.
 *
 * The caller holds the generation's row and its progress, and where the generation is or was served the
 * dataset's registry row too, since copy on write changes the map.
 */
export async function applyBatch(tx: Tx, input: ApplyInput): Promise<Applied> {
  const { dataset, generation } = input;
  if (dataset.grain === 'partition') return applyPartitions(tx, input);
  const { progress, limit, size, fromNothing } = input;
  const batch = await nextBatch(tx, dataset.source.name, progress, limit, size, fromNothing);
  if (batch.scanned === 0) return none(batch);

  const before = await loadMap(tx, generation);
  const group = await settleGroup(tx, input, before, batch);
  const { partitions, outside } = await placeRows(tx, dataset, group.settled.write);
  const right = group.settled.write.filter((row) => partitions.has(row.micros));
  const quarantine = [...group.settled.quarantine, ...outside];
  const kept = new Set(quarantine.map((q) => q.sourceKey));
  const change = { batch, ...group, write: right, partitions, kept };
  const sealed = await setApart(tx, input, change);
  const open = (start: bigint) => !sealed.has(start);
  const write = right.filter((row) => open((partitions.get(row.micros) as Partition).start));
  const standing = group.standing.filter((row) => open(row.start));

  // A quarantined key keeps its last good row, unless a row that is right wants that row's key.
  const wanted = new Set(write.map((row) => row.key));
  const gone = standing.filter((row) => !kept.has(row.sourceKey) || wanted.has(row.key));

  const parts = touchedPartitions(before, gone, write, partitions);
  await fillEnds(tx, dataset, parts);
  const shared = await copyOnWrite(tx, input, before, parts);
  const segmentOf = (start: bigint, segment: string) =>
    shared.has(start) && input.writeSegment !== null ? input.writeSegment : segment;

  await deleteRows(
    tx,
    dataset,
    gone.map((row) => ({ ...row, segment: segmentOf(row.start, row.segment) })),
  );
  await insertRows(
    tx,
    dataset,
    write.map((row) => {
      const { start } = partitions.get(row.micros) as Partition;
      const segment = locate(before, row.micros).segment as string;
      return { ...row, start, segment: segmentOf(start, segment) };
    }),
  );
  await markTouched(
    tx,
    [...parts.values()].map((part) => ({
      segment: segmentOf(part.start, part.segment),
      start: part.start,
      end: part.end,
      buckets: Array.from(part.buckets, (hit) => (hit ? '1' : '0')).join(''),
    })),
  );
  await markStale(tx, batch.keys, standing, kept, gone, segmentOf);
  await storeQuarantine(tx, generation, group.keys, quarantine);
  await finishBatch(tx, generation, batch);
  return {
    scanned: batch.scanned,
    written: write.length,
    removed: gone.length,
    quarantined: quarantine.length,
    copied: shared.size,
    progress: batch.end,
  };
}

const none = (batch: Batch): Applied => ({
  scanned: 0,
  written: 0,
  removed: 0,
  quarantined: 0,
  copied: 0,
  progress: batch.end,
});

/** The batch's keys, the quarantined collisions and whoever holds a key that these want. */
async function settleGroup(tx: Tx, input: ApplyInput, map: MapRange[], batch: Batch) {
  const { dataset, generation } = input;
  // Only a collision can be settled by somebody else's event; other errors are of the fact itself.
  // After a cutover all are tried once: what one inherited may be another transform's affair now.
  const colliding = await rows<{ key: string }>(
    tx,
    sql`select q.source_key as key from control.quarantine q
      where q.generation = ${generation} and (q.code = 'KEY_COLLISION' or exists (
        select from control.generation g join control.generation_progress p on p.generation = g.id
        where g.id = q.generation and g.served_from > p.applied_at))`,
  );
  const keys = new Set([...batch.keys, ...colliding.map((c) => c.key)]);
  const evaluated = await evaluateKeys(tx, dataset, map, [...keys], batch.end);
  let settled = settle(map, evaluated);

  // also what rivals want who are all new: whoever holds it is one of them
  const rivals = settled.quarantine.flatMap(({ code, wantedKey }) =>
    code === 'KEY_COLLISION' && wantedKey !== null ? [wantedKey] : [],
  );
  const wanted = [...new Set([...settled.write.map((row) => row.key), ...rivals])];
  const holding = (await standingRows(tx, dataset, generation, '_key', wanted)).map(
    (row) => row.sourceKey,
  );
  // a row that would stand in a sealed partition holds its key as one that stands
  const holders = [...holding, ...(await notedHolders(tx, dataset.name, wanted))];
  const more = [...new Set(holders)].filter((key) => !keys.has(key));
  if (more.length > 0) {
    for (const key of more) keys.add(key);
    // What a holder wants is what it has, so one widening closes the group.
    evaluated.push(...(await evaluateKeys(tx, dataset, map, more, batch.end)));
    settled = settle(map, evaluated);
  }
  const standing = await standingRows(tx, dataset, generation, '_source_key', [...keys]);
  return { keys: [...keys], settled, standing };
}

/** The partitions of the rows; a time that the calendar does not reach is a row without a place. */
async function placeRows(tx: Tx, dataset: DatasetShape, write: readonly RowToWrite[]) {
  const partitions = await locatePartitions(
    tx,
    dataset,
    write.map((row) => row.micros),
  );
  const outside: Quarantined[] = write
    .filter((row) => !partitions.has(row.micros))
    .map((row) => ({
      sourceKey: row.sourceKey,
      code: 'NULL_TIME',
      error: 'the business time is outside the years 1900 to 2200',
      wantedKey: row.key,
      micros: null,
    }));
  return { partitions, outside };
}

interface Part extends Omit<Touched, 'buckets'> {
  buckets: boolean[];
}

function touchedPartitions(
  map: readonly MapRange[],
  gone: readonly StandingRow[],
  write: readonly RowToWrite[],
  partitions: ReadonlyMap<bigint, Partition>,
): Map<bigint, Part> {
  const parts = new Map<bigint, Part>();
  const touch = (start: bigint, end: bigint | null, segment: string, key: string) => {
    const part = parts.get(start) ?? {
      segment,
      start,
      end: end ?? start,
      buckets: Array(64).fill(false),
    };
    if (end !== null) part.end = end;
    part.buckets[bucketOf(key)] = true;
    parts.set(start, part);
  };
  for (const row of gone) touch(row.start, null, row.segment, row.key);
  for (const row of write) {
    const { start, end } = partitions.get(row.micros) as Partition;
    touch(start, end, locate(map, row.micros).segment as string, row.key);
  }
  return parts;
}

/** Copies what others map too into the write segment, and says which partitions moved. */
async function copyOnWrite(
  tx: Tx,
  input: ApplyInput,
  before: readonly MapRange[],
  parts: ReadonlyMap<bigint, Part>,
): Promise<Set<bigint>> {
  const { writeSegment, generation, dataset } = input;
  if (writeSegment === null) return new Set();
  const foreign = [...parts.values()].filter((part) => part.segment !== writeSegment);
  const shared = await sharedPartitions(tx, generation, foreign);
  if (shared.size === 0) return shared;
  const moved = foreign.filter((part) => shared.has(part.start));
  const large = await partitionsOver(tx, dataset, moved, input.mostCopied ?? MOST_COPIED);
  if (large.size > 0) {
    throw new CopyAhead(
      generation,
      moved.filter((part) => large.has(part.start)),
    );
  }
  await copyPartitions(tx, dataset, writeSegment, moved);
  const spans = moved.map(({ start, end }) => ({ from: start, to: end }));
  await saveMap(tx, generation, before, turnTo(before, spans, writeSegment));
  return shared;
}

/** A partition that only loses rows is known by its start; its end is the calendar's. */
async function fillEnds(tx: Tx, dataset: DatasetShape, parts: ReadonlyMap<bigint, Part>) {
  const open = [...parts.values()].filter((part) => part.end === part.start);
  if (open.length === 0) return;
  const located = await locatePartitions(
    tx,
    dataset,
    open.map((part) => part.start),
  );
  for (const part of open) part.end = (located.get(part.start) as Partition).end;
}

/**
 * A row that stays although its fact changed: the partition holds what it held, but a comparison
 * made before no longer speaks for it.
 */
async function markStale(
  tx: Tx,
  batchKeys: readonly string[],
  standing: readonly StandingRow[],
  kept: ReadonlySet<string>,
  gone: readonly StandingRow[],
  segmentOf: (start: bigint, segment: string) => string,
) {
  const changed = new Set(batchKeys);
  const removed = new Set(gone);
  const stale = standing.filter(
    (row) => kept.has(row.sourceKey) && changed.has(row.sourceKey) && !removed.has(row),
  );
  const starts = new Map(stale.map((row) => [row.start, segmentOf(row.start, row.segment)]));
  await markTouched(
    tx,
    [...starts].map(([start, segment]) => ({
      segment,
      start,
      end: start,
      buckets: '0'.repeat(64),
    })),
  );
}
