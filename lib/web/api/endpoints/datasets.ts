import * as z from 'zod';
import { datasetBodySchema, sqlSchema } from '@/lib/domain/dataset';
import { datasetNameSchema } from '@/lib/domain/names';
import { datasetPartitions } from '@/lib/queries/dataset-partitions';
import { datasetList, datasetView } from '@/lib/queries/dataset-view';
import {
  applyDataset,
  checkTransformFor,
  endLease,
  grantLease,
  readRows,
} from '@/lib/services/dataset';
import * as answers from '@/lib/web/api/answers';
import { endpoint, noContent, ok } from '@/lib/web/api/endpoint';
import { listOf, maxPage, pageQuery, queryInt, spanQuery, waitQuery } from '@/lib/web/api/fields';
import { freshGeneration, rollup } from '@/lib/web/api/figures';
import { untilIdle } from '@/lib/web/api/wait';
import { withName } from '@/lib/web/api/with-name';

const generation = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: 'Name of a generation; the one in use unless given.' })
  .optional();

/** Says in the head of an answer that something of it is known to be wrong. */
const warningHeader = (warnings: readonly { code: string }[]): Record<string, string> =>
  warnings.length === 0 ? {} : { 'x-interlock-warning': 'CONTAMINATED' };

async function loaded(
  db: Parameters<typeof datasetView>[0],
  name: string,
  wait: number | undefined,
  signal: AbortSignal,
) {
  await untilIdle(wait, signal, async () => (await datasetView(db, name)).loading !== null);
  return datasetView(db, name);
}

export const datasets = [
  endpoint({
    method: 'GET',
    path: '/datasets',
    id: 'listDatasets',
    tag: 'datasets',
    summary: 'Datasets by name',
    permission: 'dataset.read',
    query: z.object(pageQuery),
    answers: { 200: { description: 'A page of datasets.', schema: listOf(answers.datasetItem) } },
    handle: async ({ ctx, query }) => ok(await datasetList(ctx.db, query)),
  }),
  endpoint({
    method: 'GET',
    path: '/datasets/{dataset}',
    id: 'getDataset',
    tag: 'datasets',
    summary: 'A dataset: definition, generation in use, ingress, all generations',
    permission: 'dataset.read',
    query: z.object(waitQuery),
    answers: { 200: { description: 'The dataset.', schema: answers.dataset } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, query, request }) =>
      ok(await loaded(ctx.db, params.dataset ?? '', query.wait, request.signal)),
  }),
  endpoint({
    method: 'PUT',
    path: '/datasets/{dataset}',
    id: 'putDataset',
    tag: 'datasets',
    summary: 'Declares a dataset, or changes its policy',
    description:
      'The first time its generation 1 is built in the background; `wait` waits for that. Later only the policy changes; anything else is a release.',
    permission: 'dataset.apply',
    query: z.object(waitQuery),
    body: datasetBodySchema,
    parsedBy: 'verb',
    answers: {
      200: { description: 'It was there; its policy is as given.', schema: answers.dataset },
      201: { description: 'It is new, and being loaded.', schema: answers.dataset },
    },
    codes: [
      'INVALID_NAME',
      'DATASET_IS_FIXED',
      'POLICY_LOWERED',
      'TRANSFORM_INVALID',
      'TRANSFORM_NOT_DETERMINISTIC',
      'TRANSFORM_NOT_ROW_WISE',
      'NOT_AVAILABLE',
    ],
    handle: async ({ ctx, params, query, body, request }) => {
      const name = params.dataset ?? '';
      const { created } = await applyDataset(ctx, withName(body, 'name', name));
      const view = await loaded(ctx.db, name, query.wait, request.signal);
      return { ...ok(view), status: created ? 201 : 200 };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/datasets/{dataset}/rows',
    id: 'readRows',
    tag: 'datasets',
    summary: 'Rows in order of partition and key, page by page of one generation',
    description:
      'The first page pins the generation in use with a lease, which the cursor carries and each page renews. A lease that ended is 410 `LEASE_ENDED`, never an empty page and never another generation. `from` and `to` are a half-open interval of business time. `warnings` names each interval in it that is known to be wrong in this generation, also after a cutover has repaired it for readers of the next; `X-Interlock-Warning: CONTAMINATED` says that there is one.',
    permission: 'dataset.rows',
    query: z.object({
      ...spanQuery,
      limit: queryInt(1, 1_000_000, 'Rows of a page; at most 1,000 are given.')
        .transform((n) => Math.min(n, maxPage))
        .optional(),
      cursor: z.string().max(8_000).optional(),
      generation,
      lease: z.string().min(1).max(200).optional(),
    }),
    answers: { 200: { description: 'A page of rows.', schema: answers.rowsPage } },
    codes: ['NOT_FOUND', 'LEASE_ENDED', 'GENERATION_GONE', 'DATASET_NOT_READY'],
    handle: async ({ ctx, params, query }) => {
      const page = await readRows(ctx, { dataset: params.dataset ?? '', ...query });
      return ok(page, {
        'x-interlock-generation': page.generation,
        ...warningHeader(page.warnings),
      });
    },
  }),
  endpoint({
    method: 'GET',
    path: '/datasets/{dataset}/partitions',
    id: 'listDatasetPartitions',
    tag: 'datasets',
    summary: 'Partitions of a generation with rows, conserved sums and root, in order of time',
    description: 'One list, not paged. Figures of partitions that changed are taken anew first.',
    permission: 'dataset.read',
    query: z.object({ generation }),
    answers: { 200: { description: 'The partitions.', schema: z.array(answers.partition) } },
    codes: ['NOT_FOUND', 'GENERATION_GONE'],
    handle: async ({ ctx, params, query }) => {
      const found = await freshGeneration(ctx.db, params.dataset ?? '', query.generation);
      const partitions = await datasetPartitions(ctx.db, found.id);
      return ok(partitions, { 'x-interlock-generation': found.name });
    },
  }),
  endpoint({
    method: 'GET',
    path: '/datasets/{dataset}/rollup',
    id: 'readRollup',
    tag: 'datasets',
    summary: 'The dataset’s rollups over a generation, or over an interval on partition edges',
    description:
      'Always derived from the parts that the generation’s partitions keep, and read with the pointer in one statement. `metrics` is what is served, of sealed partitions as published; `asOfNow` has their corrections in it.',
    permission: 'dataset.rows',
    query: z.object({
      ...spanQuery,
      generation,
      by: z
        .enum(['partition'])
        .meta({ description: 'Gives the parts as well, in `perPartition`.' })
        .optional(),
    }),
    answers: { 200: { description: 'Each metric, as exact text.', schema: answers.rollup } },
    codes: ['NOT_FOUND', 'GENERATION_GONE', 'RANGE_NOT_ON_PARTITION_EDGE', 'EMPTY_RANGE'],
    handle: async ({ ctx, params, query }) => {
      const found = await rollup(ctx.db, { dataset: params.dataset ?? '', ...query });
      return ok(found, {
        'x-interlock-generation': found.generation,
        ...warningHeader(found.warnings),
      });
    },
  }),
  endpoint({
    method: 'POST',
    path: '/datasets/{dataset}/leases',
    id: 'grantLease',
    tag: 'datasets',
    summary: 'Pins the generation in use for a reader',
    description: 'At most as long as the dataset’s policy says; reading with it renews it.',
    permission: 'dataset.lease',
    body: z.strictObject({
      seconds: z
        .int()
        .min(1)
        .max(86_400 * 366)
        .optional(),
    }),
    bodyOptional: true,
    answers: { 201: { description: 'The lease.', schema: answers.lease } },
    codes: ['NOT_FOUND', 'DATASET_NOT_READY'],
    handle: async ({ ctx, params, body }) => ({
      ...ok(await grantLease(ctx, withName(body, 'dataset', params.dataset ?? ''))),
      status: 201,
    }),
  }),
  endpoint({
    method: 'DELETE',
    path: '/leases/{lease}',
    id: 'endLease',
    tag: 'datasets',
    summary: 'Ends a lease',
    permission: 'dataset.lease',
    answers: { 204: { description: 'The next page with it is 410.' } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params }) => {
      await endLease(ctx, { id: params.lease ?? '' });
      return noContent;
    },
  }),
  endpoint({
    method: 'POST',
    path: '/transforms/check',
    id: 'checkTransform',
    tag: 'datasets',
    summary: 'Checks a transform against a dataset, without keeping it',
    permission: 'transform.check',
    body: z.strictObject({ dataset: datasetNameSchema, sql: sqlSchema }),
    answers: {
      200: { description: 'Its digest and the columns it yields.', schema: answers.transformCheck },
    },
    codes: [
      'NOT_FOUND',
      'TRANSFORM_INVALID',
      'TRANSFORM_NOT_DETERMINISTIC',
      'TRANSFORM_NOT_ROW_WISE',
    ],
    handle: async ({ ctx, body }) => ok(await checkTransformFor(ctx.db, body)),
  }),
];
