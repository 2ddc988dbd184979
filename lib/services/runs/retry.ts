import * as z from 'zod';
import type { Tx } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { type RunPartitionRow, type RunRow, runPartitions } from '@/lib/db/statements/run';
import { transaction } from '@/lib/db/transaction';
import type { Partition } from '@/lib/domain/partition-plan';
import { Refused, toFix, toWait } from '@/lib/domain/refusal';
import { runAnswersSchema } from '@/lib/domain/run-answers-schema';
import { hasEnded } from '@/lib/domain/runs';
import { parseInput } from '@/lib/domain/zod-issues';
import { patience } from '@/lib/services/of-dataset';
import { inUse } from '@/lib/services/steps/run-aside';
import { partitionsWithData } from '@/lib/services/steps/run-plan';
import { verb } from '@/lib/services/verb';
import { plan } from './ask';
import { chainOfRun, lockedRun, type RunInput, subjectOf } from './store';

export interface RetryInput extends RunInput {
  answers?: z.input<typeof runAnswersSchema> | undefined;
}

const schema = z.strictObject({ run: z.string(), answers: runAnswersSchema.optional() });

/**
 * Makes a new run over exactly the partitions that failed or were skipped in an ended one, and of a
 * cancelled one those that it never came to. What was skipped as `no_data` is among them only where
 * there is data now. Its range reaches from the first of them to the last.
 *
 * @throws NotFound, Refused where the run goes on, or nothing of it is left to do
 */
export const retryRun = verb<RetryInput, { id: string }>(
  { name: 'dataset.run', subject: ({ run }) => subjectOf(run), chain: chainOfRun },
  (ctx, input) => {
    const { run: id, answers } = parseInput(schema, input);
    return transaction(
      ctx.db,
      async (tx) => {
        const run = await lockedRun(tx, id);
        if (!hasEnded(run.state)) {
          throw new Refused(
            toWait(
              'WRONG_STATE',
              `Run ${id} is ${run.state}; it can be done again when it ended.`,
              {
                current: run.state,
              },
            ),
          );
        }
        const partitions = await leftOf(tx, run);
        const [first] = partitions;
        const last = partitions.at(-1);
        if (!first || !last) {
          throw new Refused(
            toFix('NOTHING_PLANNED', `Nothing of run ${id} failed or was skipped.`),
          );
        }
        return plan(tx, ctx, {
          dataset: run.dataset,
          from: first.start,
          to: last.end,
          owner: run.owner,
          answers: answers ?? null,
          kind: 'adhoc',
          retryOf: id,
          partitions,
        });
      },
      { ...patience, statementTimeoutMs: 60_000 },
    );
  },
);

async function leftOf(tx: Tx, run: RunRow): Promise<Partition[]> {
  const parts = await runPartitions(tx, run.id);
  const empty = parts.filter(({ reason }) => reason === 'no_data');
  const filled = await filledNow(tx, run.dataset, empty);
  return parts
    .filter(
      ({ start, state, reason }) => state !== 'done' && (reason !== 'no_data' || filled.has(start)),
    )
    .map(({ start, end }) => ({ start, end }) as Partition);
}

async function filledNow(
  tx: Tx,
  name: string,
  parts: readonly RunPartitionRow[],
): Promise<Set<string>> {
  const dataset = await loadDataset(tx, name);
  const now = await inUse(tx, name);
  if (!dataset || !now || parts.length === 0) return new Set();
  return partitionsWithData(tx, dataset, now.generation, parts);
}
