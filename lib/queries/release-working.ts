import { sql } from 'drizzle-orm';
import { type Database, one, type Tx } from '@/lib/db/client';
import { planWorkSql } from '@/lib/db/plan-work-sql';

/** What the runner has, or has not, still to do for a release. */
export interface ReleaseWork {
  state: string;
  paused: boolean;
  held: boolean;
  draining: boolean;
  planned: number;
  receipts: number;
  /** Partitions under way. */
  running: number;
  failed: number;
  snapshotReady: boolean;
  /** A rehearsal was asked for and is not there yet. */
  rehearsing: boolean;
  /** The candidate has applied less than it may: the active generation's progress, or the barrier. */
  behind: boolean;
  rollingBack: boolean;
  /** Its cutover and rollback are being tried on a fork. */
  drilling: boolean;
  /** The checks after the cutover have not been made yet. */
  unchecked: boolean;
}

/** Reads it in one statement, for one release. */
export function workOf(db: Database | Tx, release: string): Promise<ReleaseWork> {
  return one<ReleaseWork>(
    db,
    sql`select r.state, r.paused_at is not null as paused, r.held_at is not null as held, r.draining,
        coalesce(w.planned, 0)::int as planned, coalesce(w.receipts, 0)::int as receipts,
        coalesce(w.running, 0)::int as running, coalesce(w.failed, 0)::int as failed,
        coalesce((select s.ready_at is not null from control.snapshot s where s.id = r.snapshot),
          r.snapshot is null) as "snapshotReady",
        r.rehearse_asked_at is not null as rehearsing,
        coalesce((select bool_or(candidate.applied < old.applied)
          from control.generation_progress p, control.generation_progress q,
            unnest(p.offsets) with ordinality as candidate (applied, n),
            unnest(q.offsets) with ordinality as old (applied, m)
          where p.generation = r.generation and q.generation = r.old_generation
            and candidate.n = old.m), false) as behind,
        exists (select from control.rollback b
          where b.release = r.id and b.state in ('requested', 'replaying', 'sealed')) as "rollingBack",
        exists (select from control.drill k where k.release = r.id and k.ended_at is null) as drilling,
        exists (select from control.cutover k
          where k.release = r.id and k.checks = '{}'::jsonb) as unchecked
      from control.release r
      cross join lateral (${planWorkSql(sql`r.id`)}) w
      where r.id = ${release}`,
  );
}

/** Whether the runner has something left to do for a release, or only people have. */
export function isWorking(work: ReleaseWork): boolean {
  if (work.running > 0 || work.rollingBack || work.drilling) return true;
  if (work.draining) return true;
  switch (work.state) {
    case 'SNAPSHOT_PINNED':
      return !work.snapshotReady;
    case 'BUILDING':
      if (work.paused) return false;
      if (!work.snapshotReady) return true;
      if (work.receipts + work.failed < work.planned) return true;
      return work.receipts === work.planned && (work.rehearsing || work.behind);
    case 'INGRESS_SEALED':
    case 'CAUGHT_UP':
      return !work.paused;
    case 'ACTIVE':
      return work.unchecked;
    default:
      return false;
  }
}
