import { sql } from 'drizzle-orm';
import { maybeOne, type Tx } from '@/lib/db/client';

export interface Registry {
  dataset: string;
  active: string | null;
  epoch: number;
  state: 'OPEN' | 'SEALED';
  sealer: string | null;
  sealedUntil: string | null;
  barrier: string[] | null;
  writeSegment: string;
  rollback: string | null;
  loading: string | null;
  loadTarget: string[] | null;
  /** By the database's clock, after the lock. */
  expired: boolean;
}

/**
 * Locks a dataset: the one statement that everything which changes its served state begins with.
 * It queues, and returns epoch, state and pointer as they are now; read everything else in later
 * statements. `skip`: null where somebody else is applying. Raises IL001 under another isolation.
 */
export async function lockRegistry(
  tx: Tx,
  dataset: string,
  mode: 'wait' | 'skip' = 'wait',
): Promise<Registry | null> {
  const locked = await maybeOne<Omit<Registry, 'expired'>>(
    tx,
    sql`select dataset, active_generation as active, epoch, state, sealer,
        sealed_until as "sealedUntil", barrier, write_segment as "writeSegment", rollback,
        loading_generation as loading, load_target as "loadTarget"
      from control.registry
      where dataset = ${dataset} and control.require_read_committed()
      for update ${sql.raw(mode === 'skip' ? 'skip locked' : '')}`,
  );
  if (!locked) return null;
  if (locked.sealedUntil === null) return { ...locked, expired: false };
  // clock_timestamp() in a statement after the lock: now() is the transaction's start
  const { expired } = (await maybeOne<{ expired: boolean }>(
    tx,
    sql`select clock_timestamp() > ${locked.sealedUntil}::timestamptz as expired`,
  )) ?? { expired: false };
  return { ...locked, expired };
}
