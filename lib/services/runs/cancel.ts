import * as z from 'zod';
import { endRun } from '@/lib/db/statements/run';
import { transaction } from '@/lib/db/transaction';
import { Refused, toFix } from '@/lib/domain/refusal';
import { hasEnded } from '@/lib/domain/runs';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import { patience } from '@/lib/services/of-dataset';
import { verb } from '@/lib/services/verb';
import { chainOfRun, lockedRun, type RunInput, subjectOf } from './store';

export interface CancelInput extends RunInput {
  reason: string;
}

const schema = z.strictObject({ run: z.string(), reason: z.string().trim().min(1).max(2_000) });

/**
 * Ends a run before it has begun, or before its next partition: what it has replaced stays replaced,
 * and the one that it is just computing is not turned over any more.
 *
 * @throws NotFound, Refused where it has ended
 */
export const cancelRun = verb<CancelInput, void>(
  { name: 'dataset.run', subject: ({ run }) => subjectOf(run), chain: chainOfRun },
  (ctx, input) => {
    const { run: id, reason } = parseInput(schema, input);
    return transaction(
      ctx.db,
      async (tx) => {
        const run = await lockedRun(tx, id);
        if (hasEnded(run.state)) {
          throw new Refused(
            toFix('WRONG_STATE', `Run ${id} is ${run.state}; there is nothing to cancel.`, {
              current: run.state,
            }),
          );
        }
        await endRun(tx, id, 'cancelled', `cancelled by ${ctx.actor.person}: ${reason}`);
        await writeAudit(tx, ctx, {
          chain: `dataset:${run.dataset}`,
          verb: 'dataset.run',
          subject: subjectOf(id),
          before: { run: id, state: run.state },
          after: { run: id, state: 'cancelled' },
          reason,
        });
      },
      patience,
    );
  },
);
