'use server';

import { refresh } from 'next/cache';
import * as z from 'zod';
import { readEdge } from '@/lib/domain/local-edge';
import { Invalid, type Issue, NotFound } from '@/lib/domain/refusal';
import { runAnswersSchema } from '@/lib/domain/run-answers-schema';
import { runDatasets, runOfRequest } from '@/lib/queries/run-partitions';
import type { Ctx } from '@/lib/services/context';
import { askRun, cancelRun, confirmRun, retryRun, runQuestions } from '@/lib/services/runs';
import { action } from '@/lib/web/action';
import { onceOnly } from '@/lib/web/once-only';
import { intervalsOf } from './intervals';

const typed = { dataset: z.string().max(200), from: z.string().max(60), to: z.string().max(60) };
const key = z.string().min(1).max(100);
const run = { dataset: z.string().max(200), run: z.string().max(20) };

/** What is so of a range before it is run again; its ends may be typed as clocks show them. */
export const readQuestions = action('dataset.run', z.strictObject(typed), async (ctx, input) => {
  const found = (await runDatasets(ctx.db)).find(({ name }) => name === input.dataset);
  if (!found) throw new NotFound('dataset', input.dataset);
  const { zone, unit } = found;
  const range = { dataset: input.dataset, ...edgesOf(zone, input) };
  const questions = await runQuestions(ctx.db, range);
  return { zone, unit, questions, ...intervalsOf(zone, unit, questions) };
});

/** What the questions are asked with. */
export type Asked = Extract<Awaited<ReturnType<typeof readQuestions>>, { ok: true }>['value'];

const askInput = z.strictObject({
  ...typed,
  owner: z.string().max(200),
  answers: runAnswersSchema,
  key,
});

/** Asks for a run, with the answers that were given. */
export const ask = action('dataset.run', askInput, async (ctx, { key, ...input }) =>
  madeOnce(ctx, { route: 'run ask', key, input }, () =>
    askRun(ctx, { ...input, owner: input.owner === '' ? undefined : input.owner }),
  ),
);

/** Confirms another person's run. */
export const confirm = action('dataset.confirm-run', z.strictObject(run), async (ctx, { run }) => {
  await confirmRun(ctx, { run });
  refresh();
});

/** Ends a run before its next partition. */
export const cancel = action(
  'dataset.run',
  z.strictObject({ ...run, reason: z.string().max(2_000) }),
  async (ctx, { run, reason }) => {
    await cancelRun(ctx, { run, reason });
    refresh();
  },
);

/** Makes a new run over what one left out. */
export const retry = action(
  'dataset.run',
  z.strictObject({ ...run, key }),
  async (ctx, { run, key }) =>
    madeOnce(ctx, { route: 'run retry', key, input: { run } }, () => retryRun(ctx, { run })),
);

/** A try after a lost answer gets the run that the first one made, not a second run. */
async function madeOnce(
  ctx: Ctx,
  tried: { route: string; key: string; input: Record<string, unknown> },
  make: () => Promise<{ id: string }>,
): Promise<{ id: string }> {
  const recover = (requestId: string) => runOfRequest(ctx.db, requestId);
  const id = await onceOnly(ctx, { ...tried, recover }, async () => (await make()).id);
  refresh();
  return { id };
}

function edgesOf(zone: string, range: { from: string; to: string }) {
  const issues: Issue[] = [];
  const edge = (side: 'from' | 'to'): string => {
    const read = readEdge(zone, range[side]);
    if (read.ok) return read.value;
    issues.push({ pointer: `/${side}`, code: read.code, message: read.message });
    return '';
  };
  const edges = { from: edge('from'), to: edge('to') };
  if (issues.length > 0) throw new Invalid(issues);
  return edges;
}
