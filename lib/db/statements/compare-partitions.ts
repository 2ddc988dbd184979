import { type SQL, sql } from 'drizzle-orm';
import { array } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { columnSql } from '@/lib/digest/row-encoding-sql';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { partitionKey } from '@/lib/domain/settle-partition';
import { FACTS, PART } from '@/lib/transform/compile';
import type { Chunk } from './compare-sides';
import { keySql, outputSql } from './evaluate';

/** The partitions of a chunk as `(start, upper, name)`; `name` is what their rows come from. */
export function partsSql({ partitions }: Pick<Chunk, 'partitions'>): SQL {
  return sql`select * from unnest(${array(
    partitions.map((p) => p.start),
    'timestamptz',
  )}, ${array(
    partitions.map((p) => p.end),
    'timestamptz',
  )}, ${array(
    partitions.map((p) => partitionKey(microsOf(p.start as Instant))),
    'text',
  )}) as p (start, upper, name)`;
}

/**
 * Rows that a transform of grain `partition` yields, each in the partition that it was computed for,
 * wherever its own time lies. `facts` is a query for those of the chunk, which is read for each
 * partition, by an index where they are the snapshot's; as one list all of it would be looked
 * through each time. A partition without facts is left out before the transform could count them.
 */
export function wholeYieldedSql(
  dataset: DatasetShape,
  { timeColumn }: Pick<Chunk, 'timeColumn'>,
  facts: SQL,
  lateral: string,
  without: readonly string[],
): SQL {
  const part = sql.raw(PART.alias);
  const [start, upper, name] = [PART.start, PART.upper, FACTS].map((text) => sql.raw(text));
  const time = sql.raw(columnSql('f', timeColumn as string));
  const list = dataset.columns.map((c) => columnSql('y', c.name)).join(', ');
  return sql`
    select y._partition, ${sql.raw(keySql(dataset, 'y'))} as _key, y._source_key, ${sql.raw(list)}
    from (
      with ${name} as not materialized (${facts}),
      _parts as materialized (
        select p.start as ${start}, p.upper as ${upper}, p.name as _name from parts p
        where p.name <> all(${array(without, 'text')})
          and exists (select from ${name} f where ${time} >= p.start and ${time} < p.upper)
      )
      select ${part}.${start} as _partition, ${part}._name as _source_key,
        ${sql.raw(outputSql(dataset, 't'))}
      from _parts as ${part} cross join lateral (${sql.raw(lateral)}) t
    ) y`;
}
