import * as z from 'zod';
import { addLift } from '@/lib/db/statements/contamination';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import { verb } from '@/lib/services/verb';
import { reasonSchema } from './mark';
import { chainOfMark, isLifted, lockedMark } from './of-mark';
import { tellMarks } from './tell-marks';

const schema = z.strictObject({ id: z.string(), reason: reasonSchema });

export interface LiftInput {
  /** The mark's. */
  id: string;
  reason: string;
}

/**
 * Lifts a mark by hand: what was served was not wrong after all, or is right again by other means
 * than a release. For good, and for readers of every generation: no rollback puts it back, also
 * where a cutover had lifted it before.
 *
 * @throws Refused where a person lifted it already
 */
export const liftContamination = verb<LiftInput, void>(
  {
    name: 'dataset.lift-contamination',
    subject: ({ id }) => `contamination ${id}`,
    chain: chainOfMark,
  },
  async (ctx, input) => {
    const { id, reason } = parseInput(schema, input);
    await lockedMark(ctx.db, id, async (tx, mark) => {
      if (mark.liftedByHand) throw isLifted('Somebody lifted the mark already.');
      await addLift(tx, { mark: id, reason, by: ctx.actor.person });
      if (mark.standing) {
        await tellMarks(tx, {
          kind: 'CONTAMINATION_LIFTED',
          marks: [id],
          by: ctx.actor.person,
          liftedBecause: reason,
        });
      }
      await writeAudit(tx, ctx, {
        chain: `dataset:${mark.dataset}`,
        verb: 'dataset.lift-contamination',
        subject: `contamination ${id}`,
        before: { standing: mark.standing, repairedBy: mark.repairedBy },
        after: { contamination: id, standing: false },
        reason,
      });
    });
  },
);
