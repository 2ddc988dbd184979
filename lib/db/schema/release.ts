import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { dataset, generation } from './dataset';
import { snapshot } from './log';
import { control, identity, instant, int8, offsets } from './types';

export const release = control.table(
  'release',
  {
    id: identity().primaryKey(),
    name: text().notNull(),
    revision: integer().notNull(),
    dataset: text()
      .notNull()
      .references(() => dataset.name),
    state: text().notNull().default('DRAFT'),
    /** What the authors wrote; after pinning the frozen form with everything filled in. */
    spec: jsonb().notNull(),
    /** Counts edits; the ETag of a draft and the CAS of every move. */
    version: integer().notNull().default(1),
    digest: text(),
    planDigest: text('plan_digest'),
    oldTransform: text('old_transform'),
    newTransform: text('new_transform'),
    rangeFrom: instant('range_from'),
    /** Null: open, from `rangeFrom` on. */
    rangeTo: instant('range_to'),
    oldGeneration: int8('old_generation').references(() => generation.id),
    generation: int8().references(() => generation.id),
    segment: int8(),
    snapshot: int8().references(() => snapshot.id),
    /** The active generation's progress at the pin. */
    watermark: offsets(),
    approvalsNeeded: integer('approvals_needed'),
    rollbackApprovalsNeeded: integer('rollback_approvals_needed'),
    executorMayApprove: boolean('executor_may_approve'),
    rollbackWindowSeconds: integer('rollback_window_seconds'),
    concurrency: integer(),
    maxSealedSeconds: integer('max_sealed_seconds'),
    maxBufferedEvents: int8('max_buffered_events'),
    maxLiveLagSeconds: integer('max_live_lag_seconds'),
    maxFailedPartitions: integer('max_failed_partitions'),
    deadline: instant(),
    sealedEpoch: integer('sealed_epoch'),
    barrier: offsets(),
    lagAtSealSeconds: text('lag_at_seal_seconds'),
    /** Digest of the standing final evidence; null whenever it does not stand. */
    evidence: text(),
    pausedAt: instant('paused_at'),
    pausedBy: text('paused_by'),
    pausedWhy: text('paused_why'),
    heldAt: instant('held_at'),
    heldBy: text('held_by'),
    heldWhy: text('held_why'),
    draining: boolean().notNull().default(false),
    /** Somebody asked for a rehearsal; cleared by the reconciliation that answers it. */
    rehearseAskedAt: instant('rehearse_asked_at'),
    rehearseAskedBy: text('rehearse_asked_by'),
    /** Why RECONCILIATION_REQUIRED, and the step to run again. */
    troubleStep: text('trouble_step'),
    troubleCode: text('trouble_code'),
    troubleWhy: text('trouble_why'),
    troubleFrom: text('trouble_from'),
    createdBy: text('created_by').notNull(),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    updatedAt: instant('updated_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    uniqueIndex('release_name_revision').on(t.name, t.revision),
    index('release_dataset').on(t.dataset, t.id),
  ],
);

/** Which process does a release's next step; only saves doing it twice, the steps fence themselves. */
export const stepLease = control.table('step_lease', {
  release: int8()
    .primaryKey()
    .references(() => release.id),
  step: text().notNull(),
  token: text().notNull(),
  worker: text().notNull(),
  leaseUntil: instant('lease_until').notNull(),
});

/** Everyone who edited a field of this revision, or of one whose fields it carries, or accepted for it. */
export const releaseAuthor = control.table(
  'release_author',
  {
    release: int8()
      .notNull()
      .references(() => release.id),
    person: text().notNull(),
    how: text().notNull(),
    at: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.release, t.person] })],
);

export const releaseState = control.table(
  'release_state',
  {
    id: identity().primaryKey(),
    release: int8()
      .notNull()
      .references(() => release.id),
    state: text().notNull(),
    at: instant().notNull().default(sql`clock_timestamp()`),
    by: text().notNull(),
    why: text(),
  },
  (t) => [index('release_state_release').on(t.release, t.id)],
);

/** The frozen plan; also the truth about the work, whatever the queue says. */
export const releasePartition = control.table(
  'release_partition',
  {
    release: int8()
      .notNull()
      .references(() => release.id),
    start: instant('start_at').notNull(),
    end: instant('end_at').notNull(),
    /** planned | building | built | failed */
    state: text().notNull().default('planned'),
    attempt: integer().notNull().default(0),
    token: text(),
    error: text(),
    updatedAt: instant('updated_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    primaryKey({ columns: [t.release, t.start] }),
    index('release_partition_state').on(t.release, t.state),
  ],
);

export const attempt = control.table(
  'attempt',
  {
    release: int8().notNull(),
    start: instant('start_at').notNull(),
    attempt: integer().notNull(),
    token: text().notNull(),
    worker: text().notNull(),
    backendPid: integer('backend_pid'),
    backendStart: instant('backend_start'),
    startedAt: instant('started_at').notNull().default(sql`clock_timestamp()`),
    leaseUntil: instant('lease_until').notNull(),
    endedAt: instant('ended_at'),
    /** accepted | failed | lost | cancelled | verified */
    outcome: text(),
    error: text(),
  },
  (t) => [primaryKey({ columns: [t.release, t.start, t.attempt] })],
);

/** The proof that a partition was built; never changed. */
export const receipt = control.table(
  'receipt',
  {
    release: int8().notNull(),
    start: instant('start_at').notNull(),
    end: instant('end_at').notNull(),
    attempt: integer().notNull(),
    token: text().notNull(),
    releaseDigest: text('release_digest').notNull(),
    transform: text().notNull(),
    inputRoot: text('input_root').notNull(),
    outputRoot: text('output_root').notNull(),
    factsIn: int8('facts_in').notNull(),
    rowsOut: int8('rows_out').notNull(),
    filtered: int8().notNull(),
    quarantined: int8().notNull(),
    sums: jsonb().notNull(),
    /** It was computed a second time, under other session settings, and came to the same root. */
    sampled: boolean().notNull().default(false),
    at: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    primaryKey({ columns: [t.release, t.start] }),
    // every page of a release asks when the newest was written
    index('receipt_at').on(t.release, t.at),
  ],
);

/** Drift or quarantine accepted by name, quoting what was seen. */
export const acceptance = control.table(
  'acceptance',
  {
    id: identity().primaryKey(),
    release: int8()
      .notNull()
      .references(() => release.id),
    what: text().notNull(),
    partition: instant(),
    class: text(),
    count: int8().notNull(),
    digest: text().notNull(),
    reason: text().notNull(),
    person: text().notNull(),
    at: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('acceptance_release').on(t.release)],
);

export const evidence = control.table('evidence', {
  digest: text().primaryKey(),
  release: int8()
    .notNull()
    .references(() => release.id),
  basis: text().notNull(),
  parts: jsonb().notNull(),
  reconciliation: int8().notNull(),
  at: instant().notNull().default(sql`clock_timestamp()`),
});

export const signature = control.table(
  'signature',
  {
    id: identity().primaryKey(),
    release: int8()
      .notNull()
      .references(() => release.id),
    /** cutover | rollback */
    kind: text().notNull(),
    person: text().notNull(),
    /** approve | reject */
    decision: text().notNull(),
    digest: text().notNull(),
    releaseDigest: text('release_digest').notNull(),
    oldGeneration: int8('old_generation').notNull(),
    statement: text(),
    session: text(),
    at: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    uniqueIndex('signature_once').on(t.release, t.kind, t.person, t.digest),
    index('signature_release').on(t.release),
  ],
);

export const cutover = control.table('cutover', {
  release: int8()
    .primaryKey()
    .references(() => release.id),
  by: text().notNull(),
  at: instant().notNull().default(sql`clock_timestamp()`),
  epochBefore: integer('epoch_before').notNull(),
  epochAfter: integer('epoch_after').notNull(),
  fromGeneration: int8('from_generation').notNull(),
  toGeneration: int8('to_generation').notNull(),
  barrier: offsets().notNull(),
  evidence: text().notNull(),
  requestId: text('request_id').notNull(),
  /** After it: {tail, takeover, oldWrites}, each with figure, verdict and time. */
  checks: jsonb().notNull().default({}),
});

export const rollback = control.table(
  'rollback',
  {
    id: identity().primaryKey(),
    release: int8()
      .notNull()
      .references(() => release.id),
    dataset: text().notNull(),
    /** requested | replaying | sealed | done | called_off | failed */
    state: text().notNull().default('requested'),
    by: text().notNull(),
    requestedAt: instant('requested_at').notNull().default(sql`clock_timestamp()`),
    fromGeneration: int8('from_generation').notNull(),
    toGeneration: int8('to_generation').notNull(),
    /** Where the replay copies what it has to change of shared partitions. */
    segment: int8().notNull(),
    startOffsets: offsets('start_offsets').notNull(),
    eventsToReplay: int8('events_to_replay').notNull(),
    barrier: offsets(),
    sealedEpoch: integer('sealed_epoch'),
    /** [{step, startedAt, endedAt, figure}] in the order in which they landed. */
    steps: jsonb().notNull().default([]),
    endedAt: instant('ended_at'),
    why: text(),
  },
  (t) => [index('rollback_release').on(t.release)],
);
