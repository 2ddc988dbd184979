import * as z from 'zod';
import { auditList } from '@/lib/queries/audit-list';
import { verifyAudit } from '@/lib/services/audit/verify';
import * as answers from '@/lib/web/api/answers';
import { endpoint, ok } from '@/lib/web/api/endpoint';
import { filterText, listOf, pageQuery } from '@/lib/web/api/fields';

export const audit = [
  endpoint({
    method: 'GET',
    path: '/audit',
    id: 'listAudit',
    tag: 'audit',
    summary: 'Rows of the audit chains, newest first',
    permission: 'audit.read',
    query: z.object({
      ...pageQuery,
      chain: filterText,
      dataset: filterText,
      actor: filterText,
      verb: filterText,
      subject: filterText,
      outcome: z.enum(['done', 'refused']).optional(),
    }),
    answers: { 200: { description: 'A page of rows.', schema: listOf(answers.auditRow) } },
    handle: async ({ ctx, query: { limit, cursor, ...filter } }) =>
      ok(await auditList(ctx.db, filter, { limit, cursor })),
  }),
  endpoint({
    method: 'GET',
    path: '/audit/verify',
    id: 'verifyAudit',
    tag: 'audit',
    summary: 'Recomputes every audit chain and compares it with what is stored',
    permission: 'audit.verify',
    answers: {
      200: {
        description: '`ok` false names the first row that is not what its chain says.',
        schema: answers.auditVerdict,
      },
    },
    handle: async ({ ctx }) => ok(await verifyAudit(ctx.db)),
  }),
];
