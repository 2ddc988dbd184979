import { sql } from 'drizzle-orm';
import { affected, type Tx } from '@/lib/db/client';
import type { Registry } from '@/lib/db/statements/registry';
import { newSegment } from '@/lib/db/statements/segment';
import { LostRace } from '@/lib/domain/refusal';

/**
 * Reopens sealed ingress on the generation in use, under the next epoch and with a fresh write
 * segment: a compare-and-set on (epoch, sealer). Nothing is lost; the log has kept what came.
 *
 * @returns the new epoch
 * @throws LostRace where somebody else reopened or switched first
 */
export async function reopenIngress(tx: Tx, registry: Registry): Promise<number> {
  const segment = await newSegment(tx, registry.dataset, 'epoch');
  const reopened = await affected(
    tx,
    sql`update control.registry set state = 'OPEN', epoch = epoch + 1, sealer = null, sealed_at = null,
        sealed_until = null, barrier = null, write_segment = ${segment}
      where dataset = ${registry.dataset} and state = 'SEALED' and epoch = ${registry.epoch}
        and sealer = ${registry.sealer}`,
  );
  if (reopened !== 1) throw new LostRace('Ingress was reopened or switched by somebody else.');
  return registry.epoch + 1;
}

/** The release or rollback that holds a seal, from the registry's `sealer`. */
export function sealerOf(registry: Registry): { kind: 'release' | 'rollback'; id: string } | null {
  const match = /^(release|rollback):(\d+)$/.exec(registry.sealer ?? '');
  return match ? { kind: match[1] as 'release' | 'rollback', id: match[2] as string } : null;
}
