import * as z from 'zod';
import type { Code } from '@/lib/domain/refusal-codes';
import { type Endpoint, endpoint } from '@/lib/web/api/endpoint';
import { waitQuery } from '@/lib/web/api/fields';
import { releaseResponse, waitForRelease } from '@/lib/web/api/release-answer';
import * as answers from '@/lib/web/api/release-answers';
import { makeMove } from '@/lib/web/make-move';
import { type MoveName, moveInputs, moveNames } from '@/lib/web/move-input';

const summaries: Record<MoveName, string> = {
  pin: 'Freezes the draft, its plan and the snapshot that it reads',
  build: 'Starts the build of the planned partitions',
  rehearse: 'Compares old and candidate before the seal',
  drill: 'Tries cutover and rollback on a fork of the dataset, and records how long they took',
  seal: 'Closes the ingress epoch and fixes the barrier',
  reopen: 'Opens ingress again under a new epoch, on the old generation',
  accept: 'Accepts drift or quarantine by name, quoting count and digest',
  approve: 'Signs the cutover on the digest of the evidence that was shown',
  reject: 'Rejects the release, with a comment: it ends',
  'sign-rollback': 'Signs the rollback, which binds release, evidence and old generation',
  activate: 'The cutover: one compare-and-set moves the active pointer',
  rollback: 'Goes back to the old generation, keeping the writes made since',
  'call-off': 'Calls a rollback off before its switch',
  abandon: 'Ends the release before it is active; its candidate is dropped',
  pause: 'Stops new work; what runs is finished',
  resume: 'Lets work go on',
  hold: 'Keeps the release from moving forward',
  unhold: 'Lifts the hold',
  retry: 'Builds failed partitions again, or runs the step again that failed',
  limits: 'Changes limits while it runs, within the frozen ceilings',
};

const common: readonly Code[] = ['NOT_FOUND', 'WRONG_STATE', 'LOST_RACE', 'CHANGED_SINCE_SEEN'];

const codes: Partial<Record<MoveName, readonly Code[]>> = {
  pin: [
    'EMPTY_RANGE',
    'RANGE_NOT_ON_PARTITION_EDGE',
    'RELEASE_OVERLAP',
    'INCOMPLETE_SOURCE',
    'SNAPSHOT_EXPIRED',
    'TARGET_GENERATION_TAKEN',
    'TRANSFORM_NOT_DETERMINISTIC',
  ],
  build: ['GENERATION_MOVED', 'RANGE_CLAIMED', 'HELD', 'PAUSED'],
  rehearse: ['PARTITIONS_MISSING'],
  drill: [
    'REHEARSAL_MISSING',
    'UNEXPLAINED_DIFF',
    'QUARANTINED',
    'EPOCH_SEALED',
    'ROLLBACK_IN_PROGRESS',
    'WORKING',
  ],
  seal: [
    'PARTITIONS_MISSING',
    'REHEARSAL_MISSING',
    'UNEXPLAINED_DIFF',
    'DRIFT_NOT_ACCEPTED',
    'CONTRACT_FAILED',
    'QUARANTINED',
    'EPOCH_SEALED',
    'ROLLBACK_IN_PROGRESS',
    'LAG_OVER_LIMIT',
    'HELD',
    'DRILL_MISSING',
  ],
  reopen: ['NOT_SEALED'],
  accept: ['CHANGED_SINCE_SEEN'],
  approve: [
    'SELF_APPROVAL',
    'ALREADY_SIGNED',
    'EVIDENCE_MOVED',
    'EVIDENCE_MISSING',
    'DEADLINE_PASSED',
  ],
  reject: ['COMMENT_REQUIRED'],
  'sign-rollback': ['SELF_APPROVAL', 'ALREADY_SIGNED', 'EVIDENCE_MOVED', 'EVIDENCE_MISSING'],
  activate: [
    'APPROVALS_MISSING',
    'EVIDENCE_MOVED',
    'NOT_SEALED',
    'BARRIER_NOT_COVERED',
    'GENERATION_MOVED',
    'DEADLINE_PASSED',
    'HELD',
    'EXECUTOR_SIGNED',
    'ROLLBACK_IN_PROGRESS',
    'DRILL_MISSING',
  ],
  rollback: [
    'ROLLBACK_UNSIGNED',
    'ROLLBACK_WINDOW_CLOSED',
    'RECONCILIATION_REQUIRED',
    'NOT_SERVING',
    'ROLLBACK_IN_PROGRESS',
  ],
  retry: ['RECONCILIATION_REQUIRED'],
};

function moveEndpoint(name: MoveName): Endpoint {
  const body: z.ZodType = moveInputs[name];
  return endpoint({
    method: 'POST',
    path: `/releases/{release}/${name}`,
    id: `${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Release`,
    tag: 'releases',
    summary: summaries[name],
    move: true,
    permission: `release.${name}`,
    query: z.object(waitQuery),
    body,
    bodyOptional: body.safeParse({}).success,
    ifMatch: 'optional',
    answers: {
      200: {
        description: 'The release, in its in-between state where the work goes on.',
        schema: answers.release,
      },
    },
    codes: [...new Set([...common, ...(codes[name] ?? [])])],
    handle: async ({ ctx, params, query, body: input, request }) => {
      const release = params.release ?? '';
      await makeMove(ctx, name, release, input as object, request.headers.get('if-match'));
      await waitForRelease(ctx.db, release, query.wait, request.signal);
      return releaseResponse(ctx.db, release);
    },
    recover: async ({ ctx, params }) => releaseResponse(ctx.db, params.release ?? ''),
  });
}

/** One endpoint for each move that a person can make. */
export const moves = moveNames.map(moveEndpoint);
