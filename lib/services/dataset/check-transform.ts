import { sql } from 'drizzle-orm';
import type { Database } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { pgError } from '@/lib/db/pg-error';
import { asTransform, keySql, outputSql } from '@/lib/db/statements/evaluate';
import { recordSql } from '@/lib/db/statements/facts';
import { transaction } from '@/lib/db/transaction';
import { Invalid, NotFound } from '@/lib/domain/refusal';
import { checkedTransform, compileTransform } from '@/lib/services/apply/compiled';

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
  const { lateral } = compileTransform(transform, dataset);
  try {
    await transaction(db, (tx) =>
      asTransform(tx, (inner) =>
        inner.execute(sql`
          select ${sql.raw(keySql(dataset, 'o'))} from (
            select f._source_key, ${sql.raw(outputSql(dataset, 't'))}
            from jsonb_to_recordset('[]') as f (_source_key text, ${sql.raw(recordSql(dataset.source))})
            cross join lateral (${sql.raw(lateral)}) t) o`),
      ),
    );
  } catch (error) {
    const problem = pgError(error);
    if (!problem || !/^(42|22|0A)/.test(problem.code)) throw error;
    throw new Invalid({
      pointer: '/sql',
      code: 'TRANSFORM_INVALID',
      message: problem.message,
      line: 1,
      column: 1,
    });
  }
  const declared = new Map(dataset.columns.map((c) => [c.name, c.type]));
  return {
    digest: transform.digest,
    columns: transform.columns.map((c) => ({ name: c.name, type: declared.get(c.name) ?? c.type })),
  };
}
