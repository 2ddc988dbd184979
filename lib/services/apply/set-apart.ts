import { sql } from 'drizzle-orm';
import { array, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, rowsTable } from '@/lib/db/dataset-shape';
import type { Partition } from '@/lib/db/statements/calendar';
import { fromMicros, partList, toMicros } from '@/lib/db/statements/micros';
import type { Batch } from '@/lib/db/statements/progress';
import type { StandingRow } from '@/lib/db/statements/rows';
import {
  hasPublished,
  notePending,
  notesOf,
  type PendingNote,
  type SealedPartition,
  sealedAmong,
} from '@/lib/db/statements/sealed';
import { columnSql } from '@/lib/digest/row-encoding-sql';
import type { RowToWrite } from '@/lib/domain/settle';
import type { ApplyInput } from './apply-batch';

export interface Change {
  batch: Batch;
  /** The whole group: the batch's keys, and whoever they collide with. */
  keys: readonly string[];
  standing: readonly StandingRow[];
  write: readonly RowToWrite[];
  /** Of each row to write. */
  partitions: ReadonlyMap<bigint, Partition>;
  /** Source keys that could not become a row: their last good row stays. */
  kept: ReadonlySet<string>;
}

export type Sealed = ReadonlyMap<bigint, SealedPartition>;

/**
 * The sealed partitions that a change would touch; their rows stay as they were published. What it
 * would have made of them is noted as pending, by the event. A fact that moves between a sealed and
 * an open partition changes the open one only; the sealed one's note carries the other leg.
 *
 * Only of a generation that serves or served: a candidate's own version of a sealed partition goes
 * on following the facts, since it is what the correction will be taken from.
 */
export async function setApart(
  tx: Tx,
  { dataset, writeSegment }: Pick<ApplyInput, 'dataset' | 'writeSegment'>,
  change: Change,
): Promise<Sealed> {
  if (writeSegment === null || !(await hasPublished(tx, dataset.name))) return new Map();
  const { keys, standing, write, partitions } = change;
  const noted = await notesOf(tx, dataset.name, keys);
  const starts = [
    ...standing.map((row) => row.start),
    ...write.map((row) => (partitions.get(row.micros) as Partition).start),
    ...noted.map((note) => note.start),
  ];
  const sealed = await sealedAmong(tx, dataset.name, [...new Set(starts)]);
  if (sealed.size > 0) {
    await notePending(tx, dataset.name, await changes(tx, dataset, change, sealed, noted));
  }
  return sealed;
}

type RowOf = Pick<PendingNote, 'key' | 'values'>;
const none: RowOf = { key: null, values: null };
const same = (a: RowOf, b: RowOf) =>
  JSON.stringify([a.key, a.values]) === JSON.stringify([b.key, b.values]);

async function changes(
  tx: Tx,
  dataset: DatasetShape,
  { batch, standing, write, partitions, kept }: Change,
  sealed: Sealed,
  noted: readonly PendingNote[],
): Promise<PendingNote[]> {
  const frozenRows = standing.filter((row) => sealed.has(row.start));
  const name = (start: bigint, sourceKey: string) => `${start} ${sourceKey}`;
  const frozen = new Map(
    (await valuesOf(tx, dataset, frozenRows)).map((row) => [name(row.start, row.sourceKey), row]),
  );
  const wanted = new Map(
    write.map((row) => [name((partitions.get(row.micros) as Partition).start, row.sourceKey), row]),
  );
  const touched = new Map<string, { start: bigint; sourceKey: string }>();
  const touch = (start: bigint, sourceKey: string) => {
    if (sealed.has(start) && !kept.has(sourceKey))
      touched.set(name(start, sourceKey), { start, sourceKey });
  };
  for (const row of frozenRows) touch(row.start, row.sourceKey);
  for (const row of write) touch((partitions.get(row.micros) as Partition).start, row.sourceKey);
  for (const note of noted) touch(note.start, note.sourceKey);

  const events = await newestOf(tx, dataset.source.name, batch, [
    ...new Set([...touched.values()].map((t) => t.sourceKey)),
  ]);
  const notes: PendingNote[] = [];
  for (const [at, { start, sourceKey }] of touched) {
    // of whom another's event changed: that event's batch
    const own = events.get(sourceKey);
    const event = own ?? lastOf(batch);
    const { progress } = sealed.get(start) as SealedPartition;
    if (BigInt(event.offset) <= BigInt(progress[event.shard] ?? '0')) continue;
    const before = noted.findLast(
      (n) =>
        n.start === start &&
        n.sourceKey === sourceKey &&
        (n.shard !== event.shard || BigInt(n.offset) < BigInt(event.offset)),
    );
    const was: RowOf = before ?? frozen.get(at) ?? none;
    const row = wanted.get(at);
    const is: RowOf = row ? { key: row.key, values: row.values } : none;
    // made by different transforms, equal rows do not say that nothing changed
    const changed = own ? was.key !== null || is.key !== null : !same(was, is);
    if (changed) notes.push({ start, sourceKey, ...event, ...is });
  }
  return notes;
}

/** Rows of sealed partitions, with their values as text. */
async function valuesOf(tx: Tx, dataset: DatasetShape, standing: readonly StandingRow[]) {
  if (standing.length === 0) return [];
  const values = dataset.columns.map((c) => `${columnSql('x', c.name)}::text`).join(', ');
  const found = await rows<RowOf & { start: string; sourceKey: string }>(
    tx,
    sql`select ${toMicros('x._partition')} as start, x._source_key as "sourceKey", x._key as key,
        array[${sql.raw(values)}] as values
      from ${partList(standing)}
      join ${sql.raw(rowsTable(dataset.name))} x
        on x._segment = p.segment and x._partition = ${fromMicros('p.start')}
      where x._source_key = any(${array(
        standing.map((row) => row.sourceKey),
        'text',
      )})`,
  );
  return found.map((row) => ({ ...row, start: BigInt(row.start) }));
}

/** The batch's newest event of each key. */
async function newestOf(
  tx: Tx,
  source: string,
  batch: Batch,
  keys: readonly string[],
): Promise<Map<string, { shard: number; offset: string }>> {
  const found = await rows<{ key: string; shard: number; offset: string }>(
    tx,
    sql`select e.key, e.shard, max(e."offset") as "offset"
      from unnest(${array(batch.from, 'bigint')}, ${array(batch.end, 'bigint')}) with ordinality as s (after, upto, n)
      join control.source_event e on e.source = ${source} and e.shard = s.n - 1
        and e."offset" > s.after and e."offset" <= s.upto and e.effective
      where e.key = any(${array(keys, 'text')})
      group by e.key, e.shard`,
  );
  return new Map(found.map(({ key, shard, offset }) => [key, { shard, offset }]));
}

/** An event of the batch to name where no event of the key itself is in it. */
function lastOf({ from, end }: Batch): { shard: number; offset: string } {
  const shard = end.findIndex((offset, i) => BigInt(offset) > BigInt(from[i] ?? '0'));
  return { shard, offset: end[shard] as string };
}
