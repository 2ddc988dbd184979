import * as z from 'zod';

/** The small pieces that answers are made of. */

export const text = z.string();
export const orNull = <S extends z.ZodType>(schema: S) => schema.nullable();
export const instant = z.string().meta({ format: 'date-time' });
export const offset = z.string().regex(/^\d+$/);
export const offsets = z.record(z.string(), offset);
export const count = z.int().min(0);
export const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
export const sums = z.record(z.string(), z.string().nullable());
