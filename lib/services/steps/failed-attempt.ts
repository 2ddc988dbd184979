import { eq, sql } from 'drizzle-orm';
import { type Database, one } from '@/lib/db/client';
import { release as releaseTable } from '@/lib/db/schema/release';
import { type Attempt, settleAttempt } from '@/lib/db/statements/attempt';
import { transaction } from '@/lib/db/transaction';
import { plural } from '@/lib/domain/figures';
import { lockRelease } from '@/lib/services/release/load';
import { moveState } from '@/lib/services/release/move-state';
import { reportTrouble } from '@/lib/services/release/trouble';
import { runnerContext } from '@/lib/services/system';

/**
 * Settles an attempt that failed. When as many partitions have failed as the release's stop-loss
 * allows, it pauses and says which condition fired; whoever resumes it decides.
 */
export async function failedAttempt(db: Database, attempt: Attempt, error: string): Promise<void> {
  await transaction(db, async (tx) => {
    const release = await lockRelease(tx, attempt.release);
    if (!(await settleAttempt(tx, attempt, 'failed', error))) return;
    const { failed } = await one<{ failed: number }>(
      tx,
      sql`select count(*)::int as failed from control.release_partition
        where release = ${attempt.release} and state = 'failed'`,
    );
    const most = release.maxFailedPartitions ?? Number.POSITIVE_INFINITY;
    if (release.state !== 'BUILDING' || release.pausedAt !== null || failed < most) return;
    const why = `stop-loss: ${plural(failed, 'partition')} failed, the limit is ${most}`;
    await moveState(tx, runnerContext(), release, {
      to: 'BUILDING',
      verb: 'release.pause',
      why,
      set: [
        sql`paused_at = clock_timestamp()`,
        sql`paused_by = 'runner'`,
        sql`paused_why = ${why}`,
      ],
      after: { paused: true, failed },
    });
  });
}

/** A partition came to other roots than its receipt says: nothing of the release may go on. */
export async function receiptConflict(db: Database, id: string, why: string): Promise<void> {
  const [release] = await db.select().from(releaseTable).where(eq(releaseTable.id, id));
  if (release) await reportTrouble(db, release, { step: 'build', code: 'RECEIPT_CONFLICT', why });
}
