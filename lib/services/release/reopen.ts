import { sql } from 'drizzle-orm';
import type { Tx } from '@/lib/db/client';
import type { Registry } from '@/lib/db/statements/registry';
import { toFix } from '@/lib/domain/refusal';
import type { Ctx } from '@/lib/services/context';
import type { Release } from './load';
import { enqueueAdvance, move, refuseIf, stateBlocker } from './move';
import { moveState } from './move-state';
import { reopenIngress } from './reopen-ingress';

/** Signatures are on a digest; without evidence none of them stands. */
export const forgetSeal = [
  sql`evidence = null`,
  sql`sealed_epoch = null`,
  sql`barrier = null`,
  sql`lag_at_seal_seconds = null`,
];

/** Reopens ingress by a person's decision: the release falls back to BUILDING. */
export const reopen = move<{ release: string; reason?: string }>(
  'reopen',
  async (tx, ctx, { registry, release }, input) => {
    refuseIf([
      ...stateBlocker('reopen', release),
      ...(registry.sealer === `release:${release.id}`
        ? []
        : [toFix('NOT_SEALED', 'The release does not hold the seal of its dataset.')]),
    ]);
    await fallBack(
      tx,
      ctx,
      registry,
      release,
      'release.reopen',
      input.reason ?? 'reopened by hand',
    );
  },
);

/** The release that sealed falls back to BUILDING under a new epoch; its evidence is void. */
export async function fallBack(
  tx: Tx,
  ctx: Pick<Ctx, 'actor' | 'requestId'>,
  registry: Registry,
  release: Release,
  verb: string,
  why: string,
): Promise<number> {
  const epoch = await reopenIngress(tx, registry);
  await enqueueAdvance(tx, release);
  await moveState(tx, ctx, release, {
    to: 'BUILDING',
    verb,
    why,
    set: [...forgetSeal, sql`rehearse_asked_at = null`],
    before: { epoch: registry.epoch, evidence: release.evidence },
    after: { epoch },
  });
  return epoch;
}
