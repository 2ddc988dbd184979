import { sql } from 'drizzle-orm';
import { array, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, rowsTable } from '@/lib/db/dataset-shape';
import { fromMicros, partList, toMicros } from '@/lib/db/statements/micros';
import { columnSql, ident } from '@/lib/digest/row-encoding-sql';
import type { RowToWrite } from '@/lib/domain/settle';

/** Where a row of a generation stands; `start` names its partition, in microseconds. */
export interface StandingRow {
  sourceKey: string;
  key: string;
  segment: string;
  start: bigint;
}

/**
 * A generation's rows of the given source keys, or with the given business keys. Always by
 * (segment and mapped range): the same segment may hold another generation's rows.
 */
export async function standingRows(
  tx: Tx,
  dataset: DatasetShape,
  generation: string,
  by: '_source_key' | '_key',
  keys: readonly string[],
): Promise<StandingRow[]> {
  if (keys.length === 0) return [];
  const column = sql.raw(ident(by));
  const found = await rows<Omit<StandingRow, 'start'> & { start: string }>(
    tx,
    sql`select x._source_key as "sourceKey", x._key as key, x._segment as segment,
        ${toMicros('x._partition')} as start
      from control.generation_range r
      join ${sql.raw(rowsTable(dataset.name))} x on x._segment = r.segment
        and x._partition >= coalesce(lower(r.span), '-infinity')
        and x._partition < coalesce(upper(r.span), 'infinity')
      where r.generation = ${generation} and x.${column} = any(${array(keys, 'text')})`,
  );
  return found.map((r) => ({ ...r, start: BigInt(r.start) }));
}

/** Copies whole partitions into a fresh segment, rows and figures, before the first change to them. */
export async function copyPartitions(
  tx: Tx,
  dataset: DatasetShape,
  target: string,
  parts: readonly { segment: string; start: bigint; end: bigint }[],
): Promise<void> {
  if (parts.length === 0) return;
  const list = [
    '_partition',
    '_key',
    '_source_key',
    '_revision',
    ...dataset.columns.map((c) => c.name),
  ];
  const from = partList(parts);
  await tx.execute(sql`
    insert into ${sql.raw(rowsTable(dataset.name))} (_segment, ${sql.raw(list.map(ident).join(', '))})
    select ${target}, ${sql.raw(list.map((name) => columnSql('x', name)).join(', '))}
    from ${from} join ${sql.raw(rowsTable(dataset.name))} x
      on x._segment = p.segment and x._partition = ${fromMicros('p.start')}`);
  await tx.execute(sql`
    insert into control.segment_partition (segment, start_at, end_at, version, figures_version,
      dirty_buckets, rows, sums, nulls, partials, bucket_rows, bucket_hashes, root)
    select ${target}, s.start_at, s.end_at, s.version, s.figures_version, s.dirty_buckets, s.rows,
      s.sums, s.nulls, s.partials, s.bucket_rows, s.bucket_hashes, s.root
    from ${from} join control.segment_partition s
      on s.segment = p.segment and s.start_at = ${fromMicros('p.start')}`);
}

/** Deletes exactly these rows. */
export async function deleteRows(
  tx: Tx,
  dataset: DatasetShape,
  standing: readonly StandingRow[],
): Promise<void> {
  if (standing.length === 0) return;
  await tx.execute(sql`
    delete from ${sql.raw(rowsTable(dataset.name))} x
    using unnest(${array(
      standing.map((r) => r.segment),
      'bigint',
    )},
      ${array(
        standing.map((r) => r.start),
        'bigint',
      )}, ${array(
        standing.map((r) => r.key),
        'text',
      )})
      as gone (segment, start, key)
    where x._segment = gone.segment and x._partition = ${fromMicros('gone.start')} and x._key = gone.key`);
}

/** Inserts rows; a key that stands already is an error, never skipped. */
export async function insertRows(
  tx: Tx,
  dataset: DatasetShape,
  toWrite: readonly (RowToWrite & { segment: string; start: bigint })[],
): Promise<void> {
  if (toWrite.length === 0) return;
  const names = dataset.columns.map((c) => ident(c.name));
  const typed = dataset.columns.map((c) => `v.${ident(c.name)}::${c.type}`);
  const columns = dataset.columns.map((_, i) =>
    array(
      toWrite.map((r) => r.values[i] ?? null),
      'text',
    ),
  );
  await tx.execute(sql`
    insert into ${sql.raw(rowsTable(dataset.name))}
      (_segment, _partition, _key, _source_key, _revision, ${sql.raw(names.join(', '))})
    select v._segment, ${fromMicros('v._start')}, v._key, v._source_key, v._revision, ${sql.raw(typed.join(', '))}
    from unnest(${array(
      toWrite.map((r) => r.segment),
      'bigint',
    )},
      ${array(
        toWrite.map((r) => r.start),
        'bigint',
      )}, ${array(
        toWrite.map((r) => r.key),
        'text',
      )},
      ${array(
        toWrite.map((r) => r.sourceKey),
        'text',
      )}, ${array(
        toWrite.map((r) => r.revision),
        'bigint',
      )},
      ${sql.join(columns, sql`, `)})
      as v (_segment, _start, _key, _source_key, _revision, ${sql.raw(names.join(', '))})
    order by v._segment, v._start, v._key collate "C"`);
}

export interface Touched {
  segment: string;
  start: bigint;
  end: bigint;
  /** 64 characters, '1' where a row of that bucket changed. */
  buckets: string;
}

/** Marks partitions as changed: their version counts on, their figures are stale from here. */
export async function markTouched(tx: Tx, touched: readonly Touched[]): Promise<void> {
  if (touched.length === 0) return;
  await tx.execute(sql`
    insert into control.segment_partition as s (segment, start_at, end_at, dirty_buckets)
    select t.segment, ${fromMicros('t.start')}, ${fromMicros('t.upper')}, repeat('1', 64)
    from unnest(${array(
      touched.map((t) => t.segment),
      'bigint',
    )}, ${array(
      touched.map((t) => t.start),
      'bigint',
    )},
      ${array(
        touched.map((t) => t.end),
        'bigint',
      )}) as t (segment, start, upper)
    order by t.segment, t.start
    on conflict (segment, start_at) do nothing`);
  await tx.execute(sql`
    update control.segment_partition s
    set version = s.version + 1, touched_at = clock_timestamp(),
      dirty_buckets = (s.dirty_buckets::bit(64) | t.buckets::bit(64))::text
    from unnest(${array(
      touched.map((t) => t.segment),
      'bigint',
    )}, ${array(
      touched.map((t) => t.start),
      'bigint',
    )},
      ${array(
        touched.map((t) => t.buckets),
        'text',
      )}) as t (segment, start, buckets)
    where s.segment = t.segment and s.start_at = ${fromMicros('t.start')}`);
}
