import { sql } from 'drizzle-orm';
import { array, type Database, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, rowsTable } from '@/lib/db/dataset-shape';
import { fromMicros, partList, toMicros } from '@/lib/db/statements/micros';
import type { MapRange, Span } from '@/lib/domain/range-map';

/** One partition that a generation's map reaches; instants in microseconds. */
export interface MappedPartition {
  segment: string;
  start: bigint;
  end: bigint;
  version: string;
  /** As last computed: an estimate while its figures are stale. */
  rows: number;
}

/**
 * The partitions that a generation has within a span, in order, in one statement: those that stand
 * in `except` already are left out.
 */
export async function mappedPartitions(
  tx: Database | Tx,
  generation: string,
  span: Span,
  except: string | null = null,
): Promise<MappedPartition[]> {
  const from = sql`coalesce(timestamptz 'epoch' + ${span.from}::bigint * interval '1 microsecond', '-infinity')`;
  const to = sql`coalesce(timestamptz 'epoch' + ${span.to}::bigint * interval '1 microsecond', 'infinity')`;
  const found = await rows<{
    segment: string;
    start: string;
    end: string;
    version: string;
    rows: string;
  }>(
    tx,
    sql`select s.segment, ${toMicros('s.start_at')} as start, ${toMicros('s.end_at')} as "end", s.version, s.rows
      from control.generation_range r
      join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      where r.generation = ${generation} and s.segment is distinct from ${except}::bigint
        and s.start_at >= ${from} and s.start_at < ${to}
      order by s.start_at`,
  );
  return found.map((p) => ({
    ...p,
    start: BigInt(p.start),
    end: BigInt(p.end),
    rows: Number(p.rows),
  }));
}

/** A partition that never had a row has no record yet; its figures are those of nothing. */
export async function recordEmpty(
  tx: Tx,
  generation: string,
  partitions: readonly { start: bigint; end: bigint }[],
): Promise<void> {
  await tx.execute(sql`
    insert into control.segment_partition (segment, start_at, end_at)
    select r.segment, ${fromMicros('p.start')}, ${fromMicros('p.upper')}
    from unnest(${array(
      partitions.map((p) => p.start),
      'bigint',
    )}, ${array(
      partitions.map((p) => p.end),
      'bigint',
    )}) as p (start, upper)
    join control.generation_range r
      on r.generation = ${generation} and r.span @> ${fromMicros('p.start')}
    order by r.segment, p.start
    on conflict do nothing`);
}

/** Which of these partitions hold more rows than `most`, counted no further than that. */
export async function partitionsOver(
  tx: Tx,
  dataset: DatasetShape,
  parts: readonly { segment: string; start: bigint }[],
  most: number,
): Promise<Set<bigint>> {
  if (parts.length === 0) return new Set();
  const found = await rows<{ start: string }>(
    tx,
    sql`select p.start from ${partList(parts)}
      where (select count(*) from (
        select from ${sql.raw(rowsTable(dataset.name))} x
        where x._segment = p.segment and x._partition = ${fromMicros('p.start')} limit ${most + 1}) x) > ${most}`,
  );
  return new Set(found.map((p) => BigInt(p.start)));
}

/** Locks the records of copied partitions; false where one of them was cleared away. */
export async function holdCopies(
  tx: Tx,
  segment: string,
  parts: readonly MappedPartition[],
): Promise<boolean> {
  const held = await rows(
    tx,
    sql`select 1 from ${partList(parts.map(({ start }) => ({ segment, start })))}
      join control.segment_partition s on s.segment = p.segment and s.start_at = ${fromMicros('p.start')}
      order by s.start_at for update of s`,
  );
  return held.length === parts.length;
}

/**
 * Deletes those of the partitions that no map names, rows and records, and answers how many they
 * were. Each record is locked before the maps are read: whoever is turning a map over to such a copy
 * holds it until then.
 */
export async function deleteUnmapped(
  tx: Tx,
  dataset: string,
  parts: readonly { segment: string; start: bigint }[],
): Promise<number> {
  if (parts.length === 0) return 0;
  await tx.execute(sql`
    select 1 from ${partList(parts)}
    join control.segment_partition s on s.segment = p.segment and s.start_at = ${fromMicros('p.start')}
    order by s.segment, s.start_at for update of s`);
  const gone = await rows<{ segment: string; start: string }>(
    tx,
    sql`delete from control.segment_partition s using ${partList(parts)}
      where s.segment = p.segment and s.start_at = ${fromMicros('p.start')}
        and not exists (select from control.generation_range r
          where r.segment = s.segment and r.span @> s.start_at)
      returning p.segment, p.start`,
  );
  if (gone.length > 0) {
    await tx.execute(sql`
      delete from ${sql.raw(rowsTable(dataset))} x
      using ${partList(gone.map(({ segment, start }) => ({ segment, start: BigInt(start) })))}
      where x._segment = p.segment and x._partition = ${fromMicros('p.start')}`);
  }
  return gone.length;
}

/**
 * Partitions of a dataset's segments that no map names, a bounded number: left behind where a map
 * was turned over to a copy, or by a copy whose process died. A copy that may still be under way is
 * not among them.
 */
export async function unmappedPartitions(
  tx: Database | Tx,
  dataset: string,
  most: number,
): Promise<{ segment: string; start: bigint }[]> {
  const found = await rows<{ segment: string; start: string }>(
    tx,
    sql`select s.segment, ${toMicros('s.start_at')} as start
      from control.segment g
      join control.segment_partition s on s.segment = g.id
      where g.dataset = ${dataset} and g.deleted_at is null
        and (g.kind not in ('copy', 'run') or g.created_at < clock_timestamp() - interval '15 minutes')
        and not exists (select from control.generation_range r
          where r.segment = s.segment and r.span @> s.start_at)
      limit ${most}`,
  );
  return found.map(({ segment, start }) => ({ segment, start: BigInt(start) }));
}

/** Rows in each range of a map, by the figures of its partitions. */
export async function rowsOfRanges(
  tx: Database | Tx,
  generation: string,
): Promise<(range: MapRange) => number> {
  const found = await rows<{ from: string | null; rows: string }>(
    tx,
    sql`select ${toMicros('lower(r.span)')} as "from", coalesce(sum(s.rows), 0) as rows
      from control.generation_range r
      left join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      where r.generation = ${generation} group by r.span`,
  );
  const counted = new Map(
    found.map((r) => [r.from === null ? null : BigInt(r.from), Number(r.rows)]),
  );
  return (range) => counted.get(range.from) ?? 0;
}
