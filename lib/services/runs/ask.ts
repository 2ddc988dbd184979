import * as z from 'zod';
import type { Tx } from '@/lib/db/client';
import { insertRun } from '@/lib/db/statements/run';
import { transaction } from '@/lib/db/transaction';
import { claimOwnerSchema } from '@/lib/domain/claim-owner-schema';
import { instantSchema } from '@/lib/domain/instant-schema';
import type { Partition } from '@/lib/domain/partition-plan';
import { runAnswersSchema } from '@/lib/domain/run-answers-schema';
import { answerBlockers, foundFacts, type RunAnswers, type RunKind } from '@/lib/domain/runs';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import { partitionsOf } from '@/lib/services/claims/range';
import type { Ctx } from '@/lib/services/context';
import { chainOf, patience } from '@/lib/services/of-dataset';
import { refuseIf } from '@/lib/services/release/move';
import { verb } from '@/lib/services/verb';
import { questionsOf } from './questions';
import { enqueueRun, subjectOf } from './store';

export interface AskInput {
  dataset: string;
  /** Half-open, on partition edges. */
  from: string;
  to: string;
  /** For whom: this owner's claims do not stop it; the caller's own unless given. */
  owner?: string | undefined;
  /** What was asked before, and answered; left out where nobody was asked. */
  answers?: z.input<typeof runAnswersSchema> | undefined;
}

const schema = z.strictObject({
  dataset: z.string(),
  from: instantSchema,
  to: instantSchema,
  owner: claimOwnerSchema.optional(),
  answers: runAnswersSchema.optional(),
});

/**
 * Has a range of partitions computed again from the log. Answers that contradict what is so are
 * refused; the others are kept, with what was so beside them. Over the policy's size it waits for a
 * second person.
 *
 * @throws NotFound, Invalid with the nearest edges, Refused with everything that speaks against it
 */
export const askRun = verb<AskInput, { id: string }>(
  { name: 'dataset.run', subject: ({ dataset }) => dataset, chain: chainOf },
  async (ctx, input) => {
    const { answers, ...read } = parseInput(schema, input);
    return transaction(
      ctx.db,
      async (tx) => {
        const partitions = await partitionsOf(tx, read);
        return plan(tx, ctx, {
          ...read,
          owner: read.owner ?? ctx.actor.person,
          answers: answers ?? null,
          kind: 'adhoc',
          retryOf: null,
          partitions,
        });
      },
      patience,
    );
  },
);

interface Plan {
  dataset: string;
  from: string;
  to: string;
  owner: string;
  answers: RunAnswers | null;
  kind: RunKind;
  retryOf: string | null;
  partitions: readonly Partition[];
}

/** Writes a run that a person asked for, with its audit row, and queues it unless it waits. */
export async function plan(tx: Tx, ctx: Ctx, wanted: Plan): Promise<{ id: string }> {
  const questions = await questionsOf(tx, wanted, wanted.partitions);
  const { answers } = wanted;
  if (answers !== null) refuseIf(answerBlockers(answers, questions));
  const state = questions.secondPersonNeeded ? 'second_person' : 'planned';
  const kept = answers === null ? null : { ...answers, found: foundFacts(questions) };
  const id = (await insertRun(tx, {
    ...wanted,
    by: ctx.actor.person,
    state,
    answers: kept,
    scheduledFor: null,
  })) as string;
  if (state === 'planned') await enqueueRun(tx, id);
  await writeAudit(tx, ctx, {
    chain: `dataset:${wanted.dataset}`,
    verb: 'dataset.run',
    subject: subjectOf(id),
    after: {
      run: id,
      state,
      owner: wanted.owner,
      range: { from: wanted.from, to: wanted.to },
      partitions: wanted.partitions.length,
      retryOf: wanted.retryOf,
      answers: kept,
    },
  });
  return { id };
}
