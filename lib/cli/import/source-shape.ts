import * as z from 'zod';
import { readColumnType } from '@/lib/domain/column';
import type { SourceShape } from '@/lib/domain/source';

/** What an import must know of a source. */
export interface NamedSource extends SourceShape {
  readonly name: string;
}

/** Reads it from the answer of `GET /sources/{name}`. */
export const namedSourceSchema = z
  .object({
    name: z.string(),
    columns: z
      .array(
        z.object({
          name: z.string(),
          type: z.string().refine((type) => readColumnType(type) !== null, 'is no column type'),
          nullable: z.boolean().optional(),
        }),
      )
      .min(1),
    key: z.array(z.string()).min(1),
    eventTime: z.string().nullish(),
  })
  .transform(
    ({ name, columns, key, eventTime }): NamedSource => ({
      name,
      columns: columns.map((column) => ({
        ...column,
        nullable: column.nullable ?? !key.includes(column.name),
      })),
      key,
      eventTime: eventTime ?? null,
    }),
  );
