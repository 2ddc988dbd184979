import { sql } from 'drizzle-orm';
import type { Database, Tx } from '@/lib/db/client';
import { lockRegistry, type Registry } from '@/lib/db/statements/registry';
import { transaction } from '@/lib/db/transaction';
import type { TroubleCode, TroubleStep } from '@/lib/domain/trouble';
import type { Ctx } from '@/lib/services/context';
import { runnerContext } from '@/lib/services/system';
import { lockRelease, type Release } from './load';
import { moveState } from './move-state';
import { forgetSeal } from './reopen';
import { reopenIngress } from './reopen-ingress';

export interface Trouble {
  /** The step to run again. */
  step: TroubleStep;
  code: TroubleCode;
  why: string;
}

/**
 * Puts a release into RECONCILIATION_REQUIRED, naming what does not agree. If it sealed ingress,
 * that reopens in the same transaction.
 */
export async function enterTrouble(
  tx: Tx,
  ctx: Pick<Ctx, 'actor' | 'requestId'>,
  registry: Registry,
  release: Release,
  trouble: Trouble,
): Promise<void> {
  const sealed = registry.state === 'SEALED' && registry.sealer === `release:${release.id}`;
  const epoch = sealed ? await reopenIngress(tx, registry) : registry.epoch;
  await moveState(tx, ctx, release, {
    to: 'RECONCILIATION_REQUIRED',
    verb: 'release.trouble',
    why: trouble.why,
    set: [
      // what was cut over keeps its evidence: the signatures for its rollback stand on it
      ...(release.state === 'ACTIVE' ? [] : forgetSeal),
      sql`trouble_step = ${trouble.step}`,
      sql`trouble_code = ${trouble.code}`,
      sql`trouble_why = ${trouble.why}`,
      sql`trouble_from = ${release.state}`,
      sql`rehearse_asked_at = null`,
    ],
    after: { step: trouble.step, code: trouble.code, epoch },
  });
}

/** `enterTrouble` by the runner, if the release is still in the state, and under the seal, that the step saw. */
export async function reportTrouble(
  db: Database,
  release: Release,
  trouble: Trouble,
): Promise<void> {
  await transaction(db, async (tx) => {
    const registry = await lockRegistry(tx, release.dataset);
    const locked = await lockRelease(tx, release.id);
    if (!registry || locked.state !== release.state) return;
    if (locked.sealedEpoch !== release.sealedEpoch) return;
    await enterTrouble(tx, runnerContext(), registry, locked, trouble);
  });
}
