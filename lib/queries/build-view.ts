import { sql } from 'drizzle-orm';
import { type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { type ReleaseBasis, releaseBasis } from '@/lib/queries/release-basis';

export interface BuildFlag {
  at: string;
  by: string;
  why: string | null;
}

/** An attempt that is under way. */
export interface RunningAttempt {
  start: string;
  end: string;
  attempt: number;
  worker: string;
  startedAt: string;
  seconds: number;
  /** Seconds until its lease ends; below 0 it is about to be taken back. */
  leaseSeconds: number;
}

export interface FailedPartition {
  start: string;
  end: string;
  /** How often it was tried. */
  attempt: number;
  error: string | null;
  worker: string | null;
  at: string;
}

/** What one worker did for this release. */
export interface BuildWorker {
  worker: string;
  running: number;
  accepted: number;
  failed: number;
  /** Attempts whose lease ended before they did, or that were cancelled. */
  lost: number;
  /** Rows of its accepted attempts. */
  rows: string;
  lastAt: string;
}

/** One slot of the throughput chart. */
export interface ThroughputSlot {
  at: string;
  /** Rows of receipts written in the slot, per second. */
  rowsPerSecond: number;
  /** Partitions without a receipt at the slot's end. */
  waiting: number;
}

export interface DurationBand {
  /** Milliseconds: from…to, half-open; `to` null is without end. */
  from: number;
  to: number | null;
  receipts: number;
}

export interface BuildView extends ReleaseBasis {
  planned: number;
  receipts: number;
  building: number;
  failed: number;
  /** Partitions that nobody works on and that have not failed. */
  waiting: number;
  rowsOut: string;
  factsIn: string;
  filtered: string;
  quarantined: string;
  snapshot: { name: string; ready: boolean; rows: string; since: string } | null;
  /** Partitions built at once: now, and at most by the frozen spec. */
  concurrency: number | null;
  ceiling: number;
  /** Failed partitions at which the release pauses by itself. */
  stopLoss: number | null;
  paused: BuildFlag | null;
  held: BuildFlag | null;
  draining: boolean;
  /** Which process does the release's next step. */
  step: { step: string; worker: string; leaseSeconds: number } | null;
  firstAt: string | null;
  lastAt: string | null;
  /** Seconds from the first attempt to the last receipt, or to now while it builds. */
  seconds: number;
  attempts: RunningAttempt[];
  failures: FailedPartition[];
  workers: BuildWorker[];
  throughput: ThroughputSlot[];
  durations: DurationBand[];
  /** Milliseconds of accepted attempts. */
  durationMedian: number | null;
  durationMost: number | null;
}

interface HeadRow {
  concurrency: number | null;
  ceiling: number;
  stopLoss: number | null;
  pausedAt: string | null;
  pausedBy: string | null;
  pausedWhy: string | null;
  heldAt: string | null;
  heldBy: string | null;
  heldWhy: string | null;
  draining: boolean;
  snapshot: string | null;
  snapshotReady: boolean;
  snapshotRows: string | null;
  snapshotSince: string | null;
}

const SLOTS = 60;
const LISTED = 50;

/**
 * How a release is being built: who works, how fast, and what keeps it.
 *
 * @throws NotFound
 */
export async function buildView(db: Database | Tx, reference: string): Promise<BuildView> {
  const basis = await releaseBasis(db, reference);
  const { id } = basis;
  const head = await one<HeadRow>(
    db,
    sql`select r.concurrency, coalesce((r.spec #>> '{budget,concurrency}')::int, 1) as ceiling,
        r.max_failed_partitions as "stopLoss", r.paused_at as "pausedAt",
        r.paused_by as "pausedBy", r.paused_why as "pausedWhy", r.held_at as "heldAt",
        r.held_by as "heldBy", r.held_why as "heldWhy", r.draining, s.name as snapshot,
        s.ready_at is not null as "snapshotReady", s.rows as "snapshotRows",
        s.created_at as "snapshotSince"
      from control.release r left join control.snapshot s on s.id = r.snapshot
      where r.id = ${id}`,
  );
  const counts = await countsOf(db, id);
  const span = await spanOf(db, id);
  return {
    ...basis,
    ...counts,
    waiting: Math.max(0, counts.planned - counts.receipts - counts.building - counts.failed),
    snapshot:
      head.snapshot === null
        ? null
        : {
            name: head.snapshot,
            ready: head.snapshotReady,
            rows: head.snapshotRows ?? '0',
            since: head.snapshotSince ?? basis.now,
          },
    concurrency: head.concurrency,
    ceiling: head.ceiling,
    stopLoss: head.stopLoss,
    paused: flag(head.pausedAt, head.pausedBy, head.pausedWhy),
    held: flag(head.heldAt, head.heldBy, head.heldWhy),
    draining: head.draining,
    step: await stepOf(db, id),
    ...span,
    attempts: await attemptsOf(db, id),
    failures: await failuresOf(db, id),
    workers: await workersOf(db, id),
    throughput: span.firstAt === null ? [] : await throughputOf(db, id, span.seconds),
    ...(await durationsOf(db, id)),
  };
}

const flag = (at: string | null, by: string | null, why: string | null): BuildFlag | null =>
  at === null ? null : { at, by: by ?? '', why };

function countsOf(db: Database | Tx, id: string) {
  return one<
    Pick<
      BuildView,
      | 'planned'
      | 'receipts'
      | 'building'
      | 'failed'
      | 'rowsOut'
      | 'factsIn'
      | 'filtered'
      | 'quarantined'
    >
  >(
    db,
    sql`select count(*)::int as planned, count(t.release)::int as receipts,
        (count(*) filter (where p.state = 'building'))::int as building,
        (count(*) filter (where p.state = 'failed'))::int as failed,
        coalesce(sum(t.rows_out), 0)::bigint as "rowsOut",
        coalesce(sum(t.facts_in), 0)::bigint as "factsIn",
        coalesce(sum(t.filtered), 0)::bigint as filtered,
        coalesce(sum(t.quarantined), 0)::bigint as quarantined
      from control.release_partition p
      left join control.receipt t on t.release = p.release and t.start_at = p.start_at
      where p.release = ${id}`,
  );
}

function spanOf(db: Database | Tx, id: string) {
  return one<Pick<BuildView, 'firstAt' | 'lastAt' | 'seconds'>>(
    db,
    sql`select a.first as "firstAt", t.last as "lastAt",
        coalesce(extract(epoch from
          case when open.any then clock_timestamp() else t.last end - a.first), 0)::float8 as seconds
      from (select min(started_at) as first from control.attempt where release = ${id}) a,
        (select max(at) as last from control.receipt where release = ${id}) t,
        (select exists (select from control.release_partition
          where release = ${id} and state in ('planned', 'building')) as any) open`,
  );
}

async function stepOf(db: Database | Tx, id: string): Promise<BuildView['step']> {
  return maybeOne(
    db,
    sql`select step, worker,
        extract(epoch from lease_until - clock_timestamp())::int as "leaseSeconds"
      from control.step_lease where release = ${id} and lease_until > clock_timestamp()`,
  );
}

function attemptsOf(db: Database | Tx, id: string): Promise<RunningAttempt[]> {
  return rows(
    db,
    sql`select a.start_at as start, p.end_at as "end", a.attempt, a.worker,
        a.started_at as "startedAt",
        extract(epoch from clock_timestamp() - a.started_at)::float8 as seconds,
        extract(epoch from a.lease_until - clock_timestamp())::int as "leaseSeconds"
      from control.attempt a
      join control.release_partition p on p.release = a.release and p.start_at = a.start_at
      where a.release = ${id} and a.ended_at is null order by a.start_at`,
  );
}

function failuresOf(db: Database | Tx, id: string): Promise<FailedPartition[]> {
  return rows(
    db,
    sql`select p.start_at as start, p.end_at as "end", p.attempt, p.error, a.worker,
        coalesce(a.ended_at, p.updated_at) as at
      from control.release_partition p
      left join control.attempt a
        on a.release = p.release and a.start_at = p.start_at and a.attempt = p.attempt
      where p.release = ${id} and p.state = 'failed' order by p.start_at limit ${LISTED}`,
  );
}

function workersOf(db: Database | Tx, id: string): Promise<BuildWorker[]> {
  return rows(
    db,
    sql`select a.worker, (count(*) filter (where a.ended_at is null))::int as running,
        (count(*) filter (where a.outcome in ('accepted', 'verified')))::int as accepted,
        (count(*) filter (where a.outcome = 'failed'))::int as failed,
        (count(*) filter (where a.outcome in ('lost', 'cancelled')))::int as lost,
        coalesce(sum(t.rows_out), 0)::bigint as rows,
        max(coalesce(a.ended_at, a.started_at)) as "lastAt"
      from control.attempt a
      left join control.receipt t
        on t.release = a.release and t.start_at = a.start_at and t.attempt = a.attempt
      where a.release = ${id} group by a.worker order by a.worker`,
  );
}

/** Receipts in slots of equal length over the time of the build, at least a second each. */
function throughputOf(db: Database | Tx, id: string, seconds: number): Promise<ThroughputSlot[]> {
  const width = Math.max(1, Math.ceil(seconds / SLOTS));
  const slots = Math.max(1, Math.ceil(seconds / width));
  return rows(
    db,
    sql`with first as (select min(started_at) as at from control.attempt where release = ${id}),
      slot as (
        select n, f.at + make_interval(secs => n * ${width}::int) as from_at,
          f.at + make_interval(secs => (n + 1) * ${width}::int) as to_at
        from first f, generate_series(0, ${slots - 1}::int) n
      ),
      written as (
        select floor(extract(epoch from t.at - f.at) / ${width}::int)::int as n,
          count(*) as receipts, sum(t.rows_out) as rows
        from control.receipt t, first f where t.release = ${id} group by 1
      ),
      plan as (select count(*) as planned from control.release_partition where release = ${id})
      select s.to_at as at, (coalesce(w.rows, 0)::float8 / ${width}::int) as "rowsPerSecond",
        (p.planned - sum(coalesce(w.receipts, 0)) over (order by s.n))::int as waiting
      from slot s cross join plan p left join written w on w.n = s.n
      order by s.n`,
  );
}

const BANDS = [0, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000] as const;

async function durationsOf(db: Database | Tx, id: string) {
  const found = await one<{ median: number | null; most: number | null; bands: number[] }>(
    db,
    sql`with took as (
        select extract(epoch from t.at - a.started_at)::float8 * 1000 as ms
        from control.receipt t join control.attempt a
          on a.release = t.release and a.start_at = t.start_at and a.attempt = t.attempt
        where t.release = ${id}
      )
      select percentile_cont(0.5) within group (order by ms) as median, max(ms) as most,
        array[${sql.join(
          BANDS.map((from, i) => {
            const to = BANDS[i + 1];
            return to === undefined
              ? sql`(count(*) filter (where ms >= ${from}::float8))::int`
              : sql`(count(*) filter (where ms >= ${from}::float8 and ms < ${to}::float8))::int`;
          }),
          sql`, `,
        )}] as bands
      from took`,
  );
  return {
    durationMedian: found.median,
    durationMost: found.most,
    durations: BANDS.map(
      (from, i): DurationBand => ({
        from,
        to: BANDS[i + 1] ?? null,
        receipts: Number(found.bands[i] ?? 0),
      }),
    ),
  };
}
