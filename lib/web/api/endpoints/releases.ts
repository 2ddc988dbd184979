import * as z from 'zod';
import { BUCKETS } from '@/lib/domain/buckets';
import { DIFF_CLASSES } from '@/lib/domain/diff-class';
import { instantSchema } from '@/lib/domain/instant-schema';
import type { Json } from '@/lib/domain/json';
import { Invalid, LostRace, NotFound } from '@/lib/domain/refusal';
import { releaseSchema } from '@/lib/domain/release';
import { approvalList } from '@/lib/queries/approvals';
import { checkList } from '@/lib/queries/checks';
import { receiptList } from '@/lib/queries/receipts';
import { releaseList } from '@/lib/queries/release-list';
import { releasePartitions } from '@/lib/queries/release-partitions';
import {
  createRelease,
  diffPage,
  patchRelease,
  previewPlan,
  samplePartition,
} from '@/lib/services/release';
import { endpoint, ok } from '@/lib/web/api/endpoint';
import {
  filterText,
  listOf,
  pageQuery,
  queryInt,
  spanQuery,
  waitQuery,
} from '@/lib/web/api/fields';
import { progressStream } from '@/lib/web/api/progress-stream';
import { releaseResponse, versionOf, waitForRelease } from '@/lib/web/api/release-answer';
import * as answers from '@/lib/web/api/release-answers';

const kind = z.enum(['rehearsal', 'final']).optional();

export const releases = [
  endpoint({
    method: 'GET',
    path: '/releases',
    id: 'listReleases',
    tag: 'releases',
    summary: 'Releases, newest first',
    permission: 'release.read',
    query: z.object({
      ...pageQuery,
      dataset: filterText,
      state: filterText,
      name: filterText,
      owner: filterText,
    }),
    answers: { 200: { description: 'A page of releases.', schema: listOf(answers.releaseItem) } },
    handle: async ({ ctx, query: { limit, cursor, ...filter } }) =>
      ok(await releaseList(ctx.db, filter, { limit, cursor })),
  }),
  endpoint({
    method: 'POST',
    path: '/releases',
    id: 'createRelease',
    tag: 'releases',
    summary: 'Drafts a release',
    description:
      '`release` given as a bare name, or as a revision that exists, makes the next revision. `transform.new` may be `{"sql": …}`; what is left out is frozen from the dataset at pinning.',
    permission: 'release.create',
    body: releaseSchema,
    parsedBy: 'verb',
    answers: { 201: { description: 'The draft.', schema: answers.release } },
    codes: ['NOT_FOUND', 'INVALID_NAME', 'NOT_AVAILABLE', 'TRANSFORM_INVALID', 'AMBIGUOUS_TIME'],
    handle: async ({ ctx, body }) => {
      const { name, revision } = await createRelease(ctx, body);
      return created(ctx.db, `${name}@${revision}`);
    },
    recover: async ({ ctx }, subject) => created(ctx.db, subject),
  }),
  endpoint({
    method: 'GET',
    path: '/releases/{release}',
    id: 'getRelease',
    tag: 'releases',
    summary: 'A release: everything frozen, its state, and what blocks each open move',
    permission: 'release.read',
    query: z.object(waitQuery),
    answers: { 200: { description: 'The release.', schema: answers.release } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, query, request }) => {
      const reference = params.release ?? '';
      await waitForRelease(ctx.db, reference, query.wait, request.signal);
      return releaseResponse(ctx.db, reference);
    },
  }),
  endpoint({
    method: 'PATCH',
    path: '/releases/{release}',
    id: 'patchRelease',
    tag: 'releases',
    summary: 'Edits a draft; everyone who edits becomes an author',
    description:
      'A JSON merge patch (RFC 7396) of the draft: null takes a field away, objects merge, anything else replaces. `If-Match` names the version that was looked at: another one is 409.',
    permission: 'release.edit',
    body: z.looseObject({}).meta({ description: 'Fields of dataBackfillRelease.v1.' }),
    parsedBy: 'verb',
    ifMatch: 'required',
    answers: { 200: { description: 'The draft as it is now.', schema: answers.release } },
    codes: ['NOT_FOUND', 'NOT_A_DRAFT', 'CHANGED_SINCE_SEEN', 'NOT_AVAILABLE'],
    handle: async ({ ctx, params, body, request }) => {
      const reference = params.release ?? '';
      const version = await draftVersion(ctx.db, reference, request.headers.get('if-match'));
      await rebased(() => patchRelease(ctx, { release: reference, version, spec: body as Json }));
      return releaseResponse(ctx.db, reference);
    },
  }),
  endpoint({
    method: 'GET',
    path: '/releases/{release}/plan',
    id: 'getPlan',
    tag: 'releases',
    summary: 'The exact partitions that pinning would freeze, or froze',
    permission: 'release.read',
    answers: { 200: { description: 'The plan.', schema: answers.plan } },
    codes: ['NOT_FOUND', 'EMPTY_RANGE', 'RANGE_NOT_ON_PARTITION_EDGE'],
    handle: async ({ ctx, params }) => ok(await previewPlan(ctx.db, params.release ?? '')),
  }),
  endpoint({
    method: 'POST',
    path: '/releases/{release}/sample',
    id: 'samplePartition',
    tag: 'releases',
    summary: 'Old and new rows of one partition; nothing is written',
    permission: 'release.read',
    body: z.strictObject({ partition: instantSchema }),
    answers: { 200: { description: 'The rows.', schema: answers.sample } },
    codes: ['NOT_FOUND', 'TRANSFORM_INVALID'],
    handle: async ({ ctx, params, body }) =>
      ok(await samplePartition(ctx.db, params.release ?? '', body.partition)),
  }),
  endpoint({
    method: 'GET',
    path: '/releases/{release}/partitions',
    id: 'listReleasePartitions',
    tag: 'releases',
    summary: 'The frozen plan with the state of each partition, in order of time',
    permission: 'release.read',
    query: z.object({
      ...pageQuery,
      state: z.enum(['planned', 'building', 'built', 'failed']).optional(),
    }),
    answers: {
      200: { description: 'A page of partitions.', schema: listOf(answers.plannedPartition) },
    },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, query: { limit, cursor, ...filter } }) =>
      ok(await releasePartitions(ctx.db, params.release ?? '', filter, { limit, cursor })),
  }),
  endpoint({
    method: 'GET',
    path: '/releases/{release}/receipts',
    id: 'listReceipts',
    tag: 'releases',
    summary: 'Receipts in order of time',
    permission: 'release.read',
    query: z.object(pageQuery),
    answers: { 200: { description: 'A page of receipts.', schema: listOf(answers.receipt) } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, query }) =>
      ok(await receiptList(ctx.db, params.release ?? '', query)),
  }),
  endpoint({
    method: 'GET',
    path: '/releases/{release}/checks',
    id: 'listChecks',
    tag: 'releases',
    summary: 'Checks of the newest finished comparison, or of the newest of one kind',
    permission: 'release.read',
    query: z.object({ kind }),
    answers: { 200: { description: 'The checks.', schema: listOf(answers.check) } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, query }) =>
      ok(await checkList(ctx.db, params.release ?? '', query.kind)),
  }),
  endpoint({
    method: 'GET',
    path: '/releases/{release}/diff',
    id: 'listDiff',
    tag: 'releases',
    summary: 'The differing rows: old, control and new side by side',
    description:
      'Computed when asked for, paged by partition and key; which partitions have some is what the newest comparison found. `control` is what the old transform yields from the same facts as `new`.',
    permission: 'release.read',
    query: z.object({
      ...pageQuery,
      partition: instantSchema.optional(),
      ...spanQuery,
      bucket: queryInt(0, BUCKETS - 1, 'Only rows whose key falls into this bucket.').optional(),
      class: z.enum(DIFF_CLASSES).optional(),
      rule: filterText,
    }),
    answers: { 200: { description: 'A page of rows.', schema: listOf(answers.diffRow) } },
    codes: ['NOT_FOUND', 'REHEARSAL_MISSING', 'SNAPSHOT_EXPIRED'],
    handle: async ({ ctx, params, query }) =>
      ok(await diffPage(ctx.db, { ...query, release: params.release ?? '' })),
  }),
  endpoint({
    method: 'GET',
    path: '/releases/{release}/approvals',
    id: 'listApprovals',
    tag: 'releases',
    summary: 'Every signature that was given, and whether it stands',
    permission: 'release.read',
    answers: { 200: { description: 'The signatures.', schema: listOf(answers.signature) } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params }) => ok(await approvalList(ctx.db, params.release ?? '')),
  }),
  endpoint({
    method: 'GET',
    path: '/releases/{release}/events',
    id: 'watchRelease',
    tag: 'releases',
    summary: 'Progress as Server-Sent Events',
    description:
      'An event `progress` now and at each change: state, flags, progress, evidence digest. The stream ends when the caller may not read any more.',
    permission: 'release.read',
    answers: { 200: { description: 'The stream.', mediaType: 'text/event-stream' } },
    codes: ['NOT_FOUND'],
    handle: async (call) => progressStream(call, call.params.release ?? ''),
  }),
];

async function created(db: Parameters<typeof releaseResponse>[0], reference: string) {
  return releaseResponse(db, reference, 201, { location: `/api/v1/releases/${reference}` });
}

async function draftVersion(
  db: Parameters<typeof releaseResponse>[0],
  reference: string,
  ifMatch: string | null,
): Promise<number> {
  if (ifMatch === null) {
    throw new Invalid({
      pointer: '',
      code: 'REQUIRED',
      message: 'The header If-Match is required: the ETag of the draft that you edit.',
    });
  }
  const version = versionOf(ifMatch);
  if (version === null) {
    throw new LostRace(
      `${ifMatch.slice(0, 80)} is no version of ${reference}.`,
      'CHANGED_SINCE_SEEN',
    );
  }
  if (version !== 'any') return version;
  const { headers } = await releaseResponse(db, reference);
  const current = versionOf(headers?.etag ?? '');
  if (typeof current !== 'number') throw new NotFound('release', reference);
  return current;
}

/** The verb's input holds the body under `spec`: its pointers become the body's. */
async function rebased<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new Invalid(
      error.issues.map((issue) => ({
        ...issue,
        pointer: issue.pointer.replace(/^\/spec(?=\/|$)/, ''),
      })),
    );
  }
}
