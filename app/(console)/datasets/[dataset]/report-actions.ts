'use server';

import { refresh } from 'next/cache';
import * as z from 'zod';
import { reportOfRequest } from '@/lib/queries/reports';
import type { Ctx } from '@/lib/services/context';
import { endReport, saveReport } from '@/lib/services/reports';
import { action } from '@/lib/web/action';
import { onceOnly } from '@/lib/web/once-only';

const dataset = z.string().max(200);
const key = z.string().min(1).max(100);

/** Saves a report in the place of the one of its name, if there is one. */
export const saveTyped = action(
  'report.save',
  z.strictObject({
    dataset,
    name: z.string().max(200),
    sql: z.string().max(100_000),
    limitSeconds: z.number(),
    key,
  }),
  async (ctx, { key, ...input }) =>
    onceFor(
      ctx,
      { route: 'report save', key, input },
      async () => (await saveReport(ctx, input)).id,
    ),
);

/** Ends a report: it is read no more. */
export const endSaved = action(
  'report.end',
  z.strictObject({ dataset, id: z.string().max(20), key }),
  async (ctx, { key, ...input }) =>
    onceFor(ctx, { route: 'report end', key, input }, async () => {
      await endReport(ctx, { id: input.id });
      return input.id;
    }),
);

/** A try after a lost answer is answered with what the first one did to the report. */
async function onceFor(
  ctx: Ctx,
  tried: { route: string; key: string; input: Record<string, unknown> },
  make: () => Promise<string>,
): Promise<{ id: string }> {
  const recover = (requestId: string) => reportOfRequest(ctx.db, requestId);
  const id = await onceOnly(ctx, { ...tried, recover }, make);
  refresh();
  return { id };
}
