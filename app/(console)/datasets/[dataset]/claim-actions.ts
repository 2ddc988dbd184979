'use server';

import { revalidatePath } from 'next/cache';
import * as z from 'zod';
import type { ClaimRange } from '@/lib/domain/claims';
import { readEdge } from '@/lib/domain/local-edge';
import { Invalid, type Issue } from '@/lib/domain/refusal';
import { datasetView } from '@/lib/queries/dataset-view';
import { claim, claimsView, releaseClaims } from '@/lib/services/claims';
import type { Ctx } from '@/lib/services/context';
import { action } from '@/lib/web/action';

const input = z.strictObject({
  dataset: z.string().max(200),
  from: z.string().max(60),
  to: z.string().max(60),
  owner: z.string().max(200),
});

/** Claims a range that was typed in the dataset's zone: how many were granted, and who has the rest. */
export const claimTyped = action('dataset.claim', input, async (ctx, typed) => {
  const { dataset, owner } = typed;
  const answer = await claim(ctx, { dataset, owner, ...(await edgesOf(ctx, typed)) });
  revalidatePath('/datasets/[dataset]', 'page');
  const denied: ClaimRange[] =
    answer.denied.length === 0
      ? []
      : (
          await claimsView(
            ctx.db,
            { dataset, from: answer.range.from ?? undefined, to: answer.range.to ?? undefined },
            owner,
          )
        ).claims.filter((range) => range.owner !== owner);
  return { granted: answer.claimed.length, denied };
});

/** Lets go of an owner's claims in a range. */
export const letGo = action('dataset.release-claims', input, async (ctx, range) => {
  const { released } = await releaseClaims(ctx, range);
  revalidatePath('/datasets/[dataset]', 'page');
  return { released: released.length };
});

async function edgesOf(
  { db }: Ctx,
  { dataset, from, to }: z.output<typeof input>,
): Promise<{ from: string; to: string }> {
  const { timezone } = await datasetView(db, dataset);
  const issues: Issue[] = [];
  const edge = (text: string, pointer: string): string => {
    const read = readEdge(timezone, text);
    if (read.ok) return read.value;
    issues.push({ pointer, code: read.code, message: read.message });
    return '';
  };
  const edges = { from: edge(from, '/from'), to: edge(to, '/to') };
  if (issues.length > 0) throw new Invalid(issues);
  return edges;
}
