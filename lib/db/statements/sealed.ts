import { sql } from 'drizzle-orm';
import { array, type Database, one, rows, type Tx } from '@/lib/db/client';
import { fromMicros, toMicros } from '@/lib/db/statements/micros';
import { isFork, originOf } from '@/lib/domain/names';
import type { SealedInWay } from '@/lib/domain/sealed';

/** A partition whose figures were published; `start` and `end` in microseconds since 1970. */
export interface SealedPartition {
  start: bigint;
  end: bigint;
  /** What of the log the published figures contain. */
  progress: string[];
  publication: string;
}

type Found = Omit<SealedPartition, 'start' | 'end'> & { start: string; end: string };

const columns = sql`${toMicros('p.start_at')} as start, ${toMicros('p.end_at')} as "end", p.progress,
  p.publication`;

const read = (found: readonly Found[]) =>
  found.map((p): SealedPartition => ({ ...p, start: BigInt(p.start), end: BigInt(p.end) }));

/** Whether anything of a dataset was ever published; a fork goes by its origin. */
export async function hasPublished(tx: Database | Tx, dataset: string): Promise<boolean> {
  const { published } = await one<{ published: boolean }>(
    tx,
    sql`select exists (select from control.published_partition where dataset = ${originOf(dataset)})
      as published`,
  );
  return published;
}

/** Those of the given partitions that are sealed, by their start in microseconds. */
export async function sealedAmong(
  tx: Database | Tx,
  dataset: string,
  starts: readonly bigint[],
): Promise<Map<bigint, SealedPartition>> {
  if (starts.length === 0) return new Map();
  const found = await rows<Found>(
    tx,
    sql`select ${columns}
      from unnest(${array(starts, 'bigint')}) as s (start)
      join control.published_partition p
        on p.dataset = ${originOf(dataset)} and p.start_at = ${fromMicros('s.start')}`,
  );
  return new Map(read(found).map((p) => [p.start, p]));
}

/** Sealed partitions of a dataset in order of time; of a range that is not bounded, all of them. */
export async function sealedWithin(
  tx: Database | Tx,
  dataset: string,
  { from, to }: { from: string | null; to: string | null } = { from: null, to: null },
): Promise<SealedPartition[]> {
  const found = await rows<Found>(
    tx,
    sql`select ${columns} from control.published_partition p
      where p.dataset = ${originOf(dataset)}
        and (${from}::timestamptz is null or p.start_at >= ${from}::timestamptz)
        and (${to}::timestamptz is null or p.start_at < ${to}::timestamptz)
      order by p.start_at`,
  );
  return read(found);
}

/** What an event would have changed in a sealed partition. */
export interface PendingNote {
  /** The partition, in microseconds. */
  start: bigint;
  shard: number;
  offset: string;
  sourceKey: string;
  /** The row that would stand there, null where none would. */
  key: string | null;
  values: readonly (string | null)[] | null;
}

/**
 * Notes pending corrections, each once. A fork notes none: what it is to show is known of its origin.
 */
export async function notePending(
  tx: Tx,
  dataset: string,
  notes: readonly PendingNote[],
): Promise<void> {
  if (notes.length === 0 || isFork(dataset)) return;
  await tx.execute(sql`
    insert into control.pending_correction (dataset, start_at, shard, "offset", source_key, key, values)
    select ${dataset}, ${fromMicros('n.start')}, n.shard, n."offset", n.source_key, n.key,
      case when n.stored is not null then array(select jsonb_array_elements_text(n.stored)) end
    from unnest(${array(
      notes.map((n) => n.start),
      'bigint',
    )}, ${array(
      notes.map((n) => n.shard),
      'integer',
    )}, ${array(
      notes.map((n) => n.offset),
      'bigint',
    )}, ${array(
      notes.map((n) => n.sourceKey),
      'text',
    )}, ${array(
      notes.map((n) => n.key),
      'text',
    )}, ${array(
      notes.map((n) => (n.values === null ? null : JSON.stringify(n.values))),
      'text',
    )}::jsonb[]) as n (start, shard, "offset", source_key, key, stored)
    order by n.start, n.shard, n."offset", n.source_key
    on conflict do nothing`);
}

/** Every note about some source keys, in the order of their events. */
export async function notesOf(
  tx: Tx,
  dataset: string,
  sourceKeys: readonly string[],
): Promise<PendingNote[]> {
  if (sourceKeys.length === 0) return [];
  const found = await rows<Omit<PendingNote, 'start'> & { start: string }>(
    tx,
    sql`select ${toMicros('p.start_at')} as start, p.shard, p."offset", p.source_key as "sourceKey",
        p.key, p.values
      from control.pending_correction p
      where p.dataset = ${originOf(dataset)} and p.source_key = any(${array(sourceKeys, 'text')})
      order by p.shard, p."offset"`,
  );
  return found.map((n) => ({ ...n, start: BigInt(n.start) }));
}

/** Source keys whose row in a sealed partition would have one of the given business keys. */
export async function notedHolders(
  tx: Tx,
  dataset: string,
  keys: readonly string[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const found = await rows<{ sourceKey: string }>(
    tx,
    sql`select distinct source_key as "sourceKey" from control.pending_correction
      where dataset = ${originOf(dataset)} and key = any(${array(keys, 'text')})`,
  );
  return found.map((n) => n.sourceKey);
}

/** How many partitions of a range are sealed, and the first few. */
export async function sealedInWay(
  tx: Database | Tx,
  dataset: string,
  from: string | null,
  to: string | null,
): Promise<SealedInWay> {
  const found = await one<{ count: number; first: string[] | null }>(
    tx,
    sql`select count(*)::int as count, (array_agg(p.start_at order by p.start_at))[1:3] as first
      from control.published_partition p
      where p.dataset = ${originOf(dataset)} and p.start_at >= ${from}::timestamptz
        and (${to}::timestamptz is null or p.start_at < ${to}::timestamptz)`,
  );
  return { count: found.count, first: found.first ?? [] };
}
