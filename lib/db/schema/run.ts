import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { dataset, generation } from './dataset';
import { bytes, control, identity, instant, int8 } from './types';

/** A range of partitions that is computed again from the log, in the generation in use. */
export const run = control.table(
  'run',
  {
    id: identity().primaryKey(),
    dataset: text()
      .notNull()
      .references(() => dataset.name),
    /** adhoc | scheduled */
    kind: text().notNull(),
    from: instant('range_from').notNull(),
    to: instant('range_to').notNull(),
    /** For whom it is made: this owner's claims do not stop it. */
    owner: text().notNull(),
    by: text().notNull(),
    /** second_person | planned | running | done | failed | cancelled */
    state: text().notNull().default('planned'),
    /** What was asked before a rerun, and answered; null where nobody was asked. */
    answers: jsonb(),
    secondNeeded: boolean('second_needed').notNull().default(false),
    secondBy: text('second_by'),
    secondAt: instant('second_at'),
    /** The run of which this one does again what failed or was skipped. */
    retryOf: int8('retry_of'),
    /** Of a scheduled run: the instant that its schedule named. */
    scheduledFor: instant('scheduled_for'),
    /** The generation and the epoch that it works on, once it works. */
    generation: int8().references(() => generation.id),
    epoch: integer(),
    /** Why it waits, or why it failed. */
    why: text(),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    startedAt: instant('started_at'),
    endedAt: instant('ended_at'),
    /** Which process walks it; only saves walking it twice, each partition fences itself. */
    token: text(),
    leaseUntil: instant('lease_until'),
  },
  (t) => [
    index('run_dataset').on(t.dataset, t.id),
    index('run_under_way').on(t.state).where(sql`${t.state} in ('planned', 'running')`),
    // any number of processes look at the clock, one makes the run
    uniqueIndex('run_scheduled_once').on(t.dataset, t.scheduledFor),
    check('run_interval', sql`${t.from} < ${t.to}`),
    check('run_kind', sql`${t.kind} in ('adhoc', 'scheduled')`),
    check(
      'run_state',
      sql`${t.state} in ('second_person', 'planned', 'running', 'done', 'failed', 'cancelled')`,
    ),
    check('run_second_person', sql`${t.secondBy} is distinct from ${t.by}`),
    check('run_not_of_a_fork', sql`position('~' in ${t.dataset}) = 0`),
  ],
);

export const runPartition = control.table(
  'run_partition',
  {
    run: int8()
      .notNull()
      .references(() => run.id),
    start: instant('start_at').notNull(),
    end: instant('end_at').notNull(),
    /** planned | done | skipped | failed */
    state: text().notNull().default('planned'),
    /** Of a skipped one: `claimed_by:<owner>`, `sealed` or `no_data`; of a failed one what went wrong. */
    reason: text(),
    /** Whether its rows were not what the log yields: then they are now. */
    changed: boolean(),
    rowsBefore: int8('rows_before'),
    rootBefore: bytes('root_before'),
    rows: int8(),
    sums: jsonb(),
    root: bytes(),
    at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.run, t.start] }),
    index('run_partition_state').on(t.run, t.state),
    check('run_partition_state', sql`${t.state} in ('planned', 'done', 'skipped', 'failed')`),
  ],
);
