import { sql } from 'drizzle-orm';
import type { Database, Tx } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { pgError } from '@/lib/db/pg-error';
import { asTransform, keySql, outputSql } from '@/lib/db/statements/evaluate';
import { recordSql } from '@/lib/db/statements/facts';
import { transaction } from '@/lib/db/transaction';
import { Invalid, NotFound } from '@/lib/domain/refusal';
import { checkedTransform, compileTransform } from '@/lib/services/apply/compiled';
import { FACTS, PART } from '@/lib/transform/compile';
import type { Transform } from '@/lib/transform/parse';

export interface CheckedTransform {
  digest: string;
  columns: { name: string; type: string }[];
}

/**
 * Checks a transform for a dataset: by our rules first, then PostgreSQL itself prepares it over no
 * facts at all, which finds what only its catalogue knows.
 *
 * @throws Invalid with line and column
 */
export async function checkTransformFor(
  db: Database,
  input: { dataset: string; sql: string },
): Promise<CheckedTransform> {
  const dataset = await loadDataset(db, input.dataset);
  if (!dataset) throw new NotFound('dataset', input.dataset);
  const transform = await checkedTransform(input.sql, dataset, '/sql');
  await transaction(db, (tx) => prepareTransform(tx, dataset, transform, '/sql'));
  const declared = new Map(dataset.columns.map((c) => [c.name, c.type]));
  return {
    digest: transform.digest,
    columns: transform.columns.map((c) => ({ name: c.name, type: declared.get(c.name) ?? c.type })),
  };
}

/**
 * Has PostgreSQL prepare a transform over no facts at all: it finds what only its catalogue knows,
 * and in grain `partition` what it says of grouping.
 *
 * @throws Invalid
 */
export async function prepareTransform(
  tx: Tx,
  dataset: DatasetShape,
  transform: Transform,
  pointer: string,
): Promise<void> {
  const { lateral } = compileTransform(transform, dataset);
  const facts = sql`jsonb_to_recordset('[]')
    as f (_source_key text, ${sql.raw(recordSql(dataset.source))})`;
  const from =
    dataset.grain === 'row'
      ? facts
      : sql`(select timestamptz 'epoch' as ${sql.raw(PART.start)}, timestamptz 'epoch' as ${sql.raw(PART.upper)}
          where false) as ${sql.raw(PART.alias)}`;
  try {
    await asTransform(tx, (inner) =>
      inner.execute(sql`
        with ${sql.raw(FACTS)} as (select * from ${facts})
        select ${sql.raw(keySql(dataset, 'o'))} from (
          select ${sql.raw(outputSql(dataset, 't'))}
          from ${from} cross join lateral (${sql.raw(lateral)}) t) o`),
    );
  } catch (error) {
    const problem = pgError(error);
    if (!problem || !/^(42|22|0A)/.test(problem.code)) throw error;
    throw new Invalid({
      pointer,
      code: 'TRANSFORM_INVALID',
      message: problem.message,
      line: 1,
      column: 1,
    });
  }
}
