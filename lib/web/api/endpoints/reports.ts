import * as z from 'zod';
import { idForm } from '@/lib/domain/id-form';
import { NotFound } from '@/lib/domain/refusal';
import { reportList, reportView, savedReports, shadowOf } from '@/lib/queries/reports';
import { askShadowReads, endReport, reportSchema, saveReport } from '@/lib/services/reports';
import { endpoint, ok } from '@/lib/web/api/endpoint';
import { report, shadow } from '@/lib/web/api/report-answers';
import { withName } from '@/lib/web/api/with-name';

const of = '/datasets/{dataset}/reports';
const inShadow = '/releases/{release}/shadow';

const reports = z.looseObject({ items: z.array(report) });
const shadows = z.looseObject({ items: z.array(shadow) });

export const reportEndpoints = [
  endpoint({
    method: 'GET',
    path: of,
    id: 'listReports',
    tag: 'datasets',
    summary: 'The saved reports of a dataset, by name',
    permission: 'release.read',
    answers: { 200: { description: 'Those in use.', schema: reports } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params }) =>
      ok({ items: await reportList(ctx.db, params.dataset ?? '') }),
  }),
  endpoint({
    method: 'POST',
    path: of,
    id: 'saveReport',
    tag: 'datasets',
    summary: 'Saves a report that is read in shadow',
    description:
      'One SELECT over the dataset, by its name, whose result depends on its rows alone. A report of the same name gives way to it.',
    permission: 'report.save',
    body: reportSchema,
    answers: { 201: { description: 'The report.', schema: report } },
    codes: [
      'NOT_FOUND',
      'INVALID_NAME',
      'TRANSFORM_INVALID',
      'TRANSFORM_NOT_DETERMINISTIC',
      'LOST_RACE',
    ],
    handle: async ({ ctx, params, body }) => {
      const { id } = await saveReport(ctx, withName(body, 'dataset', params.dataset ?? ''));
      return { ...ok(await reportView(ctx.db, id)), status: 201 };
    },
    recover: async ({ ctx, params, body }) => {
      const saved = await savedReports(ctx.db, params.dataset ?? '');
      const made = saved.find(({ name }) => name === body.name);
      if (!made) throw new NotFound('report', body.name);
      return { ...ok(made), status: 201 };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/reports/{id}/end',
    id: 'endReport',
    tag: 'datasets',
    summary: 'Ends a report: it is read no more',
    permission: 'report.end',
    answers: { 200: { description: 'The report.', schema: report } },
    codes: ['NOT_FOUND', 'REPORT_ENDED', 'LOST_RACE'],
    handle: async ({ ctx, params }) => {
      const id = params.id ?? '';
      await endReport(ctx, { id });
      return ok(await reportView(ctx.db, id));
    },
    recover: async ({ ctx, params }) => ok(await reportView(ctx.db, params.id ?? '')),
  }),
  endpoint({
    method: 'GET',
    path: inShadow,
    id: 'getShadowReads',
    tag: 'releases',
    summary: 'The reports of its dataset as read on the old and the new generation',
    description: 'Each with its newest reading on this release. No gate depends on them.',
    permission: 'release.read',
    answers: { 200: { description: 'By name.', schema: shadows } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params }) => ok({ items: await shadowOf(ctx.db, params.release ?? '') }),
  }),
  endpoint({
    method: 'POST',
    path: inShadow,
    id: 'askShadowReads',
    tag: 'releases',
    summary: 'Has reports read on the old and the new generation, and compared',
    description:
      'Of one snapshot. Before the cutover the new side is what the candidate will serve: its own range, and the rest from the generation in use. A runner makes the readings; they are asked for once while they wait.',
    permission: 'release.shadow',
    body: z.strictObject({
      reports: z
        .array(z.string().regex(idForm))
        .min(1)
        .max(100)
        .optional()
        .meta({ description: 'Ids; all of the dataset where left out.' }),
    }),
    answers: { 202: { description: 'As they stand.', schema: shadows } },
    codes: ['NOT_FOUND', 'WRONG_STATE', 'PARTITIONS_MISSING', 'NO_REPORTS', 'LOST_RACE'],
    handle: async ({ ctx, params, body }) => {
      const release = params.release ?? '';
      await askShadowReads(ctx, { release, reports: body.reports });
      return { ...ok({ items: await shadowOf(ctx.db, release) }), status: 202 };
    },
    recover: async ({ ctx, params }) => ({
      ...ok({ items: await shadowOf(ctx.db, params.release ?? '') }),
      status: 202,
    }),
  }),
];
