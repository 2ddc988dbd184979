import { sql } from 'drizzle-orm';
import { array, rows, type Tx } from '@/lib/db/client';
import type { Batch } from '@/lib/db/statements/progress';
import {
  hasPublished,
  notePending,
  type PendingNote,
  type SealedPartition,
  sealedAmong,
} from '@/lib/db/statements/sealed';
import type { Interval } from '@/lib/domain/settle-partition';
import type { ApplyInput } from './apply-batch';
import type { TouchedBy } from './apply-partitions';

/**
 * The sealed ones among the partitions that a batch touches; they stay as they were published, and
 * every event of the batch whose fact came from there or went there is noted as pending, with no row
 * of its own: what the partition would hold is computed from all of its facts. Only of a generation
 * that serves or served: a candidate's own version goes on following the facts.
 */
export async function setPartitionsApart(
  tx: Tx,
  { dataset, writeSegment }: Pick<ApplyInput, 'dataset' | 'writeSegment'>,
  batch: Batch,
  touched: TouchedBy,
  partitions: readonly Interval[],
): Promise<ReadonlyMap<bigint, SealedPartition>> {
  if (writeSegment === null || !(await hasPublished(tx, dataset.name))) return new Map();
  const starts = partitions.map(({ start }) => start);
  const sealed = await sealedAmong(tx, dataset.name, starts);
  if (sealed.size === 0) return sealed;
  const notes: PendingNote[] = [];
  for (const event of await eventsOf(tx, dataset.source.name, batch)) {
    for (const { start, end, progress } of sealed.values()) {
      const here = touched.places.get(event.key)?.some((at) => start <= at && at < end);
      if (!here || BigInt(event.offset) <= BigInt(progress[event.shard] ?? '0')) continue;
      const { shard, offset, key: sourceKey } = event;
      notes.push({ start, shard, offset, sourceKey, key: null, values: null });
    }
  }
  await notePending(tx, dataset.name, notes);
  return sealed;
}

function eventsOf(tx: Tx, source: string, { from, end, keys }: Batch) {
  return rows<{ key: string; shard: number; offset: string }>(
    tx,
    sql`select e.key, e.shard, e."offset"
      from unnest(${array(from, 'bigint')}, ${array(end, 'bigint')}) with ordinality as s (after, upto, n)
      join control.source_event e on e.source = ${source} and e.shard = s.n - 1
        and e."offset" > s.after and e."offset" <= s.upto and e.effective
      where e.key = any(${array(keys, 'text')})
      order by e.shard, e."offset"`,
  );
}
