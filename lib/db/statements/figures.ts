import { sql } from 'drizzle-orm';
import { affected, array, type Database, json, one, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, rowsTable } from '@/lib/db/dataset-shape';
import { asCompare } from '@/lib/db/statements/evaluate';
import { transaction } from '@/lib/db/transaction';
import { EMPTY_BUCKET_HASH, partitionRoot } from '@/lib/digest/partition-root';
import {
  bucketFiguresSql,
  bucketSql,
  type FigureAggregate,
  ident,
  partitionFiguresSql,
  type RowsOf,
} from '@/lib/digest/row-encoding-sql';

/** The aggregates that a dataset keeps per (segment, partition), compiled over alias `x`. */
export interface DatasetAggregates {
  conserved: { name: string; aggregate: FigureAggregate }[];
  rollups: { name: string; aggregate: FigureAggregate }[];
}

/** What is known of a set of rows: exact text for every number. */
export interface Figures {
  rows: string;
  root: Buffer;
  bucketRows: string[];
  bucketHashes: Buffer[];
  sums: Record<string, string | null>;
  partials: Record<string, string | null>;
  nulls: Record<string, string>;
}

const nullCount = (column: string): FigureAggregate => ({
  name: `n:${column}`,
  fn: 'count',
  argSql: null,
  filterSql: `x.${ident(column)} is null`,
});

function aggregateList(dataset: DatasetShape, aggregates: DatasetAggregates): FigureAggregate[] {
  return [
    ...aggregates.conserved.map((c) => ({ ...c.aggregate, name: `c:${c.name}` })),
    ...aggregates.rollups.map((r) => ({ ...r.aggregate, name: `r:${r.name}` })),
    ...dataset.columns.filter((c) => c.nullable).map((c) => nullCount(c.name)),
  ];
}

/**
 * Figures of one partition's rows in one segment, or of any rows with the dataset's columns. The
 * sums are people's SQL, so this runs under the role that may read rows and nothing else.
 */
export async function figuresOf(
  tx: Tx,
  dataset: DatasetShape,
  aggregates: DatasetAggregates,
  source: Pick<RowsOf, 'from' | 'where'>,
): Promise<Figures> {
  const list = aggregateList(dataset, aggregates);
  const found = await asCompare(tx, (inner) =>
    one<Record<string, never>>(
      inner,
      sql.raw(
        partitionFiguresSql({ alias: 'x', ...source, columns: dataset.columns, aggregates: list }),
      ),
    ),
  );
  return read(dataset, aggregates, found);
}

function read(
  dataset: DatasetShape,
  aggregates: DatasetAggregates,
  found: Record<string, unknown>,
): Figures {
  const value = (name: string) => (found[name] === null ? null : String(found[name]));
  return {
    rows: String(found.rows),
    root: found.root as Buffer,
    bucketRows: (found.bucket_rows as unknown[]).map(String),
    bucketHashes: found.bucket_hashes as Buffer[],
    sums: Object.fromEntries(aggregates.conserved.map((c) => [c.name, value(`c:${c.name}`)])),
    partials: Object.fromEntries(aggregates.rollups.map((r) => [r.name, value(`r:${r.name}`)])),
    nulls: Object.fromEntries(
      dataset.columns.filter((c) => c.nullable).map((c) => [c.name, value(`n:${c.name}`) ?? '0']),
    ),
  };
}

/** The rows of one (segment, partition), as SQL text over alias `x`. */
export function partitionRows(dataset: DatasetShape, segment: string, start: string) {
  if (!/^\d+$/.test(segment)) throw new RangeError(`not a segment: ${segment}`);
  return {
    from: `${rowsTable(dataset.name)} x`,
    where: `x._segment = ${segment} and x._partition = timestamptz '${start.replaceAll("'", "''")}'`,
  };
}

const hex = (hashes: readonly Buffer[]) =>
  array(
    hashes.map((h) => `\\x${h.toString('hex')}`),
    'text',
  );

/** Stores figures as those of a version; false where the partition changed meanwhile. */
export async function storeFigures(
  tx: Tx | Database,
  at: { segment: string; start: string; end: string },
  figures: Figures,
  version: string,
): Promise<boolean> {
  const stored = await affected(
    tx,
    sql`insert into control.segment_partition as s (segment, start_at, end_at, version, figures_version,
        dirty_buckets, rows, sums, nulls, partials, bucket_rows, bucket_hashes, root)
      values (${at.segment}, ${at.start}, ${at.end}, ${version}, ${version}, repeat('0', 64),
        ${figures.rows}, ${json(figures.sums)}, ${json(figures.nulls)}, ${json(figures.partials)},
        ${array(figures.bucketRows, 'integer')}, ${hex(figures.bucketHashes)}::bytea[],
        ${`\\x${figures.root.toString('hex')}`}::text::bytea)
      on conflict (segment, start_at) do update
        set figures_version = excluded.figures_version, dirty_buckets = excluded.dirty_buckets,
          rows = excluded.rows, sums = excluded.sums, nulls = excluded.nulls,
          partials = excluded.partials, bucket_rows = excluded.bucket_rows,
          bucket_hashes = excluded.bucket_hashes, root = excluded.root
        where s.version = excluded.version`,
  );
  return stored === 1;
}

interface StalePartition {
  segment: string;
  start: string;
  end: string;
  version: string;
}

/**
 * Recomputes the figures of a generation's partitions that changed since they were taken, within
 * [from, to). Each is a compare-and-set on the partition's version: what changes meanwhile stays
 * stale. Takes at most `most`; answers how many it took.
 */
export async function refreshFigures(
  tx: Tx | Database,
  dataset: DatasetShape,
  aggregates: DatasetAggregates,
  generation: string,
  span: { from: string | null; to: string | null } = { from: null, to: null },
  most = 100_000,
): Promise<number> {
  const stale = await rows<StalePartition>(
    tx,
    sql`select s.segment, s.start_at as start, s.end_at as "end", s.version
      from control.generation_range r
      join control.segment_partition s on s.segment = r.segment and s.figures_version <> s.version
        and r.span @> s.start_at
      where r.generation = ${generation}
        and (${span.from}::timestamptz is null or s.start_at >= ${span.from}::timestamptz)
        and (${span.to}::timestamptz is null or s.start_at < ${span.to}::timestamptz)
      order by s.start_at limit ${most}`,
  );
  for (const partition of stale) {
    const refresh = async (inner: Tx) => {
      const figures = await touchedFigures(inner, dataset, aggregates, partition);
      await storeFigures(inner, partition, figures, partition.version);
    };
    // on a pool: a short transaction for each, so that nothing is held while others are computed
    await ('close' in tx ? transaction(tx, refresh) : refresh(tx));
  }
  return stale.length;
}

/** Sums of the whole partition, hashes of the touched buckets only: those are what costs. */
async function touchedFigures(
  tx: Tx,
  dataset: DatasetShape,
  aggregates: DatasetAggregates,
  at: StalePartition,
): Promise<Figures> {
  const rowsOf = partitionRows(dataset, at.segment, at.start);
  const kept = await one<{ dirty: string; hashes: Buffer[] | null; counts: string[] | null }>(
    tx,
    sql`select dirty_buckets as dirty, bucket_hashes as hashes, bucket_rows as counts
      from control.segment_partition where segment = ${at.segment} and start_at = ${at.start}`,
  );
  const dirty = [...kept.dirty].flatMap((bit, bucket) => (bit === '1' ? [bucket] : []));
  if (kept.hashes === null || kept.counts === null || dirty.length > 32) {
    return figuresOf(tx, dataset, aggregates, rowsOf);
  }
  return figuresOfBuckets(tx, dataset, aggregates, rowsOf, dirty, kept.hashes, kept.counts);
}

export async function figuresOfBuckets(
  tx: Tx,
  dataset: DatasetShape,
  aggregates: DatasetAggregates,
  rowsOf: { from: string; where: string },
  dirty: readonly number[],
  hashes: readonly Buffer[],
  counts: readonly string[],
): Promise<Figures> {
  const bucketHashes = [...hashes];
  const bucketRows = [...counts].map(String);
  for (const bucket of dirty) {
    bucketHashes[bucket] = Buffer.from(EMPTY_BUCKET_HASH);
    bucketRows[bucket] = '0';
  }
  if (dirty.length > 0) {
    const touched = await rows<{ bucket: number; rows: string; hash: Buffer }>(
      tx,
      sql.raw(
        bucketFiguresSql({
          alias: 'x',
          from: rowsOf.from,
          where: `${rowsOf.where} and ${bucketSql('x._key')} in (${dirty.join(', ')})`,
          columns: dataset.columns,
        }),
      ),
    );
    for (const bucket of touched) {
      bucketHashes[bucket.bucket] = bucket.hash;
      bucketRows[bucket.bucket] = bucket.rows;
    }
  }
  const list = aggregateList(dataset, aggregates);
  const sums = list.map(
    (a) =>
      `${a.fn}(${a.argSql ?? '*'})${a.filterSql ? ` filter (where ${a.filterSql})` : ''} as ${ident(a.name)}`,
  );
  const found = await asCompare(tx, (inner) =>
    one<Record<string, unknown>>(
      inner,
      sql.raw(
        `select ${['count(*) as rows', ...sums].join(', ')} from ${rowsOf.from} where ${rowsOf.where}`,
      ),
    ),
  );
  return read(dataset, aggregates, {
    ...found,
    bucket_rows: bucketRows,
    bucket_hashes: bucketHashes,
    root: partitionRoot(bucketHashes),
  });
}
