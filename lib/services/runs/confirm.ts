import { planRun } from '@/lib/db/statements/run';
import { transaction } from '@/lib/db/transaction';
import { Refused, toFix } from '@/lib/domain/refusal';
import { writeAudit } from '@/lib/services/audit/write';
import { patience } from '@/lib/services/of-dataset';
import { verb } from '@/lib/services/verb';
import { chainOfRun, enqueueRun, lockedRun, type RunInput, subjectOf } from './store';

/**
 * Confirms another person's run, which the dataset's policy wants for one of its size.
 *
 * @throws NotFound, Refused where it does not wait for that, or to whoever asked for it
 */
export const confirmRun = verb<RunInput, void>(
  { name: 'dataset.confirm-run', subject: ({ run }) => subjectOf(run), chain: chainOfRun },
  (ctx, { run: id }) =>
    transaction(
      ctx.db,
      async (tx) => {
        const run = await lockedRun(tx, id);
        if (run.state !== 'second_person') {
          throw new Refused(
            toFix('WRONG_STATE', `Run ${id} is ${run.state}; it waits for no second person.`, {
              current: run.state,
            }),
          );
        }
        if (run.by === ctx.actor.person) {
          throw new Refused(
            toFix('SELF_APPROVAL', `You asked for run ${id}; another person confirms it.`),
          );
        }
        await planRun(tx, id, ctx.actor.person);
        await enqueueRun(tx, id);
        await writeAudit(tx, ctx, {
          chain: `dataset:${run.dataset}`,
          verb: 'dataset.confirm-run',
          subject: subjectOf(id),
          after: { run: id, askedBy: run.by },
        });
      },
      patience,
    ),
);
