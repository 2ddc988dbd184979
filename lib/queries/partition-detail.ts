import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';

export interface AttemptRow {
  attempt: number;
  worker: string;
  startedAt: string;
  seconds: number;
  /** Null while it runs. */
  outcome: 'accepted' | 'verified' | 'failed' | 'lost' | 'cancelled' | null;
  error: string | null;
}

export interface PartitionReceipt {
  inputRoot: string;
  outputRoot: string;
  transform: string;
  token: string;
  at: string;
  factsIn: string;
  rowsOut: string;
  filtered: string;
  quarantined: string;
}

/** Figures of one side; `sums` are the conserved ones, exact text. */
export interface SideFigures {
  rows: string;
  sums: Record<string, string | null>;
  root: string | null;
}

/** What the newest comparison found in the partition. */
export interface PartitionComparison {
  kind: 'rehearsal' | 'final';
  changed: string;
  unexplained: string;
  drift: string;
}

/** One planned partition, with everything that was done to it. */
export interface PartitionDetail {
  start: string;
  end: string;
  state: 'planned' | 'building' | 'built' | 'failed';
  error: string | null;
  attempts: AttemptRow[];
  receipt: PartitionReceipt | null;
  /** Of the candidate as it is now, catch-up included; null while they are being recomputed. */
  candidate: SideFigures | null;
  /** Of the generation that the release was pinned on. */
  old: SideFigures | null;
  comparison: PartitionComparison | null;
}

type Row = Pick<PartitionDetail, 'start' | 'end' | 'state' | 'error'> & {
  segment: string | null;
  oldGeneration: string | null;
};

/**
 * One partition of a release's plan; null where the plan has none that starts there.
 *
 * @param release its id
 * @param start an instant in canonical text
 */
export async function partitionDetail(
  db: Database | Tx,
  release: string,
  start: string,
): Promise<PartitionDetail | null> {
  const found = await maybeOne<Row>(
    db,
    sql`select p.start_at as start, p.end_at as "end", p.state, p.error, r.segment,
        r.old_generation as "oldGeneration"
      from control.release_partition p join control.release r on r.id = p.release
      where p.release = ${release} and p.start_at = ${start}::timestamptz`,
  );
  if (!found) return null;
  const { segment, oldGeneration, ...partition } = found;
  return {
    ...partition,
    attempts: await attemptsOf(db, release, start),
    receipt: await receiptOf(db, release, start),
    candidate: await figuresIn(db, sql`s.segment = ${segment}`, start),
    old: await figuresIn(
      db,
      sql`exists (select from control.generation_range m where m.generation = ${oldGeneration}
        and m.segment = s.segment and m.span @> s.start_at)`,
      start,
    ),
    comparison: await comparisonOf(db, release, start),
  };
}

function attemptsOf(db: Database | Tx, release: string, start: string): Promise<AttemptRow[]> {
  return rows<AttemptRow>(
    db,
    sql`select attempt, worker, started_at as "startedAt", outcome, error,
        extract(epoch from coalesce(ended_at, clock_timestamp()) - started_at)::float8 as seconds
      from control.attempt
      where release = ${release} and start_at = ${start}::timestamptz order by attempt desc`,
  );
}

function receiptOf(db: Database | Tx, release: string, start: string) {
  return maybeOne<PartitionReceipt>(
    db,
    sql`select input_root as "inputRoot", output_root as "outputRoot", transform, token, at,
        facts_in as "factsIn", rows_out as "rowsOut", filtered, quarantined
      from control.receipt where release = ${release} and start_at = ${start}::timestamptz`,
  );
}

/** Figures that are older than their rows are left out: they are being recomputed. */
function figuresIn(db: Database | Tx, where: ReturnType<typeof sql>, start: string) {
  return maybeOne<SideFigures>(
    db,
    sql`select s.rows, s.sums, 'sha256:' || encode(s.root, 'hex') as root
      from control.segment_partition s
      where ${where} and s.start_at = ${start}::timestamptz
        and s.figures_version = s.version limit 1`,
  );
}

function comparisonOf(db: Database | Tx, release: string, start: string) {
  return maybeOne<PartitionComparison>(
    db,
    sql`select c.kind, q.changed, q.unexplained, q.drift
      from control.reconciliation_partition q
      join control.reconciliation c on c.id = q.reconciliation
      where c.release = ${release} and c.verdict <> 'running'
        and q.start_at = ${start}::timestamptz
      order by c.id desc limit 1`,
  );
}
