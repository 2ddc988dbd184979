import * as z from 'zod';
import { loadDataset } from '@/lib/db/dataset-shape';
import { type Instant, parseInstant } from '@/lib/domain/instant';
import { instantSchema } from '@/lib/domain/instant-schema';
import { NotFound } from '@/lib/domain/refusal';
import type { Code } from '@/lib/domain/refusal-codes';
import {
  CORRECTION_KINDS,
  correctionList,
  correctionView,
  lastAmendment,
} from '@/lib/queries/corrections';
import { partitionHistory } from '@/lib/queries/corrections-history';
import {
  lastPublication,
  publicationList,
  publicationView,
  sealedPartitions,
} from '@/lib/queries/publications';
import { amend, publish } from '@/lib/services/publication';
import { endpoint, ok } from '@/lib/web/api/endpoint';
import { filterText, listOf, pageQuery, spanQuery } from '@/lib/web/api/fields';
import * as answers from '@/lib/web/api/publication-answers';
import { exportCorrections, streamOf } from '@/lib/web/corrections-export';

/** A field of one line that may be left empty. */
const line = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .optional()
    .transform((text) => text || undefined);

const publicationBody = z.strictObject({
  from: instantSchema,
  to: instantSchema,
  sentTo: line(500).meta({
    description: 'To whom the figures were sent; `not said` is recorded unless given.',
  }),
  document: line(1_000).meta({
    description: 'Where what was sent is kept: a file’s name, a link, a number.',
  }),
});

const amendmentBody = z.strictObject({
  partition: instantSchema.meta({ description: 'Start of a sealed partition.' }),
  reason: z
    .string()
    .trim()
    .max(2_000)
    .optional()
    .meta({ description: 'Why the figures are others now; required.' }),
});

const rangeCodes: readonly Code[] = [
  'NOT_FOUND',
  'EMPTY_RANGE',
  'RANGE_NOT_ON_PARTITION_EDGE',
  'RANGE_OUTSIDE_CALENDAR',
  'PLAN_TOO_LARGE',
  'AMBIGUOUS_TIME',
];

const span = 'Of partitions that begin in `[from, to)`.';

export const publications = [
  endpoint({
    method: 'GET',
    path: '/datasets/{dataset}/publications',
    id: 'listPublications',
    tag: 'datasets',
    summary: 'What was published of a dataset, newest first',
    permission: 'correction.read',
    query: z.object(pageQuery),
    answers: { 200: { description: 'A page.', schema: listOf(answers.publicationItem) } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, query }) =>
      ok(await publicationList(ctx.db, params.dataset ?? '', query)),
  }),
  endpoint({
    method: 'POST',
    path: '/datasets/{dataset}/publications',
    id: 'publish',
    tag: 'datasets',
    summary: 'Records that figures of a range were sent out, and seals its partitions',
    description:
      'The range is half-open, on partition edges. From here on no live write, run or release changes what is served of these partitions; what would have changed is a correction. Partitions that were sealed before keep their published figures. There is no unsealing.',
    permission: 'dataset.publish',
    body: publicationBody,
    answers: { 201: { description: 'What was published.', schema: answers.publication } },
    codes: [...rangeCodes, 'DATASET_NOT_READY', 'RELEASE_OVERLAP', 'WORKING'],
    handle: async ({ ctx, params, body }) => {
      const { id } = await publish(ctx, { dataset: params.dataset ?? '', ...body });
      return { ...ok(await publicationView(ctx.db, id)), status: 201 };
    },
    recover: async ({ ctx, params, body }) => {
      const made = await lastPublication(ctx.db, {
        dataset: params.dataset ?? '',
        from: body.from,
        to: body.to,
        by: ctx.actor.person,
      });
      if (!made) throw new NotFound('publication', `${body.from} to ${body.to}`);
      return { ...ok(made), status: 201 };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/datasets/{dataset}/amendments',
    id: 'amend',
    tag: 'datasets',
    summary: 'Computes a sealed partition again from the log and records the difference',
    description:
      'What is served stays as published. `before` is the partition’s last correction, the first time what was published, so that corrections add up.',
    permission: 'dataset.amend',
    body: amendmentBody,
    answers: { 201: { description: 'The correction.', schema: answers.correction } },
    codes: ['NOT_FOUND', 'NOT_SEALED', 'COMMENT_REQUIRED', 'AMBIGUOUS_TIME', 'DATASET_NOT_READY'],
    handle: async ({ ctx, params, body }) => {
      const { partition, reason: why = '' } = body;
      const { id } = await amend(ctx, { dataset: params.dataset ?? '', partition, reason: why });
      return { ...ok(await correctionView(ctx.db, id)), status: 201 };
    },
    recover: async ({ ctx, params, body }) => {
      const dataset = params.dataset ?? '';
      const { partition } = body;
      const made = await lastAmendment(ctx.db, { dataset, partition, by: ctx.actor.person });
      if (!made) throw new NotFound('correction', partition);
      return { ...ok(made), status: 201 };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/datasets/{dataset}/corrections',
    id: 'listCorrections',
    tag: 'datasets',
    summary: 'Corrections of sealed partitions, newest first; or all of them as a file',
    description: `${span} With \`format\` all that the filter chooses, 100,000 at most (\`X-Interlock-Cut: true\` where there are more), as one file whose bytes \`Content-Digest\` is over (RFC 9530). In CSV a text that a spreadsheet would run as a formula has an apostrophe before it.`,
    permission: 'correction.read',
    query: z.object({
      ...spanQuery,
      ...pageQuery,
      release: filterText,
      kind: z.enum(CORRECTION_KINDS).optional(),
      by: filterText,
      format: z.enum(['csv', 'json']).optional(),
    }),
    answers: { 200: { description: 'A page, or a file.', schema: answers.corrections } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, query }) => {
      const dataset = params.dataset ?? '';
      if (!(await loadDataset(ctx.db, dataset))) throw new NotFound('dataset', dataset);
      const { limit, cursor, format, ...rest } = query;
      const filter = { dataset, ...rest };
      if (format === undefined) return ok(await correctionList(ctx.db, filter, { limit, cursor }));
      const made = await exportCorrections(ctx.db, filter, format);
      return { status: 200, headers: made.headers, stream: streamOf(made) };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/datasets/{dataset}/sealed',
    id: 'listSealedPartitions',
    tag: 'datasets',
    summary: 'Sealed partitions, as published and as of now, in order of time',
    description: span,
    permission: 'correction.read',
    query: z.object({ ...spanQuery, ...pageQuery }),
    answers: { 200: { description: 'A page.', schema: listOf(answers.sealedPartition) } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, query }) =>
      ok(await sealedPartitions(ctx.db, params.dataset ?? '', query)),
  }),
  endpoint({
    method: 'GET',
    path: '/datasets/{dataset}/partitions/{start}/history',
    id: 'getPartitionHistory',
    tag: 'datasets',
    summary: 'One sealed partition: what was published, its corrections, and what is pending',
    permission: 'correction.read',
    answers: { 200: { description: 'The history.', schema: answers.partitionHistory } },
    codes: ['NOT_FOUND', 'AMBIGUOUS_TIME', 'INVALID_INPUT'],
    handle: async ({ ctx, params }) => {
      const dataset = params.dataset ?? '';
      if (!(await loadDataset(ctx.db, dataset))) throw new NotFound('dataset', dataset);
      const start: Instant = parseInstant(params.start, '/start');
      return ok(await partitionHistory(ctx.db, dataset, start));
    },
  }),
];
