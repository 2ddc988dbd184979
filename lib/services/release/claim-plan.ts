import { sql } from 'drizzle-orm';
import { rows, type Tx } from '@/lib/db/client';
import { dropAllClaims, takeClaims } from '@/lib/db/statements/claim';
import { claimBlockers, claimRanges } from '@/lib/domain/claims';
import { isFork } from '@/lib/domain/names';
import type { Ctx } from '@/lib/services/context';
import { type Release, referenceOf } from './load';
import { refuseIf } from './move';

/**
 * Claims a release's plan under its own name, all of it or nothing. The plan of an open range ends
 * with the last partition that held a row when it was pinned: what comes later stays free, or the
 * daily run would be skipped for as long as the release is built. The caller holds the registry's
 * and the release's row; claims come next in the order of locks.
 *
 * @returns how many partitions it claimed
 * @throws Refused where others hold any of them
 */
export async function claimPlan(
  tx: Tx,
  ctx: Pick<Ctx, 'actor'>,
  release: Release,
): Promise<number> {
  if (isFork(release.dataset)) return 0;
  const partitions = await rows<{ start: string; end: string }>(
    tx,
    sql`select start_at as start, end_at as "end" from control.release_partition
      where release = ${release.id} order by start_at`,
  );
  const owner = referenceOf(release);
  const { taken, before } = await takeClaims(tx, {
    dataset: release.dataset,
    owner,
    by: ctx.actor.person,
    partitions,
  });
  // somebody claimed after the release's blockers were read; as found when it was denied
  const others = before.filter((c) => c.owner !== owner);
  refuseIf(claimBlockers(release.dataset, claimRanges(others)));
  return taken.size;
}

/**
 * Lets go of what a release claimed, in the transaction in which it stops being under way: at the
 * cutover, or when it ends before that.
 */
export async function dropPlanClaims(tx: Tx, release: Release): Promise<void> {
  if (!isFork(release.dataset)) await dropAllClaims(tx, release.dataset, referenceOf(release));
}
