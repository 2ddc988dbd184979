import * as z from 'zod';
import type { Database } from '@/lib/db/client';
import { claimOwnerSchema } from '@/lib/domain/claim-owner-schema';
import { instantSchema } from '@/lib/domain/instant-schema';
import type { Code } from '@/lib/domain/refusal-codes';
import { runAnswersSchema } from '@/lib/domain/run-answers-schema';
import { RUN_KINDS, RUN_STATES } from '@/lib/domain/runs';
import { runIsIdle, runsOfDataset, runView } from '@/lib/queries/runs';
import { askRun, cancelRun, confirmRun, retryRun, runQuestions } from '@/lib/services/runs';
import { type Answer, type Call, endpoint, ok } from '@/lib/web/api/endpoint';
import { listOf, pageQuery, reason, waitQuery } from '@/lib/web/api/fields';
import * as answers from '@/lib/web/api/run-answers';
import { untilIdle } from '@/lib/web/api/wait';
import { withName } from '@/lib/web/api/with-name';

const ofDataset = '/datasets/{dataset}/runs';
const ofRun = '/runs/{run}';

const rangeCodes: readonly Code[] = [
  'NOT_FOUND',
  'REQUIRED',
  'EMPTY_RANGE',
  'RANGE_NOT_ON_PARTITION_EDGE',
  'RANGE_OUTSIDE_CALENDAR',
  'PLAN_TOO_LARGE',
  'AMBIGUOUS_TIME',
];
const askCodes: readonly Code[] = [
  ...rangeCodes,
  'INVALID_NAME',
  'NOT_OVERWRITABLE',
  'PUBLISHED_NOT_SEEN',
];
const moveCodes: readonly Code[] = ['NOT_FOUND', 'WRONG_STATE', 'LOST_RACE'];

/** A run is a matter of seconds for most; who does not want to wait says `wait=0`. */
const DEFAULT_WAIT = 30;

async function shown(
  db: Database,
  id: string,
  { status, wait, request }: { status: number; wait: number | undefined; request: Request },
): Promise<Answer> {
  await untilIdle(wait, request.signal, async () => !(await runIsIdle(db, id)));
  return { ...ok(await runView(db, id)), status };
}

/** What a run's own moves are declared with, and how they answer. */
const moved = {
  tag: 'datasets' as const,
  query: z.object(waitQuery),
  answers: { 200: { description: 'The run.', schema: answers.run } },
};
const move = async (
  { ctx, params, query, request }: Call<{ wait?: number | undefined }>,
  make: (run: string) => Promise<void>,
): Promise<Answer> => {
  const run = params.run ?? '';
  await make(run);
  return shown(ctx.db, run, { status: 200, wait: query.wait, request });
};
const again = async ({ ctx, params }: Call) => ok(await runView(ctx.db, params.run ?? ''));
/** The run that a try which died had made, by its audit row. */
const made = async ({ ctx }: Call, subject: string) => ({
  ...ok(await runView(ctx.db, subject.replace(/^run /, ''))),
  status: 201,
});

export const runs = [
  endpoint({
    method: 'GET',
    path: ofDataset,
    id: 'listRuns',
    tag: 'datasets',
    summary: 'Runs of a dataset, newest first',
    permission: 'dataset.read',
    query: z.object({
      ...pageQuery,
      state: z.enum(RUN_STATES).optional(),
      kind: z.enum(RUN_KINDS).optional(),
    }),
    answers: { 200: { description: 'A page of runs.', schema: listOf(answers.runItem) } },
    handle: async ({ ctx, params, query: { limit, cursor, ...filter } }) =>
      ok(
        await runsOfDataset(
          ctx.db,
          { ...filter, dataset: params.dataset ?? '' },
          { limit, ...(cursor === undefined ? {} : { cursor }) },
        ),
      ),
  }),
  endpoint({
    method: 'POST',
    path: ofDataset,
    id: 'runPartitions',
    tag: 'datasets',
    summary: 'Has the partitions of a range computed again from the log',
    description:
      'The range is half-open, on partition edges. Each partition is replaced whole, or skipped with its reason: `claimed_by:<owner>` where another than `owner` has claimed it, `sealed` where its figures were published, `no_data` where there is nothing to compute. Waits up to 30 seconds for the run to end unless `wait` says otherwise; `wait=0` answers at once. Over the policy’s size it waits for a second person.',
    permission: 'dataset.run',
    query: z.object(waitQuery),
    body: z.strictObject({
      from: instantSchema,
      to: instantSchema,
      owner: claimOwnerSchema.optional(),
      answers: runAnswersSchema.optional(),
    }),
    parsedBy: 'verb',
    answers: { 201: { description: 'The run.', schema: answers.run } },
    codes: askCodes,
    handle: async ({ ctx, params, query, body, request }) => {
      const { id } = await askRun(ctx, withName(body, 'dataset', params.dataset ?? '') as never);
      return shown(ctx.db, id, { status: 201, wait: query.wait ?? DEFAULT_WAIT, request });
    },
    recover: made,
  }),
  endpoint({
    method: 'GET',
    path: `${ofDataset}/questions`,
    id: 'runQuestions',
    tag: 'datasets',
    summary: 'What is so before a range is computed again',
    description:
      'What would be replaced, what was published and to whom, what is claimed, which partitions before the range are missing, and whether a second person is needed.',
    permission: 'dataset.read',
    query: z.object({ from: instantSchema, to: instantSchema }),
    answers: { 200: { description: 'The facts.', schema: answers.runQuestions } },
    codes: rangeCodes,
    handle: async ({ ctx, params, query }) =>
      ok(await runQuestions(ctx.db, { ...query, dataset: params.dataset ?? '' })),
  }),
  endpoint({
    method: 'GET',
    path: ofRun,
    id: 'getRun',
    tag: 'datasets',
    summary: 'A run with every partition of it',
    permission: 'dataset.read',
    query: z.object(waitQuery),
    answers: { 200: { description: 'The run.', schema: answers.run } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, query, request }) =>
      shown(ctx.db, params.run ?? '', { status: 200, wait: query.wait, request }),
  }),
  endpoint({
    ...moved,
    method: 'POST',
    path: `${ofRun}/confirm`,
    id: 'confirmRun',
    summary: 'Confirms another person’s run, as the second',
    permission: 'dataset.confirm-run',
    body: z.strictObject({}),
    bodyOptional: true,
    codes: [...moveCodes, 'SELF_APPROVAL'],
    handle: (call) => move(call, (run) => confirmRun(call.ctx, { run })),
    recover: again,
  }),
  endpoint({
    ...moved,
    method: 'POST',
    path: `${ofRun}/cancel`,
    id: 'cancelRun',
    summary: 'Ends a run before its next partition',
    permission: 'dataset.run',
    body: z.strictObject({ reason }),
    codes: moveCodes,
    handle: (call) => move(call, (run) => cancelRun(call.ctx, { run, reason: call.body.reason })),
    recover: again,
  }),
  endpoint({
    ...moved,
    method: 'POST',
    path: `${ofRun}/retry`,
    id: 'retryRun',
    summary: 'A new run over what failed or was skipped in an ended one',
    description:
      'What was skipped for want of data is in it only where there is data now. Which partitions they are is in the answer. Waits as asking for a run does.',
    permission: 'dataset.run',
    body: z.strictObject({ answers: runAnswersSchema.optional() }),
    bodyOptional: true,
    answers: { 201: { description: 'The new run.', schema: answers.run } },
    codes: [...moveCodes, 'NOTHING_PLANNED', 'NOT_OVERWRITABLE', 'PUBLISHED_NOT_SEEN'],
    handle: async ({ ctx, params, query, body, request }) => {
      const { id } = await retryRun(ctx, { run: params.run ?? '', answers: body.answers });
      return shown(ctx.db, id, { status: 201, wait: query.wait ?? DEFAULT_WAIT, request });
    },
    recover: made,
  }),
];
