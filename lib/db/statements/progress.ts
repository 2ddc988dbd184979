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
  /** The progress that it begins after. */
  from: readonly string[];
  /** Per shard: the last offset scanned, whether its events are effective or not. */
  end: string[];
  scanned: number;
  /** Keys with an effective event in the batch. */
  keys: string[];
  /** When the log had received the newest event of the batch. */
  receivedAt: string | null;
}

/** The log was pruned under a reader that needs every event. Nothing that is pruned is needed. */
export class LogPruned extends Error {
  constructor(source: string, what: string) {
    super(`the log of ${source} was pruned under this reader: ${what}`);
    this.name = 'LogPruned';
  }
}

/**
 * The next events after a progress, at most `size` per shard and none beyond `limit`. Progress is
 * the last offset scanned: a trailing event that is not effective must not keep a candidate from
 * ever reaching its barrier.
 *
 * From `retained_from` on every offset must be there. What lies below is the base: the newest event
 * of each key that lived at its end. A generation that began from nothing may read it, and is right
 * at the base's end, which is all that is asked of it before it serves; half-way it lacks the keys
 * whose event comes later. Any other generation has rows that a pruned event would have changed.
 *
 * @param fromNothing a first generation that is loading, so that it began at offset 0
 * @throws LogPruned
 */
export async function nextBatch(
  tx: Tx,
  source: string,
  progress: readonly string[],
  limit: readonly string[],
  size: number,
  fromNothing = false,
): Promise<Batch> {
  const base = fromNothing ? await baseEnds(tx, source, progress, size) : new Map();
  const end = progress.map((from, shard) => {
    const to = BigInt(limit[shard] ?? from);
    const next = base.get(shard) ?? BigInt(from) + BigInt(size);
    return String(to < BigInt(from) ? BigInt(from) : next < to ? next : to);
  });
  const scanned = end.reduce(
    (sum, to, shard) => sum + Number(BigInt(to) - BigInt(progress[shard] ?? to)),
    0,
  );
  if (scanned === 0) return { from: progress, end, scanned, keys: [], receivedAt: null };
  const found = await one<{
    keys: string[] | null;
    received: string | null;
    present: string;
    retained: string[];
  }>(
    tx,
    sql`select array_agg(distinct e.key) filter (where e.effective) as keys,
        max(e.received_at) as received,
        count(*) filter (where e."offset" >= h.retained_from) as present,
        (select array_agg(r.retained_from order by r.shard) from control.source_shard r
          where r.source = ${source}) as retained
      from unnest(${array(progress, 'bigint')}, ${array(end, 'bigint')}) with ordinality as s (after, upto, n)
      join control.source_shard h on h.source = ${source} and h.shard = s.n - 1
      join control.source_event e on e.source = ${source} and e.shard = s.n - 1
        and e."offset" > s.after and e."offset" <= s.upto`,
  );
  let whole = 0n;
  for (const [shard, from] of progress.entries()) {
    const pruned = BigInt(found.retained[shard] ?? '1') - 1n;
    const after = BigInt(from);
    const upto = BigInt(end[shard] ?? from);
    if (upto > after && after < pruned && !fromNothing) {
      throw new LogPruned(
        source,
        `shard ${shard} is whole from ${pruned + 1n}, needed from ${after + 1n}`,
      );
    }
    const first = after < pruned ? pruned : after;
    if (upto > first) whole += upto - first;
  }
  if (BigInt(found.present) !== whole) {
    throw new LogPruned(source, `it holds ${found.present} of ${whole} events`);
  }
  return { from: progress, end, scanned, keys: found.keys ?? [], receivedAt: found.received };
}

/**
 * Where a batch of `size` events ends in the shards whose base is not behind a progress yet: offsets
 * there are far apart, and a batch of so many offsets would be nearly empty.
 */
async function baseEnds(
  tx: Tx,
  source: string,
  progress: readonly string[],
  size: number,
): Promise<Map<number, bigint>> {
  const found = await rows<{ shard: number; upto: string }>(
    tx,
    sql`select h.shard, coalesce((
        select e."offset" from control.source_event e
        where e.source = h.source and e.shard = h.shard and e."offset" > s.after
          and e."offset" < h.retained_from
        order by e."offset" offset ${size - 1} limit 1), h.retained_from - 1) as upto
      from unnest(${array(progress, 'bigint')}) with ordinality as s (after, n)
      join control.source_shard h on h.source = ${source} and h.shard = s.n - 1
      where s.after < h.retained_from - 1`,
  );
  return new Map(found.map(({ shard, upto }) => [shard, BigInt(upto)]));
}

/** Whether the log still holds every event after a watermark, in every shard. */
export async function logReachesBack(
  tx: Database | Tx,
  source: string,
  watermark: readonly string[],
): Promise<boolean> {
  const { reaches } = await one<{ reaches: boolean }>(
    tx,
    sql`select not exists (
        select from unnest(${array(watermark, 'bigint')}) with ordinality as w (applied, n)
        join control.source_shard h on h.source = ${source} and h.shard = w.n - 1
        where w.applied < h.retained_from - 1) as reaches`,
  );
  return reaches;
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
