import * as z from 'zod';
import type { RunAnswers } from './runs';

/** A person's answers before a rerun; what each says stands with `RunAnswers`. */
export const runAnswersSchema = z.strictObject({
  overwritable: z.boolean(),
  earlierComplete: z.boolean(),
  publishedSeen: z.boolean(),
  tell: z.string().trim().min(1).max(2_000).nullable().default(null),
}) satisfies z.ZodType<RunAnswers>;
