import { type SQL, sql } from 'drizzle-orm';

/** How far back receipts count for the pace. */
const PACE_SECONDS = 60;

/**
 * How fast a release is being built: its receipts of the last minute.
 *
 * Columns: receipts, facts, seconds (since the first of them; facts and seconds are null where
 * there was none).
 *
 * @param release SQL of the release's id
 */
export const paceSql = (release: SQL): SQL => sql`
  select count(*) as receipts, sum(x.facts_in) as facts,
    extract(epoch from clock_timestamp() - min(x.at))::float8 as seconds
  from control.receipt x
  where x.release = ${release}
    and x.at > clock_timestamp() - make_interval(secs => ${PACE_SECONDS}::int)`;
