import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import type { Chain } from '@/lib/services/audit/write';

/** How long a verb waits for whoever holds what it locks: as long as a move, and tries again. */
export const patience = { lockTimeoutMs: 300, retries: 20 };

/** Whether people have a dataset of this name: a drill's fork is none. */
export async function isDataset(db: Database | Tx, dataset: string): Promise<boolean> {
  const found = await maybeOne(
    db,
    sql`select 1 from control.dataset where name = ${dataset} and fork_of is null`,
  );
  return found !== null;
}

/** The chain of a dataset, or of people where there is no such dataset. */
export const chainOf = async (db: Database, { dataset }: { dataset: string }): Promise<Chain> =>
  (await isDataset(db, dataset)) ? `dataset:${dataset}` : 'people';
