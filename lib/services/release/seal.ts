import { sql } from 'drizzle-orm';
import { affected, array } from '@/lib/db/client';
import { readProgress } from '@/lib/db/statements/progress';
import { reached } from '@/lib/db/step';
import { LostRace } from '@/lib/domain/refusal';
import { sealBlockers } from '@/lib/domain/release-blockers';
import { releaseFacts } from './facts';
import { enqueueAdvance, move, refuseIf, stateBlocker } from './move';
import { moveState } from './move-state';

/**
 * Seals ingress: a compare-and-set on the registry that closes the epoch to live writers and fixes
 * the barrier as what the active generation has reached. The log goes on accepting; that is the
 * buffer. From here time runs: past `maxSealedSeconds` ingress reopens by itself.
 */
export const seal = move(
  'seal',
  async (tx, ctx, { registry, release }) => {
    const facts = await releaseFacts(tx, release);
    refuseIf([...stateBlocker('seal', release), ...sealBlockers(facts)]);

    const barrier = await readProgress(tx, release.oldGeneration as string);
    const sealed = await affected(
      tx,
      sql`update control.registry set state = 'SEALED', sealer = ${`release:${release.id}`},
        sealed_at = clock_timestamp(),
        sealed_until = clock_timestamp() + make_interval(secs => ${release.maxSealedSeconds}),
        barrier = ${array(barrier, 'bigint')}
      where dataset = ${release.dataset} and state = 'OPEN' and epoch = ${registry.epoch}
        and active_generation = ${release.oldGeneration} and rollback is null`,
    );
    if (sealed !== 1) throw new LostRace('Somebody else changed the ingress; nothing was sealed.');
    await enqueueAdvance(tx, release);
    await moveState(tx, ctx, release, {
      to: 'INGRESS_SEALED',
      verb: 'release.seal',
      set: [
        sql`sealed_epoch = ${registry.epoch}`,
        sql`barrier = ${array(barrier, 'bigint')}`,
        sql`lag_at_seal_seconds = ${String(facts.lagSeconds)}`,
      ],
      after: { epoch: registry.epoch, barrier },
    });
    await reached('seal.before-commit');
  },
  'seal.committed',
);
