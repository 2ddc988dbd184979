import * as z from 'zod';
import { claimOwnerSchema } from '@/lib/domain/claim-owner-schema';
import { instantSchema } from '@/lib/domain/instant-schema';
import type { Code } from '@/lib/domain/refusal-codes';
import { claim, claimsView, releaseClaims } from '@/lib/services/claims';
import * as answers from '@/lib/web/api/answers';
import { endpoint, ok } from '@/lib/web/api/endpoint';
import { filterText, spanQuery } from '@/lib/web/api/fields';
import { withName } from '@/lib/web/api/with-name';

const path = '/datasets/{dataset}/claims';

/** As the verbs read it; they ask for the ends. */
const body = z.strictObject({
  from: instantSchema.optional(),
  to: instantSchema.optional(),
  owner: claimOwnerSchema.optional(),
});

const codes: readonly Code[] = [
  'NOT_FOUND',
  'REQUIRED',
  'EMPTY_RANGE',
  'RANGE_NOT_ON_PARTITION_EDGE',
  'RANGE_OUTSIDE_CALENDAR',
  'PLAN_TOO_LARGE',
  'AMBIGUOUS_TIME',
  'INVALID_NAME',
  'LOST_RACE',
];

export const claims = [
  endpoint({
    method: 'GET',
    path,
    id: 'listClaims',
    tag: 'datasets',
    summary: 'Who has claimed which partitions, and how they stand for an owner',
    description:
      'Of the whole dataset, or of the partitions that begin in `[from, to)`. `claimed` and `denied` are as a claim under `owner` would find them; `owner` is the caller unless given.',
    permission: 'dataset.read',
    query: z.object({ ...spanQuery, owner: filterText }),
    answers: { 200: { description: 'The claims, in order of time.', schema: answers.claims } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, query }) =>
      ok(await claimsView(ctx.db, { ...query, dataset: params.dataset ?? '' }, ctx.actor.person)),
  }),
  endpoint({
    method: 'POST',
    path,
    id: 'claimPartitions',
    tag: 'datasets',
    summary: 'Claims the partitions of a range, partition by partition',
    description:
      'The range is half-open, on partition edges. What is free is granted, and what is the owner’s already; what another holds is in `denied` with who holds it, and takes nothing else with it. `owner` is the caller unless given; names of the form `name@n` belong to releases.',
    permission: 'dataset.claim',
    body,
    parsedBy: 'verb',
    answers: { 200: { description: 'Granted and denied.', schema: answers.claim } },
    codes,
    handle: async ({ ctx, params, body: input }) =>
      ok(await claim(ctx, withName(input, 'dataset', params.dataset ?? '') as never)),
    recover: async ({ ctx, params, body: input }) => {
      const { from, to, owner } = body.parse(input);
      const request = { dataset: params.dataset ?? '', from, to, owner };
      const { claims: _, ...answer } = await claimsView(ctx.db, request, ctx.actor.person);
      return ok(answer);
    },
  }),
  endpoint({
    method: 'DELETE',
    path,
    id: 'releaseClaims',
    tag: 'datasets',
    summary: 'Lets go of an owner’s claims in a range',
    description:
      'Only of the owner’s own: what others hold in the range stays theirs and is in `denied`. The fields come in the body or in the query.',
    permission: 'dataset.release-claims',
    query: z.object({ from: z.string().optional(), to: z.string().optional(), owner: filterText }),
    body,
    parsedBy: 'verb',
    bodyOptional: true,
    answers: { 200: { description: 'What was let go.', schema: answers.claimsReleased } },
    codes,
    handle: async ({ ctx, params, query, body: input }) => {
      const fields = { ...query, ...(input as object) };
      return ok(
        await releaseClaims(ctx, withName(fields, 'dataset', params.dataset ?? '') as never),
      );
    },
  }),
];
