'use server';

import { refresh } from 'next/cache';
import * as z from 'zod';
import type { Json } from '@/lib/domain/json';
import { Invalid, NotFound } from '@/lib/domain/refusal';
import { draftDatasets, draftSpec, nextRevision } from '@/lib/queries/draft';
import type { Ctx } from '@/lib/services/context';
import { createRelease, patchRelease, samplePartition } from '@/lib/services/release';
import { action } from '@/lib/web/action';
import type { DraftForm } from './draft-form';
import { specOf } from './draft-spec';
import { draftFormSchema } from './form-schema';
import { previewOf } from './preview';
import { sampleView } from './sample';
import { patchTo } from './spec-patch';

const reference = z.string().max(200);
const previewInput = z.strictObject({ form: draftFormSchema, release: reference.nullable() });
const keepInput = z.strictObject({ form: draftFormSchema });
const saveInput = z.strictObject({ form: draftFormSchema, release: reference, version: z.int() });
const sampleInput = z.strictObject({ release: reference, partition: z.string().max(40) });

/** What the form means now: faults, exact partitions, what is in the way. Writes nothing. */
export const previewDraft = action('release.read', previewInput, async (ctx, input) =>
  previewOf(
    ctx,
    input.form,
    input.release === null ? null : await draftSpec(ctx.db, input.release),
  ),
);

/** Keeps a form that was never kept, as the next revision of its name. */
export const keepDraft = action('release.create', keepInput, async (ctx, { form }) => {
  const spec = await specIn(ctx, form);
  const { name, revision } = await createRelease(ctx, spec);
  return { release: `${name}@${revision}` };
});

/** Keeps the form as the draft; one that was changed since is refused with what changed. */
export const saveDraft = action('release.edit', saveInput, async (ctx, input) => {
  const before = await draftSpec(ctx.db, input.release);
  const spec = patchTo(before.spec as Json, (await specIn(ctx, input.form)) as Json);
  await patchRelease(ctx, { release: input.release, version: input.version, spec });
  refresh();
  const { version, now } = await draftSpec(ctx.db, input.release);
  return { version, at: now };
});

/** Old and new rows of one partition of what is kept. Writes nothing. */
export const sampleDraft = action('release.read', sampleInput, async (ctx, input) => {
  const { dataset: name } = await draftSpec(ctx.db, input.release);
  const dataset = (await draftDatasets(ctx.db)).find((each) => each.name === name);
  if (!dataset) throw new NotFound('dataset', name);
  return sampleView(await samplePartition(ctx.db, input.release, input.partition), dataset);
});

/** The form's spec. @throws Invalid with every field that could not be read */
async function specIn(ctx: Ctx, form: DraftForm): Promise<Record<string, unknown>> {
  const dataset = (await draftDatasets(ctx.db)).find(({ name }) => name === form.dataset);
  if (!dataset) {
    throw new Invalid({ pointer: '/dataset', code: 'REQUIRED', message: 'Choose a dataset.' });
  }
  const { generation } = await nextRevision(ctx.db, form.name.trim(), dataset.name);
  const { spec, issues } = specOf(form, dataset, generation);
  if (issues.length > 0) throw new Invalid(issues);
  return spec;
}
