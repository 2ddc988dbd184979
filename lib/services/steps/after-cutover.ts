import { sql } from 'drizzle-orm';
import { type Database, json, maybeOne, one } from '@/lib/db/client';
import { eventsBetween, readProgress, sameOffsets } from '@/lib/db/statements/progress';
import { transaction } from '@/lib/db/transaction';
import { plural } from '@/lib/domain/figures';
import type { Release } from '@/lib/services/release/load';

interface CutoverRow {
  from: string;
  to: string;
  barrier: string[];
  epochAfter: number;
  checks: Record<string, unknown>;
}

/**
 * What is watched after a cutover: the tail (the new generation began at the barrier exactly), the
 * takeover (the next live apply came under the new epoch), and writes to the generation that was
 * left, which must stay at 0 but for a rollback's replay.
 */
export async function afterCutover(db: Database, release: Release): Promise<void> {
  const row = await maybeOne<CutoverRow>(
    db,
    sql`select from_generation as "from", to_generation as "to", barrier, epoch_after as "epochAfter", checks
      from control.cutover where release = ${release.id}`,
  );
  if (!row) return;
  await transaction(db, async (tx) => {
    const progress = await readProgress(tx, row.to);
    const left = await readProgress(tx, row.from);
    const { rollbacks, epoch, now } = await one<{ rollbacks: boolean; epoch: number; now: string }>(
      tx,
      sql`select exists (select from control.rollback where release = ${release.id}) as rollbacks,
          (select epoch from control.registry where dataset = ${release.dataset}) as epoch,
          clock_timestamp() as now`,
    );
    const behind = eventsBetween(progress, row.barrier);
    const taken = eventsBetween(row.barrier, progress);
    const checks = {
      tail: {
        passed: behind === 0n,
        figure: `${plural(behind, 'event')} missing at the barrier`,
        at: now,
      },
      takeover: {
        passed: taken > 0n && epoch >= row.epochAfter,
        waiting: taken === 0n,
        figure:
          taken === 0n
            ? 'no event since the cutover'
            : `${plural(BigInt(taken), 'event')} applied under epoch ${epoch}`,
        at: now,
      },
      oldWrites: {
        passed: sameOffsets(left, row.barrier) || rollbacks,
        figure: `${plural(eventsBetween(row.barrier, left), 'event')} applied to the generation that was left`,
        at: now,
      },
    };
    await tx.execute(
      sql`update control.cutover set checks = ${json(checks)} where release = ${release.id}`,
    );
  });
}
