import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, primaryKey, text } from 'drizzle-orm/pg-core';
import { dataset, generation, segment, transform } from './dataset';
import { release } from './release';
import { bytes, control, identity, instant, int8, offsets } from './types';

/** That figures of a range were sent out: to whom, by which document. Append-only. */
export const publication = control.table(
  'publication',
  {
    id: identity().primaryKey(),
    dataset: text()
      .notNull()
      .references(() => dataset.name),
    from: instant('range_from').notNull(),
    to: instant('range_to').notNull(),
    sentTo: text('sent_to').notNull(),
    /** Where what was sent is kept: a file's name, a link, a number. */
    document: text(),
    by: text().notNull(),
    at: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('publication_dataset').on(t.dataset, t.id),
    check('publication_interval', sql`${t.from} < ${t.to}`),
    check('publication_not_of_a_fork', sql`position('~' in ${t.dataset}) = 0`),
  ],
);

/**
 * A sealed partition with the figures that were first published of it: from here on its served rows
 * never change. Append-only: nothing unseals.
 */
export const publishedPartition = control.table(
  'published_partition',
  {
    dataset: text()
      .notNull()
      .references(() => dataset.name),
    start: instant('start_at').notNull(),
    end: instant('end_at').notNull(),
    publication: int8()
      .notNull()
      .references(() => publication.id),
    /** The generation that served then, and where it had the partition. */
    generation: int8()
      .notNull()
      .references(() => generation.id),
    segment: int8()
      .notNull()
      .references(() => segment.id),
    transform: text()
      .notNull()
      .references(() => transform.digest),
    /** What of the log the figures contain: only later events can change what they would be. */
    progress: offsets().notNull(),
    rows: int8().notNull(),
    sums: jsonb().notNull(),
    partials: jsonb().notNull(),
    root: bytes().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.dataset, t.start] }),
    index('published_partition_publication').on(t.publication, t.start),
    check('published_partition_interval', sql`${t.start} < ${t.end}`),
  ],
);

/**
 * What an event would have changed in a sealed partition. Pending until a correction of the
 * partition contains its offset. Append-only; kept apart by offset, so that live writing and a
 * replay note it once.
 */
export const pendingCorrection = control.table(
  'pending_correction',
  {
    dataset: text().notNull(),
    start: instant('start_at').notNull(),
    shard: integer().notNull(),
    offset: int8().notNull(),
    sourceKey: text('source_key').notNull(),
    /** Business key of the row that would stand there; null where none would. */
    key: text(),
    /** The row's values as text, in the order of the dataset's columns; null where none would stand. */
    values: text().array(),
    at: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    primaryKey({ columns: [t.dataset, t.start, t.shard, t.offset, t.sourceKey] }),
    index('pending_correction_source_key').on(t.dataset, t.sourceKey, t.start),
    index('pending_correction_key').on(t.dataset, t.key),
  ],
);

/**
 * What a sealed partition's figures would be now. `before` is the `after` of the partition's last
 * correction, the first time what was published, so that corrections add up. Append-only.
 */
export const correction = control.table(
  'correction',
  {
    id: identity().primaryKey(),
    dataset: text().notNull(),
    start: instant('start_at').notNull(),
    end: instant('end_at').notNull(),
    /** amend | cutover | rollback */
    kind: text().notNull(),
    /** Whose cutover or rollback wrote it. */
    release: int8().references(() => release.id),
    /** The generation that serves from here on, whose transform made `after`. */
    generation: int8()
      .notNull()
      .references(() => generation.id),
    transform: text()
      .notNull()
      .references(() => transform.digest),
    /** What of the log `after` contains. */
    progress: offsets().notNull(),
    rowsBefore: int8('rows_before').notNull(),
    sumsBefore: jsonb('sums_before').notNull(),
    partialsBefore: jsonb('partials_before').notNull(),
    rootBefore: bytes('root_before').notNull(),
    rowsAfter: int8('rows_after').notNull(),
    sumsAfter: jsonb('sums_after').notNull(),
    partialsAfter: jsonb('partials_after').notNull(),
    rootAfter: bytes('root_after').notNull(),
    reason: text().notNull(),
    by: text().notNull(),
    at: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('correction_partition').on(t.dataset, t.start, t.id),
    index('correction_release').on(t.release),
    index('correction_by').on(t.by),
    check('correction_kind', sql`${t.kind} in ('amend', 'cutover', 'rollback')`),
    check('correction_of_a_release', sql`(${t.kind} = 'amend') = (${t.release} is null)`),
  ],
);
