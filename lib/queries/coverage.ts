import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import { COVERAGE_CODES, type CoverageState, coverageOf } from '@/lib/domain/coverage';
import type { ReleaseState } from '@/lib/domain/lifecycle';
import { type EdgeSeconds, edgeSeconds } from '@/lib/domain/pack-edges';
import type { Partition } from '@/lib/domain/partition-plan';

/** The frozen plan with how far each partition is, in order of time. */
export interface Coverage {
  edges: EdgeSeconds;
  /** One code per partition, see `lib/domain/coverage`. */
  states: string;
}

/** How the statement below tells what is known of a partition. */
const STORED = {
  p: { state: 'planned', rows: null, sealed: false },
  u: { state: 'building', rows: null, sealed: false },
  f: { state: 'failed', rows: null, sealed: false },
  b: { state: 'built', rows: 1, sealed: false },
  e: { state: 'built', rows: 0, sealed: false },
  s: { state: 'built', rows: null, sealed: true },
} as const;

/**
 * Of a pinned release: every planned partition, of which there may be tens of thousands. They come as
 * one row of numbers and letters: a row for each would take longer to read than to draw.
 */
export async function coverageOfRelease(
  db: Database | Tx,
  release: string,
  state: ReleaseState,
): Promise<Coverage> {
  const { starts, end, states } = await one<{
    starts: number[] | null;
    end: number | null;
    states: string | null;
  }>(
    db,
    sql`select array_agg(extract(epoch from x.start_at)::float8 order by x.start_at) as starts,
        extract(epoch from max(x.end_at))::float8 as "end",
        string_agg(x.code, '' order by x.start_at) as states
      from (
        select p.start_at, p.end_at, case p.state when 'planned' then 'p' when 'building' then 'u'
            when 'failed' then 'f' else case when s.start_at is not null then 's'
              when t.rows_out = 0 then 'e' else 'b' end end as code
        from control.release_partition p
        left join control.receipt t on t.release = p.release and t.start_at = p.start_at
        left join control.published_partition s on s.start_at = p.start_at
          and s.dataset = (select split_part(r.dataset, '~', 1) from control.release r
            where r.id = ${release})
        where p.release = ${release}
      ) x`,
  );
  if (starts === null || end === null) return { edges: [], states: '' };
  const codes = Object.fromEntries(
    Object.entries(STORED).map(([code, partition]) => [
      code,
      COVERAGE_CODES[coverageOf(state, partition)],
    ]),
  );
  return {
    edges: [...starts, end],
    states: (states ?? '').replace(/[a-z]/g, (code) => codes[code] ?? code),
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
    edges: edgeSeconds(partitions as readonly Partition[]),
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
