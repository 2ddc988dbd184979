import * as z from 'zod';
import { instantSchema } from '@/lib/domain/instant-schema';
import { countInput, reason } from '@/lib/web/api/fields';

/** Words that a move may carry into the audit chain; two names for one thing. */
const words = { comment: reason.optional(), reason: reason.optional() };

const plain = z.strictObject(words);
/** What the caller was shown; anything but the digest that stands is a refusal, not a bad input. */
const digest = z
  .string()
  .min(1)
  .max(200)
  .meta({ examples: ['sha256:…'] });
const seen = z.strictObject({ ...words, evidence: digest.optional() });
const statement = z.string().max(10_000).optional();

/**
 * The body of each move, by its name. The doors parse with these, and the OpenAPI document is made
 * from them.
 */
export const moveInputs = {
  pin: z.strictObject({ ...words, planDigest: digest.optional() }),
  build: plain,
  rehearse: plain,
  drill: plain,
  seal: plain,
  reopen: plain,
  accept: z.strictObject({
    what: z.enum(['drift', 'quarantine']),
    partition: instantSchema.optional(),
    class: z.string().min(1).max(100).optional(),
    count: countInput,
    digest,
    reason,
  }),
  approve: z.strictObject({ evidence: digest, statement, comment: reason.optional() }),
  /** The verb says COMMENT_REQUIRED where it is missing or blank. */
  reject: z.strictObject({ comment: z.string().max(10_000).default('') }),
  'sign-rollback': z.strictObject({
    evidence: digest.optional(),
    statement,
    comment: reason.optional(),
  }),
  activate: seen,
  rollback: seen,
  'call-off': plain,
  abandon: plain,
  pause: plain,
  resume: plain,
  hold: plain,
  unhold: plain,
  retry: z.strictObject({
    ...words,
    partitions: z.array(instantSchema).min(1).max(100_000).optional(),
    step: z.string().min(1).max(100).optional(),
  }),
  limits: z.strictObject({
    ...words,
    concurrency: z.int().min(1).max(64).optional(),
  }),
} as const satisfies Record<string, z.ZodType>;

export type MoveName = keyof typeof moveInputs;

export const moveNames = Object.keys(moveInputs) as MoveName[];
