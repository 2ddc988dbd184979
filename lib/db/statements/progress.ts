import { sql } from 'drizzle-orm';
import { array, type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';

/** Locks a generation's progress; null where another process is applying to it. */
export async function lockProgress(
  tx: Tx,
  generation: string,
  mode: 'wait' | 'skip' = 'skip',
): Promise<string[] | null> {
  const locked = await maybeOne<{ offsets: string[] }>(
    tx,
    sql`select offsets from control.generation_progress where generation = ${generation}
      for update ${sql.raw(mode === 'skip' ? 'skip locked' : '')}`,
  );
  return locked?.offsets ?? null;
}

export async function readProgress(tx: Database | Tx, generation: string): Promise<string[]> {
  const { offsets } = await one<{ offsets: string[] }>(
    tx,
    sql`select offsets from control.generation_progress where generation = ${generation}`,
  );
  return offsets;
}

/** The log's end: the last committed offset of every shard. */
export async function logEnd(tx: Database | Tx, source: string): Promise<string[]> {
  const shards = await rows<{ last: string }>(
    tx,
    sql`select last_offset as last from control.source_shard where source = ${source} order by shard`,
  );
  return shards.map((s) => s.last);
}

export interface Batch {
  /** Per shard: the last offset scanned, whether its events are effective or not. */
  end: string[];
  scanned: number;
  /** Keys with an effective event in the batch. */
  keys: string[];
  /** When the log had received the newest event of the batch. */
  receivedAt: string | null;
}

/**
 * The next events after a progress, at most `size` per shard and none beyond `limit`. Progress is
 * the last offset scanned: a trailing event that is not effective must not keep a candidate from
 * ever reaching its barrier.
 */
export async function nextBatch(
  tx: Tx,
  source: string,
  progress: readonly string[],
  limit: readonly string[],
  size: number,
): Promise<Batch> {
  const end = progress.map((from, shard) => {
    const to = BigInt(limit[shard] ?? from);
    const next = BigInt(from) + BigInt(size);
    return String(to < BigInt(from) ? BigInt(from) : next < to ? next : to);
  });
  const scanned = end.reduce(
    (sum, to, shard) => sum + Number(BigInt(to) - BigInt(progress[shard] ?? to)),
    0,
  );
  if (scanned === 0) return { end, scanned, keys: [], receivedAt: null };
  const found = await one<{ keys: string[] | null; received: string | null; present: string }>(
    tx,
    sql`select array_agg(distinct e.key) filter (where e.effective) as keys,
        max(e.received_at) as received, count(*) as present
      from unnest(${array(progress, 'bigint')}, ${array(end, 'bigint')}) with ordinality as s (after, upto, n)
      join control.source_event e on e.source = ${source} and e.shard = s.n - 1
        and e."offset" > s.after and e."offset" <= s.upto`,
  );
  // Offsets are dense: fewer events than offsets means that the log was pruned under this reader.
  if (Number(found.present) !== scanned) {
    throw new Error(
      `the log of ${source} holds ${found.present} of ${scanned} events: it was pruned`,
    );
  }
  return { end, scanned, keys: found.keys ?? [], receivedAt: found.received };
}

export async function saveProgress(tx: Tx, generation: string, batch: Batch): Promise<void> {
  await tx.execute(sql`
    update control.generation_progress set offsets = ${array(batch.end, 'bigint')},
      applied_at = clock_timestamp(), events = events + ${batch.scanned},
      event_received_at = coalesce(${batch.receivedAt}::timestamptz, event_received_at)
    where generation = ${generation}`);
}

/** How many events lie between two watermarks; negative parts count as none. */
export function eventsBetween(from: readonly string[], to: readonly string[]): bigint {
  return to.reduce((sum, end, shard) => {
    const gap = BigInt(end) - BigInt(from[shard] ?? '0');
    return gap > 0n ? sum + gap : sum;
  }, 0n);
}

export const sameOffsets = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((offset, shard) => BigInt(offset) === BigInt(b[shard] ?? '-1'));
