import { sql } from 'drizzle-orm';
import { one, type Tx } from '@/lib/db/client';
import { lockGeneration } from '@/lib/db/statements/generation-map';
import { lockProgress } from '@/lib/db/statements/progress';
import type { Registry } from '@/lib/db/statements/registry';
import type { Ctx } from '@/lib/services/context';
import { dropPlanClaims } from './claim-plan';
import type { Release } from './load';
import { enqueueAdvance } from './move';
import { moveState } from './move-state';
import { forgetSeal } from './reopen';
import { reopenIngress } from './reopen-ingress';

/**
 * Ends a release that never served. In one transaction: the seal that it holds reopens, its
 * candidate is hidden from every worker, its claims are let go, and a draining flag stands until no attempt runs.
 */
export async function endRelease(
  tx: Tx,
  ctx: Pick<Ctx, 'actor' | 'requestId'>,
  registry: Registry,
  release: Release,
  to: 'REJECTED' | 'ABANDONED',
  verb: string,
  why: string,
): Promise<void> {
  const sealed = registry.state === 'SEALED' && registry.sealer === `release:${release.id}`;
  const epoch = sealed ? await reopenIngress(tx, registry) : registry.epoch;
  await dropPlanClaims(tx, release);
  if (release.generation !== null) {
    await lockGeneration(tx, release.generation);
    // after this no catch-up writes to it: it locks the generation first, and finds it hidden
    await lockProgress(tx, release.generation, 'wait');
    await tx.execute(sql`
      update control.generation set state = 'hidden', hidden_at = clock_timestamp()
      where id = ${release.generation} and state = 'candidate'`);
  }
  const { running } = await one<{ running: number }>(
    tx,
    sql`select count(*)::int as running from control.release_partition
      where release = ${release.id} and state = 'building'`,
  );
  await enqueueAdvance(tx, release);
  await moveState(tx, ctx, release, {
    to,
    verb,
    why,
    set: [
      ...forgetSeal,
      sql`draining = ${running > 0}`,
      sql`rehearse_asked_at = null`,
      sql`paused_at = null`,
      sql`held_at = null`,
    ],
    before: { evidence: release.evidence },
    after: { epoch, running },
  });
}
