import { sql } from 'drizzle-orm';
import { array, type Database, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, rowsTable, type SourceShape } from '@/lib/db/dataset-shape';

/** A partition by its instants. */
export interface Part {
  start: string;
  end: string;
}

const list = (parts: readonly Part[]) =>
  sql`unnest(${array(
    parts.map((p) => p.start),
    'timestamptz',
  )}, ${array(
    parts.map((p) => p.end),
    'timestamptz',
  )}) as p (start_at, end_at)`;

/** Which of the partitions hold a row in a generation, by start. */
export async function partitionsWithRows(
  tx: Database | Tx,
  dataset: DatasetShape,
  generation: string,
  parts: readonly Part[],
): Promise<Set<string>> {
  if (parts.length === 0) return new Set();
  const found = await rows<{ start: string }>(
    tx,
    sql`select p.start_at as start from ${list(parts)}
      join control.generation_range r on r.generation = ${generation} and r.span @> p.start_at
      where exists (select from ${sql.raw(rowsTable(dataset.name))} x
        where x._segment = r.segment and x._partition = p.start_at)`,
  );
  return new Set(found.map(({ start }) => start));
}

/** In which of the partitions a source column places a fact at a watermark, by start. */
export async function partitionsWithFacts(
  tx: Database | Tx,
  source: SourceShape,
  column: string,
  parts: readonly Part[],
  watermark: readonly string[],
): Promise<Set<string>> {
  if (parts.length === 0) return new Set();
  const time =
    column === source.eventTime ? sql`e.event_time` : sql`(e.payload ->> ${column})::timestamptz`;
  const seen = (alias: string) =>
    sql`${sql.raw(alias)}."offset" <= (${array(watermark, 'bigint')})[${sql.raw(alias)}.shard + 1]`;
  const found = await rows<{ start: string }>(
    tx,
    sql`select p.start_at as start from ${list(parts)}
      where exists (
        select from control.source_event e
        where e.source = ${source.name} and e.effective and e.op = 'upsert'
          and ${time} >= p.start_at and ${time} < p.end_at and ${seen('e')}
          and not exists (select from control.source_event n
            where n.source = e.source and n.key = e.key and n.effective
              and n.revision > e.revision and ${seen('n')}))`,
  );
  return new Set(found.map(({ start }) => start));
}

/** Keys that a source ever had, page by page: where nothing says beforehand where a fact lands. */
export async function* sourceKeyPages(
  tx: Database | Tx,
  source: string,
  size: number,
): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const page = await rows<{ key: string }>(
      tx,
      sql`select key from control.source_key where source = ${source} and key > ${after}
        order by key limit ${size}`,
    );
    if (page.length === 0) return;
    yield page.map(({ key }) => key);
    after = page.at(-1)?.key ?? '';
  }
}
