import { sql } from 'drizzle-orm';
import { type Database, one, type Tx } from '@/lib/db/client';
import { writeAudit } from '@/lib/services/audit/write';
import type { Ctx } from '@/lib/services/context';
import { lockRelease, referenceOf } from './load';

export interface RollbackRow {
  id: string;
  release: string;
  dataset: string;
  state: 'requested' | 'replaying' | 'sealed' | 'done' | 'called_off' | 'failed';
  from: string;
  to: string;
  segment: string;
  barrier: string[] | null;
  sealedEpoch: number | null;
  by: string;
}

export async function readRollback(tx: Database | Tx, id: string): Promise<RollbackRow> {
  return one<RollbackRow>(
    tx,
    sql`select id, release, dataset, state, from_generation as "from", to_generation as "to", segment,
        barrier, sealed_epoch as "sealedEpoch", "by"
      from control.rollback where id = ${id}`,
  );
}

/** Ends a rollback that cannot go on. The caller has reopened ingress if it was sealed. */
export async function failRollback(
  tx: Tx,
  ctx: Pick<Ctx, 'actor' | 'requestId'>,
  id: string,
  why: string,
): Promise<void> {
  const row = await readRollback(tx, id);
  await tx.execute(sql`
    update control.rollback set state = 'failed', ended_at = clock_timestamp(), why = ${why}
    where id = ${id}`);
  await tx.execute(sql`
    update control.registry set rollback = null where dataset = ${row.dataset} and rollback = ${id}`);
  const release = await lockRelease(tx, row.release);
  await writeAudit(tx, ctx, {
    chain: `dataset:${row.dataset}`,
    verb: 'release.rollback-failed',
    subject: referenceOf(release),
    after: { rollback: id },
    reason: why,
  });
}
