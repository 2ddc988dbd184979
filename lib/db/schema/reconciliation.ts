import { sql } from 'drizzle-orm';
import { index, integer, jsonb, primaryKey, text } from 'drizzle-orm/pg-core';
import { release } from './release';
import { control, identity, instant, int8, offsets } from './types';

export const reconciliation = control.table(
  'reconciliation',
  {
    id: identity().primaryKey(),
    release: int8()
      .notNull()
      .references(() => release.id),
    /** rehearsal | final */
    kind: text().notNull(),
    /** running | passed | failed | incomplete */
    verdict: text().notNull().default('running'),
    epoch: integer().notNull(),
    oldProgress: offsets('old_progress'),
    newProgress: offsets('new_progress'),
    startedAt: instant('started_at').notNull().default(sql`clock_timestamp()`),
    endedAt: instant('ended_at'),
    by: text().notNull(),
    why: text(),
    unexplained: int8().notNull().default('0'),
    drift: int8().notNull().default('0'),
    changed: int8().notNull().default('0'),
    compared: int8().notNull().default('0'),
  },
  (t) => [index('reconciliation_release').on(t.release, t.id)],
);

/** What one partition's comparison found, and of which versions of both sides. */
export const reconciliationPartition = control.table(
  'reconciliation_partition',
  {
    reconciliation: int8()
      .notNull()
      .references(() => reconciliation.id),
    start: instant('start_at').notNull(),
    end: instant('end_at').notNull(),
    oldSegment: int8('old_segment'),
    oldVersion: int8('old_version'),
    newSegment: int8('new_segment'),
    newVersion: int8('new_version'),
    /** Of the reconciliation that this row was carried from, if its versions still held. */
    carriedFrom: int8('carried_from'),
    oldRows: int8('old_rows').notNull(),
    controlRows: int8('control_rows').notNull(),
    newRows: int8('new_rows').notNull(),
    unexplained: int8().notNull(),
    drift: int8().notNull(),
    driftDigest: text('drift_digest').notNull(),
    changed: int8().notNull(),
    /** [{class, rule, kind, rows, deltas: {column: sum}}]; numbers as exact text. */
    classes: jsonb().notNull(),
    /** {column: {changed, oldNulls, newNulls}} */
    columns: jsonb().notNull(),
    /** {name: {old, control, new, source}} */
    conserved: jsonb().notNull(),
    /** 64 counts of differing rows, and of unexplained ones. */
    bucketChanged: integer('bucket_changed').array().notNull(),
    bucketUnexplained: integer('bucket_unexplained').array().notNull(),
    contract: jsonb().notNull(),
    samples: jsonb().notNull(),
  },
  (t) => [primaryKey({ columns: [t.reconciliation, t.start] })],
);

export const checkResult = control.table(
  'check_result',
  {
    reconciliation: int8()
      .notNull()
      .references(() => reconciliation.id),
    name: text().notNull(),
    position: integer().notNull(),
    /** passed | failed | incomplete | accepted */
    verdict: text().notNull(),
    figure: text().notNull(),
    expected: text().notNull(),
    detail: jsonb().notNull(),
    digest: text().notNull(),
    at: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.reconciliation, t.name] })],
);
