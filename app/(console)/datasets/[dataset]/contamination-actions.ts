'use server';

import { revalidatePath } from 'next/cache';
import * as z from 'zod';
import { readEdge } from '@/lib/domain/local-edge';
import { Invalid, type Issue } from '@/lib/domain/refusal';
import { contaminationOfRequest } from '@/lib/queries/contaminations';
import { datasetView } from '@/lib/queries/dataset-view';
import {
  liftContamination,
  linkContamination,
  markContaminated,
} from '@/lib/services/contamination';
import type { Ctx } from '@/lib/services/context';
import { action } from '@/lib/web/action';
import { onceOnly } from '@/lib/web/once-only';

const dataset = z.string().max(200);
const id = z.string().max(20);
const key = z.string().min(1).max(100);
const reason = z.string().max(2_000);

/** Marks a range that was typed in the dataset's zone; `servedSince` and `repairedBy` may be ''. */
export const markTyped = action(
  'dataset.mark-contaminated',
  z.strictObject({
    dataset,
    from: z.string().max(60),
    to: z.string().max(60),
    reason,
    servedSince: z.string().max(60),
    repairedBy: z.string().max(200),
    key,
  }),
  async (ctx, { key, ...input }) => {
    const said = await readTimes(ctx, input);
    return onceFor(ctx, { route: 'contamination mark', key, input }, async () => {
      const made = await markContaminated(ctx, {
        dataset: input.dataset,
        ...said,
        reason: input.reason,
        repairedBy: input.repairedBy === '' ? null : input.repairedBy,
      });
      return made.id;
    });
  },
);

/** Says which release repairs a mark. */
export const linkMark = action(
  'dataset.link-contamination',
  z.strictObject({ dataset, id, release: z.string().max(200), key }),
  async (ctx, { key, ...input }) =>
    onceFor(ctx, { route: 'contamination link', key, input }, async () => {
      await linkContamination(ctx, { id: input.id, release: input.release });
      return input.id;
    }),
);

/** Lifts a mark by hand. */
export const liftMark = action(
  'dataset.lift-contamination',
  z.strictObject({ dataset, id, reason, key }),
  async (ctx, { key, ...input }) =>
    onceFor(ctx, { route: 'contamination lift', key, input }, async () => {
      await liftContamination(ctx, { id: input.id, reason: input.reason });
      return input.id;
    }),
);

/** A try after a lost answer is answered with what the first one did to the mark. */
async function onceFor(
  ctx: Ctx,
  tried: { route: string; key: string; input: Record<string, unknown> },
  make: () => Promise<string>,
): Promise<{ id: string }> {
  const recover = (requestId: string) => contaminationOfRequest(ctx.db, requestId);
  const made = await onceOnly(ctx, { ...tried, recover }, make);
  revalidatePath('/datasets/[dataset]', 'page');
  return { id: made };
}

async function readTimes(
  { db }: Ctx,
  { dataset, from, to, servedSince }: Record<'dataset' | 'from' | 'to' | 'servedSince', string>,
) {
  const { timezone } = await datasetView(db, dataset);
  const issues: Issue[] = [];
  const read = (text: string, pointer: string): string => {
    const found = readEdge(timezone, text);
    if (found.ok) return found.value;
    issues.push({ pointer, code: found.code, message: found.message });
    return '';
  };
  const times = {
    from: read(from, '/from'),
    to: read(to, '/to'),
    servedSince: servedSince.trim() === '' ? null : read(servedSince, '/servedSince'),
  };
  if (issues.length > 0) throw new Invalid(issues);
  return times;
}
