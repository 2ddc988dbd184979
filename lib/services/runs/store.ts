import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import { lockRun, type RunRow } from '@/lib/db/statements/run';
import { idForm } from '@/lib/domain/id-form';
import { NotFound } from '@/lib/domain/refusal';
import type { Chain } from '@/lib/services/audit/write';
import { enqueue } from '@/lib/services/release/move';

export interface RunInput {
  /** Its id. */
  run: string;
}

/** A run as audit rows name it. */
export const subjectOf = (run: string) => `run ${run}`;

export const chainOfRun = async (db: Database, { run }: RunInput): Promise<Chain> => {
  const found = idForm.test(run)
    ? await maybeOne<{ dataset: string }>(
        db,
        sql`select dataset from control.run where id = ${run}`,
      )
    : null;
  return found ? `dataset:${found.dataset}` : 'people';
};

/** @throws NotFound */
export async function lockedRun(tx: Tx, id: string): Promise<RunRow> {
  const run = idForm.test(id) ? await lockRun(tx, id) : null;
  if (!run) throw new NotFound('run', id);
  return run;
}

/** Asks the runner to walk a run. */
export const enqueueRun = (tx: Database | Tx, run: string) =>
  enqueue(tx, 'run', { run }, `run:${run}`);
