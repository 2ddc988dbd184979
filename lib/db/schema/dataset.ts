import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  boolean,
  check,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core';
import { source } from './log';
import { byteArrays, bytes, control, identity, instant, int8, offsets, tstzrange } from './types';

export const transform = control.table('transform', {
  /** Digest of the syntax tree's canonical text; layout and comments do not matter. */
  digest: text().primaryKey(),
  sql: text().notNull(),
  commit: text(),
  lock: text(),
  createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
  createdBy: text('created_by').notNull(),
});

export const dataset = control.table(
  'dataset',
  {
    name: text().primaryKey(),
    /** Of a fork, which a drill runs on: the dataset in whose table its rows stand. */
    forkOf: text('fork_of').references((): AnyPgColumn => dataset.name),
    source: text()
      .notNull()
      .references(() => source.name),
    columns: jsonb().notNull(),
    columnsDigest: text('columns_digest').notNull(),
    key: text().array().notNull(),
    businessTime: text('business_time').notNull(),
    timezone: text().notNull(),
    partition: text().notNull(),
    grain: text().notNull(),
    /** The source column that places a fact which yields no row. */
    sourceTime: text('source_time'),
    conserved: jsonb().notNull(),
    rollups: jsonb().notNull(),
    policy: jsonb().notNull(),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    createdBy: text('created_by').notNull(),
  },
  // no name that people may give has a `~`: what is hidden from people is known by its name alone
  (t) => [
    check('dataset_fork_name', sql`(${t.forkOf} is not null) = (position('~' in ${t.name}) > 0)`),
  ],
);

/** Boundaries as the planner computed them, never computed in SQL. */
export const calendar = control.table(
  'calendar',
  {
    zone: text().notNull(),
    unit: text().notNull(),
    start: instant('start_at').notNull(),
    end: instant('end_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.zone, t.unit, t.start] })],
);

/** The one row that decides what is served; everything that changes it locks it first. */
export const registry = control.table('registry', {
  dataset: text()
    .primaryKey()
    .references(() => dataset.name),
  /** Null until the first load has reached the log's end at creation. */
  activeGeneration: int8('active_generation'),
  epoch: integer().notNull().default(1),
  state: text().notNull().default('OPEN'),
  /** `release:<id>` or `rollback:<id>`. */
  sealer: text(),
  sealedAt: instant('sealed_at'),
  sealedUntil: instant('sealed_until'),
  barrier: offsets(),
  /** Copy on write goes here; every epoch has a fresh one, so a copy meets no leftovers. */
  writeSegment: int8('write_segment').notNull(),
  rollback: int8(),
  loadingGeneration: int8('loading_generation'),
  loadTarget: offsets('load_target'),
});

export const generation = control.table(
  'generation',
  {
    id: identity().primaryKey(),
    dataset: text()
      .notNull()
      .references(() => dataset.name),
    name: text().notNull(),
    /** candidate | serving | kept | hidden | retired */
    state: text().notNull(),
    release: int8(),
    transform: text()
      .notNull()
      .references(() => transform.digest),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    servedFrom: instant('served_from'),
    servedUntil: instant('served_until'),
    keptUntil: instant('kept_until'),
    hiddenAt: instant('hidden_at'),
    retiredAt: instant('retired_at'),
    /** Fixed when the candidate has caught up; any later apply clears both. */
    manifestRoot: text('manifest_root'),
    catchUpRoot: text('catch_up_root'),
  },
  (t) => [index('generation_dataset').on(t.dataset, t.id)],
);

export const generationProgress = control.table('generation_progress', {
  generation: int8()
    .primaryKey()
    .references(() => generation.id),
  offsets: offsets().notNull(),
  appliedAt: instant('applied_at').notNull().default(sql`clock_timestamp()`),
  /** Of the newest applied event: when the log had received it. */
  eventReceivedAt: instant('event_received_at'),
  events: int8().notNull().default('0'),
});

/** Which segment and which transform hold each instant of business time. */
export const generationRange = control.table('generation_range', {
  generation: int8()
    .notNull()
    .references(() => generation.id),
  span: tstzrange().notNull(),
  segment: int8(),
  transform: text()
    .notNull()
    .references(() => transform.digest),
});

export const segment = control.table('segment', {
  id: identity().primaryKey(),
  dataset: text()
    .notNull()
    .references(() => dataset.name),
  /** load | release | epoch | replay | copy | run */
  kind: text().notNull(),
  createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
  deletedAt: instant('deleted_at'),
});

/** Figures of one partition in one segment; generations reach them through their map. */
export const segmentPartition = control.table(
  'segment_partition',
  {
    segment: int8()
      .notNull()
      .references(() => segment.id),
    start: instant('start_at').notNull(),
    end: instant('end_at').notNull(),
    /** Counts every change; figures are of `figuresVersion` and stale while the two differ. */
    version: int8().notNull().default('1'),
    figuresVersion: int8('figures_version').notNull().default('0'),
    /** Bit i set: bucket i was touched since its hash was computed. */
    dirtyBuckets: text('dirty_buckets').notNull().default('1'.repeat(64)),
    rows: int8().notNull().default('0'),
    sums: jsonb().notNull().default({}),
    nulls: jsonb().notNull().default({}),
    partials: jsonb().notNull().default({}),
    bucketRows: integer('bucket_rows').array(),
    bucketHashes: byteArrays('bucket_hashes'),
    root: bytes(),
    touchedAt: instant('touched_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.segment, t.start] })],
);

/** An event that could not become a row; its key's last good row stays. */
export const quarantine = control.table(
  'quarantine',
  {
    generation: int8()
      .notNull()
      .references(() => generation.id),
    sourceKey: text('source_key').notNull(),
    code: text().notNull(),
    error: text().notNull(),
    wantedKey: text('wanted_key'),
    businessTime: instant('business_time'),
    since: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.generation, t.sourceKey] })],
);

export const lease = control.table(
  'lease',
  {
    id: text().primaryKey(),
    dataset: text()
      .notNull()
      .references(() => dataset.name),
    person: text().notNull(),
    generation: int8()
      .notNull()
      .references(() => generation.id),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    until: instant().notNull(),
    /** Renewal by reading pages never goes beyond this. */
    capUntil: instant('cap_until').notNull(),
    endedAt: instant('ended_at'),
    renewable: boolean().notNull().default(true),
  },
  (t) => [index('lease_generation').on(t.generation, t.until)],
);

/**
 * Who has reserved which partition. Releases and runs go by it alike; that nobody shares one is the
 * key's doing. Rows are inserted in the order of start.
 */
export const claim = control.table(
  'claim',
  {
    dataset: text()
      .notNull()
      .references(() => dataset.name),
    start: instant('start_at').notNull(),
    end: instant('end_at').notNull(),
    /** What people call themselves; of a release `name@revision`. */
    owner: text().notNull(),
    /** The person who claimed, or who started the release's build. */
    by: text().notNull(),
    at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.dataset, t.start] }),
    index('claim_owner').on(t.dataset, t.owner, t.start),
    check('claim_interval', sql`${t.start} < ${t.end}`),
    check('claim_not_of_a_fork', sql`position('~' in ${t.dataset}) = 0`),
  ],
);
