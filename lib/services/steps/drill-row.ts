import { sql } from 'drizzle-orm';
import { type Database, json, maybeOne, one, type Tx } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import type { DrillStep } from '@/lib/domain/drill';

export interface DrillRow {
  id: string;
  release: string;
  dataset: string;
  /** The generation in use that was forked. */
  generation: string;
  fork: string;
  forkRelease: string;
  by: string;
  startedAt: string;
  copiedAt: string | null;
  endedAt: string | null;
  /** It has run for longer than any drill may. */
  overdue: boolean;
}

export interface DrillStepTime {
  step: DrillStep;
  startedAt: string;
  endedAt: string | null;
  seconds: number | null;
}

/** No drill runs longer: what has not ended by then waits for something that does not come. */
const mostHours = 6;

/** The drill that a fork's release belongs to. */
export function drillOfFork(db: Database | Tx, forkRelease: string): Promise<DrillRow | null> {
  return maybeOne(
    db,
    sql`select id, release, dataset, generation, fork, fork_release as "forkRelease", by,
        started_at as "startedAt", copied_at as "copiedAt", ended_at as "endedAt",
        started_at < clock_timestamp() - make_interval(hours => ${mostHours}) as overdue
      from control.drill where fork_release = ${forkRelease}`,
  );
}

/** Notes that a step began, which ends the one before it. Steps begin once, in order. */
export async function enterStep(db: Database, id: string, step: DrillStep | null): Promise<void> {
  await transaction(db, (tx) => enterStepIn(tx, id, step));
}

/** The same in a transaction of the caller's; null ends the last one. */
export async function enterStepIn(tx: Tx, id: string, step: DrillStep | null): Promise<void> {
  // in a statement before: the clock is to be read after the lock
  await tx.execute(sql`select 1 from control.drill where id = ${id} for update`);
  const { steps, now, open } = await one<{
    steps: DrillStepTime[];
    now: string;
    open: number | null;
  }>(
    tx,
    sql`select steps, clock_timestamp() as now, extract(epoch from clock_timestamp()
        - (steps -> -1 ->> 'startedAt')::timestamptz)::float8 as open
      from control.drill where id = ${id}`,
  );
  if (steps.some((known) => known.step === step)) return;
  const last = steps.at(-1);
  const landed =
    last && last.endedAt === null
      ? [...steps.slice(0, -1), { ...last, endedAt: now, seconds: open }]
      : steps;
  const next =
    step === null ? landed : [...landed, { step, startedAt: now, endedAt: null, seconds: null }];
  await tx.execute(sql`update control.drill set steps = ${json(next)} where id = ${id}`);
}
