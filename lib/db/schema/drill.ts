import { sql } from 'drizzle-orm';
import { doublePrecision, index, jsonb, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { dataset, generation } from './dataset';
import { release } from './release';
import { control, identity, instant, int8 } from './types';

/** A whole cutover and rollback of a release on a fork of its dataset: what stays of it is this. */
export const drill = control.table(
  'drill',
  {
    id: identity().primaryKey(),
    /** The release that is tried, and its dataset. */
    release: int8()
      .notNull()
      .references(() => release.id),
    dataset: text()
      .notNull()
      .references(() => dataset.name),
    /** The generation in use that was forked; the fork goes no further than this one has. */
    generation: int8()
      .notNull()
      .references(() => generation.id),
    fork: text().references(() => dataset.name),
    forkRelease: int8('fork_release').references(() => release.id),
    by: text().notNull(),
    startedAt: instant('started_at').notNull().default(sql`clock_timestamp()`),
    /** The candidate's rows stand in the fork's own segment from here on. */
    copiedAt: instant('copied_at'),
    endedAt: instant('ended_at'),
    /** passed | failed */
    outcome: text(),
    why: text(),
    /** [{step, startedAt, endedAt, seconds}] in the order in which they landed. */
    steps: jsonb().notNull().default([]),
    /** From the seal to the pointer's move. */
    cutoverSeconds: doublePrecision('cutover_seconds'),
    /** From the request to the pointer's move back: what the gate reads. */
    rollbackSeconds: doublePrecision('rollback_seconds'),
    eventsReplayed: int8('events_replayed'),
    rowsCopied: int8('rows_copied'),
  },
  (t) => [
    index('drill_release').on(t.release, t.id),
    index('drill_fork_release').on(t.forkRelease),
    uniqueIndex('drill_one_under_way').on(t.dataset).where(sql`ended_at is null`),
  ],
);
