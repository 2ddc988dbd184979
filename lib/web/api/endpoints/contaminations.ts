import * as z from 'zod';
import { instantSchema } from '@/lib/domain/instant-schema';
import { NotFound } from '@/lib/domain/refusal';
import { contaminationList, contaminationView, lastMark } from '@/lib/queries/contaminations';
import {
  liftContamination,
  linkContamination,
  markContaminated,
} from '@/lib/services/contamination';
import * as answers from '@/lib/web/api/answers';
import { endpoint, ok } from '@/lib/web/api/endpoint';
import { listOf, pageQuery } from '@/lib/web/api/fields';
import { withName } from '@/lib/web/api/with-name';

const of = '/datasets/{dataset}/contaminations';
const one = '/contaminations/{id}';
const release = z.string().min(1).max(200);
const reason = z.string().trim().min(1).max(2_000);

const linkCodes = ['NOT_FOUND', 'OTHER_DATASET', 'RANGE_NOT_COVERED', 'CUTOVER_OVER'] as const;

export const contaminations = [
  endpoint({
    method: 'GET',
    path: of,
    id: 'listContaminations',
    tag: 'datasets',
    summary: 'Contaminated ranges with what became of them, newest first',
    permission: 'dataset.read',
    query: z.object({
      ...pageQuery,
      standing: z
        .enum(['true', 'false', ''])
        .optional()
        .transform((text) => (text === undefined ? undefined : text !== 'false'))
        .meta({
          description: 'Only those that stand, or with `false` only those that were lifted.',
        }),
    }),
    answers: { 200: { description: 'A page.', schema: listOf(answers.contamination) } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, query }) =>
      ok(await contaminationList(ctx.db, params.dataset ?? '', query)),
  }),
  endpoint({
    method: 'POST',
    path: of,
    id: 'markContaminated',
    tag: 'datasets',
    summary: 'Marks a range whose served values are known to be wrong',
    description:
      'The range is half-open, on partition edges. From here on whoever reads of it is warned. `repairedBy` names the release that repairs it; that release’s cutover lifts the mark, and its rollback puts it back.',
    permission: 'dataset.mark-contaminated',
    body: z.strictObject({
      from: instantSchema,
      to: instantSchema,
      reason: reason.meta({ description: 'What is wrong, for whoever has read it.' }),
      servedSince: instantSchema.nullish(),
      repairedBy: release.nullish(),
    }),
    answers: { 201: { description: 'The mark.', schema: answers.contamination } },
    codes: [
      ...linkCodes,
      'EMPTY_RANGE',
      'RANGE_NOT_ON_PARTITION_EDGE',
      'RANGE_OUTSIDE_CALENDAR',
      'PLAN_TOO_LARGE',
      'AMBIGUOUS_TIME',
      'LOST_RACE',
    ],
    handle: async ({ ctx, params, body }) => {
      const { id } = await markContaminated(ctx, withName(body, 'dataset', params.dataset ?? ''));
      return { ...ok(await contaminationView(ctx.db, id)), status: 201 };
    },
    recover: async ({ ctx, params, body: { from, to } }) => {
      const dataset = params.dataset ?? '';
      const made = await lastMark(ctx.db, { dataset, from, to, by: ctx.actor.person });
      if (!made) throw new NotFound('contaminated mark', `${from} to ${to}`);
      return { ...ok(made), status: 201 };
    },
  }),
  endpoint({
    method: 'GET',
    path: one,
    id: 'getContamination',
    tag: 'datasets',
    summary: 'One contaminated range with what became of it',
    permission: 'dataset.read',
    answers: { 200: { description: 'The mark.', schema: answers.contamination } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params }) => ok(await contaminationView(ctx.db, params.id ?? '')),
  }),
  endpoint({
    method: 'POST',
    path: `${one}/link`,
    id: 'linkContamination',
    tag: 'datasets',
    summary: 'Says which release repairs a contaminated range',
    description:
      'By its name, so that the next revision repairs it as well. Its range contains the marked one, and its cutover is still to come. The newest link counts.',
    permission: 'dataset.link-contamination',
    body: z.strictObject({ release }),
    answers: { 200: { description: 'The mark.', schema: answers.contamination } },
    codes: [...linkCodes, 'CONTAMINATION_LIFTED', 'INVALID_NAME', 'LOST_RACE'],
    handle: async ({ ctx, params, body }) => {
      const id = params.id ?? '';
      await linkContamination(ctx, { id, release: body.release });
      return ok(await contaminationView(ctx.db, id));
    },
    recover: async ({ ctx, params }) => ok(await contaminationView(ctx.db, params.id ?? '')),
  }),
  endpoint({
    method: 'POST',
    path: `${one}/lift`,
    id: 'liftContamination',
    tag: 'datasets',
    summary: 'Lifts a contaminated mark by hand: it was not wrong after all',
    description:
      'For good: no rollback puts it back, and readers of older generations are not warned any more either.',
    permission: 'dataset.lift-contamination',
    body: z.strictObject({ reason }),
    answers: { 200: { description: 'The mark.', schema: answers.contamination } },
    codes: ['NOT_FOUND', 'CONTAMINATION_LIFTED', 'LOST_RACE'],
    handle: async ({ ctx, params, body }) => {
      const id = params.id ?? '';
      await liftContamination(ctx, { id, reason: body.reason });
      return ok(await contaminationView(ctx.db, id));
    },
    recover: async ({ ctx, params }) => ok(await contaminationView(ctx.db, params.id ?? '')),
  }),
];
