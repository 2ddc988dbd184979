import { sql } from 'drizzle-orm';
import { affected, array, type Tx } from '@/lib/db/client';
import type { Json } from '@/lib/domain/json';
import { Invalid, Refused, toFix } from '@/lib/domain/refusal';
import { buildBlockers, rehearseBlockers } from '@/lib/domain/release-blockers';
import { writeAudit } from '@/lib/services/audit/write';
import { claimPlan } from './claim-plan';
import { releaseFacts } from './facts';
import { type Release, referenceOf } from './load';
import { enqueueAdvance, move, refuseIf, stateBlocker } from './move';
import { moveState } from './move-state';

/**
 * Starts the build: workers take the planned partitions from here on. In the same transaction the
 * release claims all of its plan, or is refused.
 */
export const build = move('build', async (tx, ctx, { release }) => {
  refuseIf([...stateBlocker('build', release), ...buildBlockers(await releaseFacts(tx, release))]);
  const claimed = await claimPlan(tx, ctx, release);
  await enqueueAdvance(tx, release);
  await moveState(tx, ctx, release, { to: 'BUILDING', verb: 'release.build', after: { claimed } });
});

/** Asks for a rehearsal: the whole reconciliation, beside live writing, before the seal. */
export const rehearse = move('rehearse', async (tx, ctx, { release }) => {
  refuseIf([
    ...stateBlocker('rehearse', release),
    ...rehearseBlockers(await releaseFacts(tx, release)),
  ]);
  await enqueueAdvance(tx, release);
  await moveState(tx, ctx, release, {
    to: 'BUILDING',
    verb: 'release.rehearse',
    set: [sql`rehearse_asked_at = clock_timestamp()`, sql`rehearse_asked_by = ${ctx.actor.person}`],
  });
});

export interface RetryInput {
  release: string;
  /** Starts of partitions that failed; all that failed where left out. */
  partitions?: string[];
  step?: string;
  reason?: string;
}

/**
 * Has failed partitions built again: exactly those, of the frozen plan. Out of
 * RECONCILIATION_REQUIRED it is the recorded decision to run the step that failed again, with a
 * reason.
 */
export const retry = move<RetryInput>('retry', async (tx, ctx, { release }, input) => {
  refuseIf(stateBlocker('retry', release));
  if (release.state === 'RECONCILIATION_REQUIRED') {
    const reason = input.reason?.trim() ?? '';
    if (reason === '') {
      throw new Invalid({
        pointer: '/reason',
        code: 'COMMENT_REQUIRED',
        message: 'Say why the step may be run again.',
      });
    }
    if (input.step !== undefined && input.step !== release.troubleStep) {
      throw new Refused(
        toFix(
          'CHANGED_SINCE_SEEN',
          `The step that failed is ${release.troubleStep}, not ${input.step}.`,
          {
            expected: input.step,
            current: release.troubleStep,
          },
        ),
      );
    }
    if (release.troubleStep === 'build') await replan(tx, release, null);
    await enqueueAdvance(tx, release);
    await moveState(tx, ctx, release, {
      to: release.troubleFrom === 'ACTIVE' ? 'ACTIVE' : 'BUILDING',
      verb: 'release.retry',
      why: reason,
      set: [
        sql`trouble_step = null`,
        sql`trouble_code = null`,
        sql`trouble_why = null`,
        sql`trouble_from = null`,
      ],
      after: { step: release.troubleStep },
    });
    return;
  }
  const retried = await replan(tx, release, input.partitions ?? null);
  if (retried === 0) {
    throw new Refused(
      toFix('WRONG_STATE', 'None of these partitions failed: there is nothing to retry.'),
    );
  }
  await enqueueAdvance(tx, release);
  await writeAudit(tx, ctx, {
    chain: `dataset:${release.dataset}`,
    verb: 'release.retry',
    subject: referenceOf(release),
    after: { partitions: input.partitions ?? 'failed', count: retried } as Json,
    reason: input.reason ?? null,
  });
});

async function replan(
  tx: Tx,
  release: Release,
  partitions: readonly string[] | null,
): Promise<number> {
  return affected(
    tx,
    sql`update control.release_partition set state = 'planned', token = null, updated_at = clock_timestamp()
      where release = ${release.id} and state = 'failed'
        and (${partitions === null} or start_at = any(${array(partitions ?? [], 'timestamptz')}))`,
  );
}

/** Changes how many partitions are built at once, up to the frozen ceiling. */
export const limits = move<{ release: string; concurrency?: number }>(
  'limits',
  async (tx, ctx, { release }, input) => {
    refuseIf(stateBlocker('limits', release));
    const ceiling =
      (release.spec as { budget?: { concurrency?: number } }).budget?.concurrency ?? 1;
    const wanted = input.concurrency;
    if (wanted === undefined || !Number.isInteger(wanted) || wanted < 1 || wanted > ceiling) {
      throw new Invalid({
        pointer: '/concurrency',
        code: 'INVALID_INPUT',
        message: `Concurrency is a whole number from 1 to ${ceiling}, which was frozen.`,
      });
    }
    await enqueueAdvance(tx, release);
    await moveState(tx, ctx, release, {
      to: release.state as never,
      verb: 'release.limits',
      set: [sql`concurrency = ${wanted}`],
      before: { concurrency: release.concurrency },
      after: { concurrency: wanted },
    });
  },
);
