import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { dataset, generation } from './dataset';
import { release } from './release';
import { bytes, control, identity, instant, int8, offsets } from './types';

/** A query over a dataset's rows that somebody reads its figures by. Never changed: ended, and saved anew. */
export const report = control.table(
  'report',
  {
    id: identity().primaryKey(),
    dataset: text()
      .notNull()
      .references(() => dataset.name),
    name: text().notNull(),
    /** As its author wrote it. */
    sql: text().notNull(),
    digest: text().notNull(),
    /** How long one reading of it may take. */
    limitSeconds: integer('limit_seconds').notNull(),
    madeBy: text('made_by').notNull(),
    madeAt: instant('made_at').notNull().default(sql`clock_timestamp()`),
    endedBy: text('ended_by'),
    endedAt: instant('ended_at'),
  },
  (t) => [
    uniqueIndex('report_in_use').on(t.dataset, t.name).where(sql`ended_at is null`),
    check('report_limit', sql`${t.limitSeconds} between 1 and 600`),
    check('report_ended', sql`(${t.endedAt} is null) = (${t.endedBy} is null)`),
    check('report_not_of_a_fork', sql`position('~' in ${t.dataset}) = 0`),
  ],
);

/** A report read on the generations of a release, old and new, of one snapshot. */
export const shadowRead = control.table(
  'shadow_read',
  {
    id: identity().primaryKey(),
    release: int8()
      .notNull()
      .references(() => release.id),
    report: int8()
      .notNull()
      .references(() => report.id),
    /** ASKED | READING | COMPARED | STOPPED */
    state: text().notNull().default('ASKED'),
    askedBy: text('asked_by').notNull(),
    askedAt: instant('asked_at').notNull().default(sql`clock_timestamp()`),
    /** Whoever reads it owns it by this number. */
    attempt: integer().notNull().default(0),
    leaseUntil: instant('lease_until'),
    startedAt: instant('started_at'),
    endedAt: instant('ended_at'),
    oldGeneration: int8('old_generation').references(() => generation.id),
    newGeneration: int8('new_generation').references(() => generation.id),
    oldProgress: offsets('old_progress'),
    newProgress: offsets('new_progress'),
    columns: text().array(),
    oldRows: int8('old_rows'),
    newRows: int8('new_rows'),
    /** Rows that are not the same on both. */
    differing: int8(),
    oldRoot: bytes('old_root'),
    newRoot: bytes('new_root'),
    oldMillis: integer('old_millis'),
    newMillis: integer('new_millis'),
    /** The first rows that differ: pairs of texts, null for the side that has none. */
    sample: jsonb(),
    /** Why nothing was compared. */
    why: text(),
  },
  (t) => [
    index('shadow_read_of').on(t.release, t.report, t.id),
    // asked twice it is read once
    uniqueIndex('shadow_read_asked').on(t.release, t.report).where(sql`state = 'ASKED'`),
    index('shadow_read_open').on(t.id).where(sql`state in ('ASKED', 'READING')`),
    check(
      'shadow_read_state',
      sql`case ${t.state}
        when 'ASKED' then ${t.endedAt} is null
        when 'READING' then ${t.endedAt} is null and ${t.leaseUntil} is not null
        when 'COMPARED' then ${t.endedAt} is not null and ${t.differing} is not null and ${t.why} is null
        when 'STOPPED' then ${t.endedAt} is not null and ${t.why} is not null
        else false end`,
    ),
  ],
);
