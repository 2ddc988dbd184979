import type { IngressSeal, ShardStand } from '@/lib/queries/ingress-seal';

/** Before its cutover a release's generation is a candidate; then it serves, or it is over. */
export type Phase = 'before' | 'serving' | 'over';

const OVER = ['RETIRED', 'REJECTED', 'ABANDONED', 'ROLLED_BACK'];

export function phaseOf({ state, generation, activeGeneration }: IngressSeal): Phase {
  if (generation !== null && generation === activeGeneration) return 'serving';
  return OVER.includes(state) || state === 'ACTIVE' ? 'over' : 'before';
}

/** Events of one shard that the new generation lacks up to where it may go. */
export function gapOf(shard: ShardStand, phase: Phase): bigint {
  const limit = phase === 'serving' ? shard.logEnd : (shard.barrier ?? shard.old ?? '0');
  const gap = BigInt(limit) - BigInt(shard.candidate ?? '0');
  return gap > 0n ? gap : 0n;
}
