import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import type { DrillStep } from '@/lib/domain/drill';

export interface DrillStepView {
  step: DrillStep;
  startedAt: string;
  endedAt: string | null;
  /** Null while it runs. */
  seconds: number | null;
}

/** One drill, as it runs or as it was measured. */
export interface DrillView {
  id: string;
  /** `name@revision` of the release that was tried. */
  release: string;
  dataset: string;
  zone: string;
  by: string;
  startedAt: string;
  endedAt: string | null;
  /** From its start to its end, or to now. */
  seconds: number;
  /** Null while it runs. */
  outcome: 'passed' | 'failed' | null;
  why: string | null;
  steps: DrillStepView[];
  /** From the seal to the pointer's move. */
  cutoverSeconds: number | null;
  /** From the request to the pointer's move back. */
  rollbackSeconds: number | null;
  eventsReplayed: string | null;
  rowsCopied: string | null;
}

/** The newest drills of all datasets. */
export function recentDrills(db: Database | Tx, most: number): Promise<DrillView[]> {
  return drills(db, sql`true`, most);
}

/** The newest drills of one release. */
export function drillsOf(db: Database | Tx, release: string, most: number): Promise<DrillView[]> {
  return drills(db, sql`k.release = ${release}`, most);
}

function drills(db: Database | Tx, where: SQL, most: number): Promise<DrillView[]> {
  return rows(
    db,
    sql`select k.id, r.name || '@' || r.revision as release, k.dataset, d.timezone as zone, k.by,
        k.started_at as "startedAt", k.ended_at as "endedAt",
        extract(epoch from coalesce(k.ended_at, clock_timestamp()) - k.started_at)::float8 as seconds,
        k.outcome, k.why, k.steps, k.cutover_seconds as "cutoverSeconds",
        k.rollback_seconds as "rollbackSeconds", k.events_replayed as "eventsReplayed",
        k.rows_copied as "rowsCopied"
      from control.drill k
      join control.release r on r.id = k.release
      join control.dataset d on d.name = k.dataset
      where ${where} order by k.id desc limit ${most}`,
  );
}
