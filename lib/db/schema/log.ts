import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { control, identity, instant, int8, offsets } from './types';

export const source = control.table('source', {
  name: text().primaryKey(),
  /** [{name, type, nullable}] in declared order. */
  columns: jsonb().notNull(),
  key: text().array().notNull(),
  eventTime: text('event_time'),
  shards: integer().notNull(),
  /** The log holds the whole history, so absence of a key means that it is deleted. */
  complete: boolean().notNull(),
  /** Age in days past which the log is pruned to the newest event of each key; null: never. */
  retentionDays: integer('retention_days'),
  createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
  createdBy: text('created_by').notNull(),
});

/** The counter row of a shard; locked until commit by an append, so offset order is commit order. */
export const sourceShard = control.table(
  'source_shard',
  {
    source: text()
      .notNull()
      .references(() => source.name),
    shard: integer().notNull(),
    lastOffset: int8('last_offset').notNull().default('0'),
    /** From here on every offset is there; below it only the newest event of each key that lives. */
    retainedFrom: int8('retained_from').notNull().default('1'),
    /** How many events are kept below `retainedFrom`. */
    baseEvents: int8('base_events').notNull().default('0'),
  },
  (t) => [primaryKey({ columns: [t.source, t.shard] })],
);

export const sourceEvent = control.table(
  'source_event',
  {
    source: text().notNull(),
    shard: integer().notNull(),
    offset: int8().notNull(),
    eventId: text('event_id').notNull(),
    key: text().notNull(),
    revision: int8().notNull(),
    op: text().notNull(),
    eventTime: instant('event_time'),
    payload: jsonb(),
    digest: text().notNull(),
    receivedAt: instant('received_at').notNull().default(sql`clock_timestamp()`),
    effective: boolean().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.shard, t.offset] }),
    uniqueIndex('source_event_id').on(t.source, t.eventId),
    uniqueIndex('source_event_key_revision').on(t.source, t.key, t.revision),
  ],
);

/** Kept for ever, also when the log is pruned: decides what is effective. */
export const sourceKey = control.table(
  'source_key',
  {
    source: text().notNull(),
    key: text().notNull(),
    shard: integer().notNull(),
    newestRevision: int8('newest_revision').notNull(),
    deleted: boolean().notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.key] })],
);

/** facts(W) materialised once in `src_<source>.snapshot_row`; immutable. */
export const snapshot = control.table(
  'snapshot',
  {
    id: identity().primaryKey(),
    source: text()
      .notNull()
      .references(() => source.name),
    name: text().notNull().unique(),
    watermark: offsets().notNull(),
    complete: boolean().notNull(),
    rows: int8().notNull().default('0'),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    /** Null while facts(W) is still being written out. */
    readyAt: instant('ready_at'),
    droppedAt: instant('dropped_at'),
  },
  (t) => [index('snapshot_source').on(t.source, t.id)],
);
