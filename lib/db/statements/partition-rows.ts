import { sql } from 'drizzle-orm';
import { array, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, rowsTable } from '@/lib/db/dataset-shape';
import { fromMicros, partList, toMicros } from '@/lib/db/statements/micros';
import { columnSql } from '@/lib/digest/row-encoding-sql';
import type { Interval } from '@/lib/domain/settle-partition';

/** A row of a partition with its values as text, in the order of the dataset's columns. */
export interface HeldRow {
  key: string;
  values: (string | null)[];
}

/** What whole partitions of segments hold, by their start; one without rows is missing. */
export async function heldRows(
  tx: Tx,
  dataset: DatasetShape,
  parts: readonly { segment: string; start: bigint }[],
): Promise<Map<bigint, HeldRow[]>> {
  const held = new Map<bigint, HeldRow[]>();
  if (parts.length === 0) return held;
  const values = dataset.columns.map((c) => `${columnSql('x', c.name)}::text`).join(', ');
  const found = await rows<HeldRow & { start: string }>(
    tx,
    sql`select ${toMicros('x._partition')} as start, x._key as key, array[${sql.raw(values)}] as values
      from ${partList(parts)}
      join ${sql.raw(rowsTable(dataset.name))} x
        on x._segment = p.segment and x._partition = ${fromMicros('p.start')}`,
  );
  for (const { start, key, values: texts } of found) {
    const list = held.get(BigInt(start)) ?? [];
    list.push({ key, values: texts });
    held.set(BigInt(start), list);
  }
  return held;
}

/**
 * Begins partitions in a segment where nothing of them is to be kept: what a dead process may have
 * left there is deleted, and their versions count on from the segments that they stood in until now.
 */
export async function beginPartitions(
  tx: Tx,
  dataset: DatasetShape,
  target: string,
  parts: readonly (Interval & { segment: string })[],
): Promise<void> {
  if (parts.length === 0) return;
  await tx.execute(sql`
    delete from ${sql.raw(rowsTable(dataset.name))} x
    using ${partList(parts)}
    where x._segment = ${target} and x._partition = ${fromMicros('p.start')}`);
  await tx.execute(sql`
    insert into control.segment_partition as t (segment, start_at, end_at, version, dirty_buckets)
    select ${target}, ${fromMicros('p.start')}, ${fromMicros('p.upper')}, coalesce(s.version, 1), repeat('1', 64)
    from unnest(${array(
      parts.map((part) => part.segment),
      'bigint',
    )}, ${array(
      parts.map((part) => part.start),
      'bigint',
    )}, ${array(
      parts.map((part) => part.end),
      'bigint',
    )}) as p (segment, start, upper)
    left join control.segment_partition s
      on s.segment = p.segment and s.start_at = ${fromMicros('p.start')}
    order by p.start
    on conflict (segment, start_at) do update
      set version = greatest(t.version, excluded.version), dirty_buckets = excluded.dirty_buckets`);
}
