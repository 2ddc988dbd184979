import * as z from 'zod';
import { type Column, columnFaults, columnListSchema, decideNullable } from './column';
import { columnNameSchema } from './names';

/** How many columns a key may have. */
export const MOST_KEY_COLUMNS = 8;
const DEFAULT_SHARDS = 8;
const MOST_SHARDS = 64;
/** A century: beyond it an interval of days leaves what PostgreSQL can subtract from a time. */
const MOST_RETENTION_DAYS = 36_500;

/** The key columns of a source or a dataset, in the order of the key. */
export const keySchema = z.array(columnNameSchema).min(1).max(MOST_KEY_COLUMNS);

/** What is needed to read an event of a source. */
export type SourceShape = { columns: Column[]; key: string[]; eventTime: string | null };

/** A source as it is declared, in canonical form. */
export type SourceSpec = SourceShape & {
  shards: number;
  complete: boolean;
  /** Null: the log keeps everything. */
  retentionDays: number | null;
};

/**
 * Body of `PUT /sources/{name}`. `shards` is fixed at creation. `complete` says that the log holds
 * every fact of the source, its whole history or a full export: only then may a release infer
 * deletes from absence. It is true unless said otherwise, since datasets are built from the log
 * alone; a partial feed says false.
 *
 * `retentionDays` is the age past which the log is pruned to the newest event of each key, and the
 * one field that may be changed later. The body is the whole declaration: left out, or null, says
 * that everything is kept, also of a source that was pruned until now.
 */
export const sourceBodySchema = z
  .strictObject({
    columns: columnListSchema,
    key: keySchema,
    eventTime: columnNameSchema.nullish(),
    shards: z.int().min(1).max(MOST_SHARDS).default(DEFAULT_SHARDS),
    complete: z.boolean().default(true),
    retentionDays: z.int().min(1).max(MOST_RETENTION_DAYS).nullish(),
  })
  .check((ctx) => {
    const { columns, key, eventTime } = ctx.value;
    const time = eventTime ? { field: 'eventTime', name: eventTime } : null;
    for (const { path, message } of columnFaults(columns, key, time)) {
      ctx.issues.push({ code: 'custom', message, path, input: ctx.value });
    }
  })
  .transform(
    ({ columns, key, eventTime, shards, complete, retentionDays }): SourceSpec => ({
      columns: decideNullable(columns, key),
      key,
      eventTime: eventTime ?? null,
      shards,
      complete,
      retentionDays: retentionDays ?? null,
    }),
  );
