import * as z from 'zod';
import { instantSchema } from '@/lib/domain/instant-schema';

/** A whole number in a query string. */
export function queryInt(low: number, high: number, description: string) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'This is a whole number.')
    .meta({ type: 'integer', minimum: low, maximum: high, description, pattern: undefined })
    .transform(Number)
    .pipe(z.int().min(low).max(high));
}

export const maxPage = 1_000;

/** `limit` and `cursor` of every list; `limit` above what a page may hold is that much. */
export const pageQuery = {
  limit: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'This is a whole number from 1.')
    .meta({
      type: 'integer',
      minimum: 1,
      default: 100,
      description: `Items of a page; at most ${maxPage} are given.`,
      pattern: undefined,
    })
    .optional()
    .transform((text) => Math.min(Number(text ?? '100'), maxPage)),
  cursor: z.string().max(4_000).meta({ description: 'nextCursor of the page before.' }).optional(),
};

export const maxWaitSeconds = 300;

/** `wait`: how long an answer may wait for the runner to have nothing left to do. */
export const waitQuery = {
  wait: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,3})?$/, 'This is a number of seconds.')
    .meta({
      type: 'number',
      minimum: 0,
      description: `Seconds to wait, at most ${maxWaitSeconds}, for the runner to have nothing left to do.`,
      pattern: undefined,
    })
    .transform((text) => Math.min(Number(text), maxWaitSeconds))
    .optional(),
};

export const spanQuery = {
  from: instantSchema.optional(),
  to: instantSchema.optional(),
};

/** A name in a filter: whatever it is, it is only compared. */
export const filterText = z.string().min(1).max(300).optional();

/** A count or a 64-bit number: a JSON number or its decimal text. */
export const countInput = z
  .union([z.int().min(0), z.string().regex(/^\d{1,18}$/, 'This is a whole number.')])
  .transform(String);

/** A list's answer. */
export function listOf(item: z.ZodType) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

export const reason = z.string().trim().min(1).max(10_000);
