import { sql } from 'drizzle-orm';
import { array, maybeOne, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, rowsTable } from '@/lib/db/dataset-shape';
import { columnSql, ident } from '@/lib/digest/row-encoding-sql';

/** One (segment, partition); the partition by its start instant. */
export interface Place {
  segment: string;
  start: string;
}

const table = (dataset: DatasetShape) => sql.raw(rowsTable(dataset.name));
const at = (alias: string, { segment, start }: Place) =>
  sql`${sql.raw(alias)}._segment = ${segment} and ${sql.raw(alias)}._partition = ${start}::timestamptz`;

/** The rows that stand in a partition, by key. */
export function rowsStanding(
  tx: Tx,
  dataset: DatasetShape,
  place: Place,
): Promise<{ key: string; sourceKey: string }[]> {
  return rows(
    tx,
    sql`select x._key as key, x._source_key as "sourceKey" from ${table(dataset)} x
      where ${at('x', place)} order by x._key collate "C"`,
  );
}

/** Deletes the rows of a place that no map names. */
export async function clearRows(tx: Tx, dataset: DatasetShape, place: Place): Promise<void> {
  await tx.execute(sql`delete from ${table(dataset)} x where ${at('x', place)}`);
}

/** Deletes what a former try left in a place that no map names, rows and record. */
export async function clearPlace(tx: Tx, dataset: DatasetShape, place: Place): Promise<void> {
  await clearRows(tx, dataset, place);
  await tx.execute(sql`
    delete from control.segment_partition
    where segment = ${place.segment} and start_at = ${place.start}::timestamptz`);
}

/**
 * Copies rows of one partition into its other place and answers their keys. `by` names them by
 * source key or by key; a key that stands there already is an error, unless they are `yielding`: stale
 * rows, which give way to right ones.
 */
export async function copyRows(
  tx: Tx,
  dataset: DatasetShape,
  from: Place,
  to: string,
  by: { column: '_source_key' | '_key'; values: readonly string[]; yielding?: boolean },
): Promise<string[]> {
  if (by.values.length === 0) return [];
  const list = [
    '_partition',
    '_key',
    '_source_key',
    '_revision',
    ...dataset.columns.map((c) => c.name),
  ];
  const copied = await rows<{ key: string }>(
    tx,
    sql`insert into ${table(dataset)} (_segment, ${sql.raw(list.map(ident).join(', '))})
      select ${to}::bigint, ${sql.raw(list.map((name) => columnSql('x', name)).join(', '))}
      from ${table(dataset)} x
      where ${at('x', from)} and x.${sql.raw(ident(by.column))} = any(${array(by.values, 'text')})
        ${
          by.yielding
            ? sql`and not exists (select from ${table(dataset)} w
                where w._segment = ${to} and w._partition = x._partition and w._key = x._key)`
            : sql``
        }
      returning _key as key`,
  );
  return copied.map(({ key }) => key);
}

/** Deletes the rows of some source keys from a place, and answers their keys. */
export async function dropRows(
  tx: Tx,
  dataset: DatasetShape,
  place: Place,
  sourceKeys: readonly string[],
): Promise<string[]> {
  if (sourceKeys.length === 0) return [];
  const dropped = await rows<{ key: string }>(
    tx,
    sql`delete from ${table(dataset)} x
      where ${at('x', place)} and x._source_key = any(${array(sourceKeys, 'text')})
      returning x._key as key`,
  );
  return dropped.map(({ key }) => key);
}

/**
 * Whether two places of one partition name other source keys for some row. A root is over what
 * people read, and would not show it; the next event of that key would hit the wrong row.
 */
export async function otherSources(
  tx: Tx,
  dataset: DatasetShape,
  start: string,
  a: string,
  b: string,
): Promise<boolean> {
  const found = await rows(
    tx,
    sql`select 1 from ${table(dataset)} x
      join ${table(dataset)} y on ${at('y', { segment: b, start })} and y._key = x._key
      where ${at('x', { segment: a, start })} and x._source_key <> y._source_key limit 1`,
  );
  return found.length > 0;
}

/** The version of a place; null where nothing was ever written to it. */
export async function versionOf(tx: Tx, place: Place): Promise<string | null> {
  const found = await maybeOne<{ version: string }>(
    tx,
    sql`select version from control.segment_partition
      where segment = ${place.segment} and start_at = ${place.start}::timestamptz`,
  );
  return found?.version ?? null;
}

/**
 * Gives a place that no map names the version that follows the served one's, so that whoever
 * compared the partition before sees that it changed. False where it was cleared away.
 */
export async function raiseVersion(tx: Tx, place: Place, version: string): Promise<boolean> {
  const raised = await rows(
    tx,
    sql`update control.segment_partition set version = ${version}, touched_at = clock_timestamp()
      where segment = ${place.segment} and start_at = ${place.start}::timestamptz returning 1`,
  );
  return raised.length === 1;
}

/** Source keys with an effective event after one watermark and up to another. */
export async function keysBetween(
  tx: Tx,
  source: string,
  from: readonly string[],
  to: readonly string[],
): Promise<string[]> {
  const found = await rows<{ key: string }>(
    tx,
    sql`select distinct e.key
      from unnest(${array(from, 'bigint')}, ${array(to, 'bigint')}) with ordinality as s (after, upto, n)
      join control.source_event e on e.source = ${source} and e.shard = s.n - 1
        and e."offset" > s.after and e."offset" <= s.upto
      where e.effective`,
  );
  return found.map(({ key }) => key);
}

/** Source keys that a generation has in quarantine. */
export async function quarantinedKeys(tx: Tx, generation: string): Promise<string[]> {
  const found = await rows<{ key: string }>(
    tx,
    sql`select source_key as key from control.quarantine where generation = ${generation}`,
  );
  return found.map(({ key }) => key);
}
