import * as z from 'zod';
import type { DraftForm } from './draft-form';

const short = z.string().max(400);
const long = z.string().max(110_000);
const most = 100;

/** What a browser may send as a form; what it means is judged by the spec's own schema. */
export const draftFormSchema: z.ZodType<DraftForm> = z.strictObject({
  name: short,
  dataset: short,
  from: short,
  to: short,
  open: z.boolean(),
  sealedPartitions: z.enum(['CORRECT', 'REFUSE']),
  sql: long,
  commit: short,
  rules: z
    .array(z.strictObject({ rule: short, where: long, columns: z.array(short).max(500) }))
    .max(most),
  contract: z
    .array(
      z.strictObject({
        check: z.enum(['not_null', 'null_ratio', 'sql']),
        column: short,
        max: short,
        name: short,
        where_bad: long,
      }),
    )
    .max(most),
  ownConserved: z.boolean(),
  conserved: z.array(z.strictObject({ name: short, old: long, new: long, source: long })).max(most),
  partitions: short,
  rowsMin: short,
  rowsMax: short,
  concurrency: short,
  maxSealedSeconds: short,
  maxLiveLagSeconds: short,
  maxBufferedEvents: short,
  failedPartitions: short,
  unexplainedRows: short,
  cutover: short,
  rollback: short,
  deadline: short,
  targetGeneration: short,
  owner: short,
});
