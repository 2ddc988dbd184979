import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';

export interface RunView {
  id: string;
  kind: 'rehearsal' | 'final';
  verdict: 'running' | 'passed' | 'failed' | 'incomplete';
  epoch: number;
  startedAt: string;
  endedAt: string | null;
  by: string;
  why: string | null;
  oldProgress: string[] | null;
  newProgress: string[] | null;
  /** Seconds since it began. */
  ageSeconds: number;
  /** Partitions compared so far. */
  partitions: number;
  /** Why its verdict does not hold any more; null where it does. */
  stale: 'receipt' | 'reopened' | null;
}

/**
 * Comparisons of a release, newest first. A rehearsal is stale once a receipt is newer; a final one
 * once ingress was reopened since, for its barrier is no barrier any more.
 */
export function runsOf(db: Database | Tx, release: string, limit = 10): Promise<RunView[]> {
  return rows(
    db,
    sql`select c.id, c.kind, c.verdict, c.epoch, c.started_at as "startedAt",
        c.ended_at as "endedAt", c.by, c.why, c.old_progress as "oldProgress",
        c.new_progress as "newProgress",
        extract(epoch from clock_timestamp() - c.started_at)::float8 as "ageSeconds",
        (select count(*)::int from control.reconciliation_partition p
          where p.reconciliation = c.id) as partitions,
        case
          when c.kind = 'rehearsal' and c.started_at <= (select max(t.at) from control.receipt t
            where t.release = c.release) then 'receipt'
          when c.kind = 'final' and c.epoch is distinct from
            coalesce(r.sealed_epoch, (select k.epoch_before from control.cutover k
              where k.release = r.id)) then 'reopened'
        end as stale
      from control.reconciliation c join control.release r on r.id = c.release
      where c.release = ${release} order by c.id desc limit ${limit}`,
  );
}
