import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import { type Mark, readMark } from '@/lib/db/statements/contamination';
import { lockRegistry } from '@/lib/db/statements/registry';
import { transaction } from '@/lib/db/transaction';
import { idForm } from '@/lib/domain/id-form';
import { NotFound, Refused, toFix } from '@/lib/domain/refusal';
import type { Chain } from '@/lib/services/audit/write';
import { patience } from '@/lib/services/of-dataset';

/** The dataset of a mark; null where there is no such mark. */
async function datasetOf(db: Database, id: string): Promise<string | null> {
  if (!idForm.test(id)) return null;
  const found = await maybeOne<{ dataset: string }>(
    db,
    sql`select dataset from control.contamination where id = ${id}`,
  );
  return found?.dataset ?? null;
}

/** The audit chain of a mark's dataset; `people` for a mark that is not there. */
export async function chainOfMark(db: Database, { id }: { id: string }): Promise<Chain> {
  const dataset = await datasetOf(db, id);
  return dataset === null ? 'people' : `dataset:${dataset}`;
}

/** Runs `fn` with a mark as it is under the lock of its dataset, which cutover and rollback take. */
export async function lockedMark<T>(
  db: Database,
  id: string,
  fn: (tx: Tx, mark: Mark) => Promise<T>,
): Promise<T> {
  const dataset = await datasetOf(db, id);
  if (dataset === null) throw new NotFound('contaminated mark', id);
  return transaction(
    db,
    async (tx) => {
      await lockRegistry(tx, dataset);
      const mark = await readMark(tx, id);
      if (!mark) throw new NotFound('contaminated mark', id);
      return fn(tx, mark);
    },
    patience,
  );
}

export const isLifted = (what: string) => new Refused(toFix('CONTAMINATION_LIFTED', what));
