import type { Tx } from '@/lib/db/client';
import type { Registry } from '@/lib/db/statements/registry';
import { runnerContext } from '@/lib/services/system';
import { lockRelease } from './load';
import { fallBack } from './reopen';
import { reopenIngress, sealerOf } from './reopen-ingress';
import { failRollback } from './rollback-row';

/**
 * Reopens ingress that has been sealed past its time. Any applier that meets it does so, holding
 * the registry's row: nobody has to be awake.
 *
 * @returns the new epoch
 */
export async function reopenExpired(tx: Tx, registry: Registry): Promise<number> {
  const sealer = sealerOf(registry);
  const ctx = runnerContext();
  if (sealer?.kind === 'release') {
    const release = await lockRelease(tx, sealer.id);
    return fallBack(tx, ctx, registry, release, 'release.reopen', 'sealed for longer than allowed');
  }
  if (sealer?.kind === 'rollback') {
    const epoch = await reopenIngress(tx, registry);
    await failRollback(tx, ctx, sealer.id, 'sealed for longer than allowed');
    return epoch;
  }
  return reopenIngress(tx, registry);
}
