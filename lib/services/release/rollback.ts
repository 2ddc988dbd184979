import { sql } from 'drizzle-orm';
import { array, one, type Tx } from '@/lib/db/client';
import { eventsBetween, readProgress } from '@/lib/db/statements/progress';
import type { Registry } from '@/lib/db/statements/registry';
import { newSegment } from '@/lib/db/statements/segment';
import { toFix } from '@/lib/domain/refusal';
import { rollbackBlockers } from '@/lib/domain/release-blockers';
import { writeAudit } from '@/lib/services/audit/write';
import type { Ctx } from '@/lib/services/context';
import { releaseFacts } from './facts';
import { lockRelease, referenceOf } from './load';
import { enqueueAdvance, move, refuseIf, stateBlocker } from './move';
import { fallBack } from './reopen';
import { reopenIngress, sealerOf } from './reopen-ingress';

/**
 * Asks for a rollback; its clock starts here. Only of the release whose generation is in use, with
 * its signatures, while the old generation is kept. It ends another release's seal: rollback goes
 * first, and seals and cutovers are refused until it is over. The runner does the steps.
 */
export const rollback = move<{ release: string; reason?: string; comment?: string }>(
  'rollback',
  async (tx, ctx, { registry, release }, input) => {
    const facts = await releaseFacts(tx, release);
    const state = stateBlocker('rollback', release);
    const found = rollbackBlockers(facts);
    // RETIRED only says that what it replaced is gone; that it is gone is the reason
    refuseIf(release.state === 'RETIRED' ? [...found, ...state] : [...state, ...found]);

    await endForeignSeal(tx, ctx, registry);
    const from = release.generation as string;
    const to = release.oldGeneration as string;
    const start = await readProgress(tx, to);
    const events = eventsBetween(start, await readProgress(tx, from));
    const segment = await newSegment(tx, release.dataset, 'replay');
    const why = input.reason ?? input.comment ?? null;
    const { id } = await one<{ id: string }>(
      tx,
      sql`insert into control.rollback (release, dataset, by, from_generation, to_generation, segment,
          start_offsets, events_to_replay, why)
        values (${release.id}, ${release.dataset}, ${ctx.actor.person}, ${from}, ${to}, ${segment},
          ${array(start, 'bigint')}, ${String(events)}, ${why})
        returning id`,
    );
    await tx.execute(
      sql`update control.registry set rollback = ${id} where dataset = ${release.dataset}`,
    );
    await enqueueAdvance(tx, release);
    await writeAudit(tx, ctx, {
      chain: `dataset:${release.dataset}`,
      verb: 'release.rollback',
      subject: referenceOf(release),
      before: { generation: from },
      after: { rollback: id, to, eventsToReplay: String(events) },
      reason: why,
      evidence: release.evidence,
    });
  },
  'rollback.requested',
);

async function endForeignSeal(tx: Tx, ctx: Ctx, registry: Registry): Promise<void> {
  const sealer = sealerOf(registry);
  if (sealer?.kind !== 'release') return;
  const other = await lockRelease(tx, sealer.id);
  await fallBack(
    tx,
    ctx,
    registry,
    other,
    'release.reopen',
    'a rollback of the dataset goes first',
  );
}

/** Calls a rollback off before its switch; what was replayed stays true and the next try goes on. */
export const callOff = move<{ release: string; reason?: string; comment?: string }>(
  'call-off',
  async (tx, ctx, { registry, release }, input) => {
    const under = await underWay(tx, release.id, registry.rollback);
    refuseIf(under ? [] : [toFix('WRONG_STATE', 'No rollback of this release is under way.')]);
    const sealed = registry.sealer === `rollback:${registry.rollback}`;
    const epoch = sealed ? await reopenIngress(tx, registry) : registry.epoch;
    await tx.execute(sql`
      update control.rollback set state = 'called_off', ended_at = clock_timestamp()
      where id = ${registry.rollback}`);
    await tx.execute(
      sql`update control.registry set rollback = null where dataset = ${release.dataset}`,
    );
    await writeAudit(tx, ctx, {
      chain: `dataset:${release.dataset}`,
      verb: 'release.call-off',
      subject: referenceOf(release),
      after: { rollback: registry.rollback, epoch },
      reason: input.reason ?? input.comment ?? null,
    });
  },
);

async function underWay(tx: Tx, release: string, rollback: string | null): Promise<boolean> {
  if (rollback === null) return false;
  const { mine } = await one<{ mine: boolean }>(
    tx,
    sql`select exists (select from control.rollback where id = ${rollback} and release = ${release}) as mine`,
  );
  return mine;
}
