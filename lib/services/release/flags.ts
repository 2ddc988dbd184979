import { sql } from 'drizzle-orm';
import { toFix } from '@/lib/domain/refusal';
import { enqueueAdvance, move, refuseIf, stateBlocker } from './move';
import { moveState } from './move-state';

export interface FlagInput {
  release: string;
  reason?: string;
  comment?: string;
}

const why = (input: FlagInput) => input.reason ?? input.comment ?? null;

function flag(
  name: 'pause' | 'resume' | 'hold' | 'unhold',
  column: 'paused' | 'held',
  raise: boolean,
) {
  return move<FlagInput>(name, async (tx, ctx, { release }, input) => {
    const raised = (column === 'paused' ? release.pausedAt : release.heldAt) !== null;
    refuseIf([
      ...stateBlocker(name, release),
      ...(raised === raise
        ? [toFix('WRONG_STATE', `The release is ${raise ? 'already' : 'not'} ${column}.`)]
        : []),
    ]);
    const set = raise
      ? [
          sql`${sql.identifier(`${column}_at`)} = clock_timestamp()`,
          sql`${sql.identifier(`${column}_by`)} = ${ctx.actor.person}`,
          sql`${sql.identifier(`${column}_why`)} = ${why(input)}`,
        ]
      : [
          sql`${sql.identifier(`${column}_at`)} = null`,
          sql`${sql.identifier(`${column}_by`)} = null`,
          sql`${sql.identifier(`${column}_why`)} = null`,
        ];
    if (!raise) await enqueueAdvance(tx, release);
    await moveState(tx, ctx, release, {
      to: release.state as never,
      verb: `release.${name}`,
      why: why(input),
      set,
      after: { [column]: raise },
    });
  });
}

/** Stops new work of a release; what runs is finished. */
export const pause = flag('pause', 'paused', true);
export const resume = flag('resume', 'paused', false);

/** Keeps a release from moving forward; the cutover reads the hold in its own transaction. */
export const hold = flag('hold', 'held', true);
export const unhold = flag('unhold', 'held', false);
