import { sql } from 'drizzle-orm';
import { rows, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { columnSql } from '@/lib/digest/row-encoding-sql';
import { type Chunk, factsSql, sidesSql } from './compare-sides';

export interface DiffRow {
  key: string;
  class: string;
  rule: string | null;
  kind: string;
  changed: string[];
  drift: boolean;
  old: (string | null)[] | null;
  control: (string | null)[] | null;
  new: (string | null)[] | null;
}

/** The differing rows of one partition, after a key: what a person pages through. */
export async function diffRows(
  tx: Tx,
  dataset: DatasetShape,
  chunk: Chunk,
  filter: {
    class: string | null;
    rule: string | null;
    bucket: number | null;
    after: string | null;
    limit: number;
  },
): Promise<DiffRow[]> {
  const values = (alias: string) =>
    sql.raw(
      `case when ${alias}._key is not null then array[${dataset.columns
        .map((c) => `${columnSql(alias, c.name)}::text`)
        .join(', ')}] end`,
    );
  return rows<DiffRow>(
    tx,
    sql`with ${sidesSql(dataset, chunk)}
      select x._key as key, x.class, x.rule, x.kind, x.changed, x.drifts as drift,
        ${values('o')} as old, ${values('c')} as control, ${values('n')} as "new"
      from differing x
      left join old_rows o on o._partition = x._partition and o._key = x._key
      left join control_n c on c._partition = x._partition and c._key = x._key
      left join new_rows n on n._partition = x._partition and n._key = x._key
      where (${filter.class}::text is null or x.class = ${filter.class}
          or (${filter.class} = 'drift' and x.drifts))
        and (${filter.rule}::text is null or x.rule = ${filter.rule})
        and (${filter.bucket}::integer is null or x.bucket = ${filter.bucket})
        and (${filter.after}::text is null or x._key > ${filter.after} collate "C")
      order by x._key collate "C"
      limit ${filter.limit}`,
  );
}

/** Source keys of a chunk's facts, in pages; asked only where the control errs, to find who. */
export async function chunkKeys(tx: Tx, dataset: DatasetShape, chunk: Chunk): Promise<string[]> {
  const found = await rows<{ key: string }>(
    tx,
    sql`select f._source_key as key from (${factsSql(dataset, chunk, chunk.newFacts)}) f
      union select f._source_key from (${factsSql(dataset, chunk, chunk.oldFacts)}) f`,
  );
  return found.map((f) => f.key);
}
