import { sql } from 'drizzle-orm';
import { one } from '@/lib/db/client';
import { makeFork } from '@/lib/db/statements/fork';
import { digestOf } from '@/lib/digest/canonical';
import { forkName } from '@/lib/domain/names';
import { drillBlockers } from '@/lib/domain/release-blockers';
import { writeAudit } from '@/lib/services/audit/write';
import { releaseFacts } from './facts';
import { referenceOf } from './load';
import { enqueueAdvance, move, refuseIf, stateBlocker } from './move';

/**
 * Asks for a drill: the release's whole cutover and rollback on a fork of its dataset. Production's
 * pointer, epoch, rows and figures are what they were; it costs copies, of the candidate and of what
 * is written on either side meanwhile. The runner does the steps.
 */
export const drill = move<{ release: string; reason?: string; comment?: string }>(
  'drill',
  async (tx, ctx, { registry, release }, input) => {
    refuseIf([
      ...stateBlocker('drill', release),
      ...drillBlockers(await releaseFacts(tx, release)),
    ]);
    const generation = registry.active as string;
    const by = ctx.actor.person;
    const { id } = await one<{ id: string }>(
      tx,
      sql`insert into control.drill (release, dataset, generation, by)
        values (${release.id}, ${release.dataset}, ${generation}, ${by}) returning id`,
    );
    const fork = forkName(release.dataset, id);
    const forkRelease = await makeFork(tx, {
      drill: id,
      dataset: release.dataset,
      generation,
      release: release.id,
      epoch: registry.epoch,
      fork,
      forkRelease: forkName(release.name, id),
      // another digest than the release's: evidence is found by its digest, which covers this one
      digest: digestOf('interlock.drill.v1', { release: release.digest, drill: id }),
      by,
    });
    await tx.execute(sql`
      update control.drill set fork = ${fork}, fork_release = ${forkRelease} where id = ${id}`);
    await enqueueAdvance(tx, { id: forkRelease });
    await writeAudit(tx, ctx, {
      chain: `dataset:${release.dataset}`,
      verb: 'release.drill',
      subject: referenceOf(release),
      after: { drill: id, fork },
      reason: input.reason ?? input.comment ?? null,
    });
  },
);
