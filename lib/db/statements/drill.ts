import { type SQL, sql } from 'drizzle-orm';
import { type Database, one, type Tx } from '@/lib/db/client';
import { DRILL_MAX_AGE_HOURS, type DrillFacts } from '@/lib/domain/drill';
import { ROLLBACK_LIMIT_SECONDS } from '@/lib/domain/rollback';

/** Of the alias `d`: how old a drill may be, in hours. */
const maxAge = sql`coalesce((d.policy ->> 'drillMaxAgeHours')::int, ${DRILL_MAX_AGE_HOURS})`;

/**
 * Whether the drills of the release `x` let it be cut over: its dataset requires none, or the last
 * one that ended passed, was in time, and is not too old. An earlier good one does not count: what
 * is known last is that it fails.
 */
export const drillHolds: SQL = sql`(
  select not coalesce((d.policy ->> 'requireDrill')::boolean, false) or coalesce((
    select l.outcome = 'passed' and l.rollback_seconds <= ${ROLLBACK_LIMIT_SECONDS}::int
      and l.ended_at > clock_timestamp() - make_interval(hours => ${maxAge})
    from control.drill l where l.release = x.id and l.ended_at is not null
    order by l.id desc limit 1), false)
  from control.dataset d where d.name = x.dataset)`;

/** The drills of a release and what its dataset asks of them, now. */
export function drillFacts(tx: Database | Tx, release: string): Promise<DrillFacts> {
  return one(
    tx,
    sql`select coalesce((d.policy ->> 'requireDrill')::boolean, false) as required,
        ${maxAge} as "maxAgeHours", ${drillHolds} as holds,
        exists (select from control.drill l where l.release = x.id and l.ended_at is null) as running,
        exists (select from control.drill l where l.dataset = x.dataset and l.ended_at is null) as busy,
        (select jsonb_build_object('outcome', l.outcome, 'why', l.why,
            'rollbackSeconds', l.rollback_seconds,
            'ageSeconds', extract(epoch from clock_timestamp() - l.ended_at)::float8)
          from control.drill l where l.release = x.id and l.ended_at is not null
          order by l.id desc limit 1) as last
      from control.release x join control.dataset d on d.name = x.dataset
      where x.id = ${release}`,
  );
}
