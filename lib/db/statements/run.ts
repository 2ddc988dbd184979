import { sql } from 'drizzle-orm';
import {
  affected,
  array,
  type Database,
  json,
  maybeOne,
  one,
  rows,
  type Tx,
} from '@/lib/db/client';
import type { FoundFacts, RunAnswers, RunKind, RunState } from '@/lib/domain/runs';

export interface NewRun {
  dataset: string;
  kind: RunKind;
  from: string;
  to: string;
  owner: string;
  by: string;
  state: 'planned' | 'second_person';
  answers: (RunAnswers & { found: FoundFacts }) | null;
  retryOf: string | null;
  scheduledFor: string | null;
  /** In order; within the range, and not always all of it. */
  partitions: readonly { start: string; end: string }[];
}

/** Writes a run and its partitions; null where a run of this schedule's instant is there already. */
export async function insertRun(tx: Tx, run: NewRun): Promise<string | null> {
  const made = await maybeOne<{ id: string }>(
    tx,
    sql`insert into control.run (dataset, kind, range_from, range_to, owner, "by", state, answers,
        second_needed, retry_of, scheduled_for)
      values (${run.dataset}, ${run.kind}, ${run.from}, ${run.to}, ${run.owner}, ${run.by},
        ${run.state}, ${run.answers === null ? null : json(run.answers)},
        ${run.state === 'second_person'}, ${run.retryOf}, ${run.scheduledFor})
      on conflict (dataset, scheduled_for) do nothing returning id`,
  );
  if (!made) return null;
  await tx.execute(sql`
    insert into control.run_partition (run, start_at, end_at)
    select ${made.id}, p.start_at, p.end_at
    from unnest(${array(
      run.partitions.map((p) => p.start),
      'timestamptz',
    )}, ${array(
      run.partitions.map((p) => p.end),
      'timestamptz',
    )}) as p (start_at, end_at)`);
  return made.id;
}

export interface RunRow {
  id: string;
  dataset: string;
  kind: RunKind;
  from: string;
  to: string;
  owner: string;
  by: string;
  state: RunState;
  generation: string | null;
  epoch: number | null;
}

const columns = sql`id, dataset, kind, range_from as "from", range_to as "to", owner, "by", state,
  generation, epoch`;

/** A run, locked against its other moves; null where there is none. */
export function lockRun(tx: Tx, id: string): Promise<RunRow | null> {
  return maybeOne<RunRow>(tx, sql`select ${columns} from control.run where id = ${id} for update`);
}

/**
 * Takes a run's lease. Zero rows: it has ended, waits for a person, or another process walks it.
 * `lease_until` of a run that waits is when it is to be looked at again.
 */
export function takeRun(
  db: Database,
  id: string,
  token: string,
  seconds: number,
): Promise<RunRow | null> {
  return maybeOne<RunRow>(
    db,
    sql`update control.run set state = 'running', token = ${token},
        lease_until = clock_timestamp() + make_interval(secs => ${seconds}),
        started_at = coalesce(started_at, clock_timestamp()), why = null
      where id = ${id} and state in ('planned', 'running')
        and (lease_until is null or lease_until < clock_timestamp())
      returning ${columns}`,
  );
}

/** Renews the lease; false where the run was cancelled or another process took it. */
export async function renewRun(
  db: Database,
  id: string,
  token: string,
  seconds: number,
): Promise<boolean> {
  const renewed = await affected(
    db,
    sql`update control.run set lease_until = clock_timestamp() + make_interval(secs => ${seconds})
      where id = ${id} and token = ${token} and state = 'running'`,
  );
  return renewed === 1;
}

/** Locks a run that this token walks; false where it was cancelled or another process took it. */
export async function holdRun(tx: Tx, id: string, token: string): Promise<boolean> {
  const held = await rows(
    tx,
    sql`select 1 from control.run where id = ${id} and token = ${token} and state = 'running'
      for update`,
  );
  return held.length === 1;
}

/** Gives the lease back, to be looked at again after so many seconds, and says why it waits. */
export async function letGoOfRun(
  db: Database,
  id: string,
  token: string,
  { why, seconds }: { why: string | null; seconds: number },
): Promise<void> {
  await db.execute(sql`
    update control.run set token = null, why = ${why},
      lease_until = clock_timestamp() + make_interval(secs => ${seconds})
    where id = ${id} and token = ${token} and state = 'running'`);
}

/** The generation and the epoch that a run works on now. */
export async function runWorksOn(
  tx: Tx,
  id: string,
  at: { generation: string; epoch: number },
): Promise<void> {
  await tx.execute(sql`
    update control.run set generation = ${at.generation}, epoch = ${at.epoch} where id = ${id}`);
}

export interface RunPartitionRow {
  start: string;
  end: string;
  state: 'planned' | 'done' | 'skipped' | 'failed';
  reason: string | null;
}

/** All partitions of a run, in the order of the walk. */
export function runPartitions(db: Database | Tx, id: string): Promise<RunPartitionRow[]> {
  return rows<RunPartitionRow>(
    db,
    sql`select start_at as start, end_at as "end", state, reason from control.run_partition
      where run = ${id} order by start_at`,
  );
}

/** Skips partitions that nothing became of yet. */
export async function skipPartitions(
  tx: Tx,
  run: string,
  skipped: readonly (readonly [start: string, reason: string])[],
): Promise<void> {
  if (skipped.length === 0) return;
  await tx.execute(sql`
    update control.run_partition p set state = 'skipped', reason = s.reason, at = clock_timestamp()
    from unnest(${array(
      skipped.map(([start]) => start),
      'timestamptz',
    )}, ${array(
      skipped.map(([, reason]) => reason),
      'text',
    )}) as s (start_at, reason)
    where p.run = ${run} and p.start_at = s.start_at and p.state = 'planned'`);
}

const bytes = (root: Buffer) => sql`${`\\x${root.toString('hex')}`}::text::bytea`;

export interface DonePartition {
  changed: boolean;
  before: { rows: string; root: Buffer };
  after: { rows: string; root: Buffer; sums: Record<string, string | null> };
}

/** Settles a partition as done; false where something became of it before. */
export async function partitionDone(
  tx: Tx,
  run: string,
  start: string,
  { changed, before, after }: DonePartition,
): Promise<boolean> {
  const settled = await affected(
    tx,
    sql`update control.run_partition set state = 'done', changed = ${changed},
        rows_before = ${before.rows}, root_before = ${bytes(before.root)}, rows = ${after.rows},
        sums = ${json(after.sums)}, root = ${bytes(after.root)}, at = clock_timestamp()
      where run = ${run} and start_at = ${start}::timestamptz and state = 'planned'`,
  );
  return settled === 1;
}

/** Settles a partition as failed, with words. */
export async function partitionFailed(
  tx: Tx,
  run: string,
  start: string,
  words: string,
): Promise<void> {
  await tx.execute(sql`
    update control.run_partition set state = 'failed', reason = ${words}, at = clock_timestamp()
    where run = ${run} and start_at = ${start}::timestamptz and state = 'planned'`);
}

/** Ends a run that the caller has locked. */
export async function endRun(
  tx: Tx,
  run: string,
  state: 'done' | 'failed' | 'cancelled',
  why: string | null,
): Promise<void> {
  await tx.execute(sql`
    update control.run set state = ${state}, why = ${why}, ended_at = clock_timestamp(),
      token = null, lease_until = null
    where id = ${run}`);
}

/** Confirmed by the second person: it may be walked. */
export async function planRun(tx: Tx, run: string, by: string): Promise<void> {
  await tx.execute(sql`
    update control.run set state = 'planned', second_by = ${by}, second_at = clock_timestamp()
    where id = ${run}`);
}

/** Runs that nobody walks although they are to be walked. */
export function dueRuns(db: Database): Promise<{ id: string }[]> {
  return rows(
    db,
    sql`select id from control.run where state in ('planned', 'running')
        and (lease_until is null or lease_until < clock_timestamp())
      order by id`,
  );
}

/** The database's clock, in whole microseconds. */
export async function clockNow(db: Database | Tx): Promise<string> {
  const { now } = await one<{ now: string }>(db, sql`select clock_timestamp() as now`);
  return now;
}
