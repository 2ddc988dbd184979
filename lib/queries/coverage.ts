import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { COVERAGE_CODES, type CoverageState, coverageOf } from '@/lib/domain/coverage';
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
    rows: number | null;
    sealed: boolean;
  }>(
    db,
    sql`select p.start_at as start, p.end_at as "end", p.state, t.rows_out::float8 as rows,
        s.start_at is not null as sealed
      from control.release_partition p
      join control.release r on r.id = p.release
      left join control.published_partition s
        on s.dataset = split_part(r.dataset, '~', 1) and s.start_at = p.start_at
      left join control.receipt t on t.release = p.release and t.start_at = p.start_at
      where p.release = ${release} order by p.start_at`,
  );
  return {
    partitions: found.map(({ start, end }) => ({ start, end })),
    states: found.map((partition) => COVERAGE_CODES[coverageOf(state, partition)]).join(''),
  };
}

/**
 * Of a draft: the plan that a pin would freeze now, with what was published of it, and what somebody
 * else has claimed.
 *
 * @param claims half-open stretches of partitions
 */
export async function coverageOfPlan(
  db: Database | Tx,
  dataset: string,
  partitions: readonly { start: string; end: string }[],
  claims: readonly { from: string; to: string }[],
): Promise<Coverage> {
  const published = await rows<{ start: string }>(
    db,
    sql`select start_at as start from control.published_partition
      where dataset = ${dataset} and start_at >= ${partitions[0]?.start ?? null}::timestamptz
        and start_at <= ${partitions.at(-1)?.start ?? null}::timestamptz`,
  );
  const sealed = new Set(published.map(({ start }) => start));
  const stateOf = ({ start }: { start: string }): CoverageState => {
    if (sealed.has(start)) return 'sealed';
    return claims.some(({ from, to }) => from <= start && start < to) ? 'claimed' : 'planned';
  };
  return {
    partitions: partitions.map(({ start, end }) => ({ start, end })),
    states: partitions.map((partition) => COVERAGE_CODES[stateOf(partition)]).join(''),
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
