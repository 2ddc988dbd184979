import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { COVERAGE_CODES, coverageOf } from '@/lib/domain/coverage';
import type { ReleaseState } from '@/lib/domain/lifecycle';

type PlannedState = 'planned' | 'building' | 'built' | 'failed';

/** The frozen plan with how far each partition is, in order of time. */
export interface Coverage {
  partitions: { start: string; end: string }[];
  /** One code per partition, see `lib/domain/coverage`. */
  states: string;
}

/** Of a pinned release: every planned partition, of which there may be tens of thousands. */
export async function coverageOfRelease(
  db: Database | Tx,
  release: string,
  state: ReleaseState,
): Promise<Coverage> {
  const found = await rows<{
    start: string;
    end: string;
    state: PlannedState;
    rows: string | null;
  }>(
    db,
    sql`select p.start_at as start, p.end_at as "end", p.state, t.rows_out as rows
      from control.release_partition p
      left join control.receipt t on t.release = p.release and t.start_at = p.start_at
      where p.release = ${release} order by p.start_at`,
  );
  return {
    partitions: found.map(({ start, end }) => ({ start, end })),
    states: found
      .map((p) => COVERAGE_CODES[coverageOf(state, p.state, p.rows === null ? null : +p.rows)])
      .join(''),
  };
}

/** A partition that failed, or that somebody works on. */
export interface UnfinishedPartition {
  start: string;
  end: string;
  state: 'building' | 'failed';
  attempt: number;
  error: string | null;
  worker: string | null;
  /** Of the newest attempt. */
  startedAt: string | null;
  seconds: number | null;
}

/** Most of them that a page lists. */
export const MOST_UNFINISHED = 200;

/** Failed ones first, then those under way, each in order of time; at most `MOST_UNFINISHED`. */
export async function unfinishedPartitions(
  db: Database | Tx,
  release: string,
): Promise<UnfinishedPartition[]> {
  return rows<UnfinishedPartition>(
    db,
    sql`select p.start_at as start, p.end_at as "end", p.state, p.attempt, p.error, a.worker,
        a.started_at as "startedAt",
        extract(epoch from coalesce(a.ended_at, clock_timestamp()) - a.started_at)::float8 as seconds
      from control.release_partition p
      left join control.attempt a
        on a.release = p.release and a.start_at = p.start_at and a.attempt = p.attempt
      where p.release = ${release} and p.state in ('failed', 'building')
      order by p.state = 'building', p.start_at limit ${MOST_UNFINISHED}`,
  );
}

/** Starts of every partition that failed: what a retry of all of them names. */
export async function failedStarts(db: Database | Tx, release: string): Promise<string[]> {
  const found = await rows<{ start: string }>(
    db,
    sql`select start_at as start from control.release_partition
      where release = ${release} and state = 'failed' order by start_at`,
  );
  return found.map(({ start }) => start);
}
