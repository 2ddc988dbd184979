import * as z from 'zod';

/** What a verification reads from the API; anything else in the answers does not matter to it. */

const offsets = z.record(z.string(), z.string());

export const releaseShape = z.object({
  release: z.string(),
  dataset: z.string(),
  spec: z.object({ range: z.object({ from: z.string(), to: z.string() }) }),
  generation: z.object({ name: z.string(), manifestRoot: z.string().nullable() }).nullable(),
  watermark: offsets.nullable(),
  barrier: offsets.nullable(),
});
export type ReleaseShape = z.output<typeof releaseShape>;

export const datasetShape = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string(), nullable: z.boolean() })),
  key: z.array(z.string()),
  businessTime: z.string(),
  generations: z.array(z.object({ name: z.string(), progress: offsets.nullable() })),
});
export type DatasetShape = z.output<typeof datasetShape>;

export const partitionShape = z.object({
  start: z.string(),
  end: z.string(),
  rows: z.number().nullable(),
  sums: z.record(z.string(), z.string().nullable()).nullable(),
  root: z.string().nullable(),
});
export type PartitionShape = z.output<typeof partitionShape>;

export const receiptPage = z.object({
  items: z.array(z.object({ start: z.string(), outputRoot: z.string() })),
  nextCursor: z.string().nullable(),
});
