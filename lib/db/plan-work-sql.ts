import { type SQL, sql } from 'drizzle-orm';

/**
 * How much of a release's plan is done, of any number of releases at once: every count comes from an
 * index alone, and only the few partitions that are under way or failed are looked for by state.
 *
 * Columns: planned, receipts, running, failed, last (when the newest receipt was written).
 *
 * @param release SQL of the release's id
 */
export const planWorkSql = (release: SQL): SQL => sql`
  select (select count(*) from control.release_partition p where p.release = ${release}) as planned,
    (select count(*) from control.receipt t where t.release = ${release}) as receipts,
    (select count(*) from control.release_partition p
      where p.release = ${release} and p.state = 'building') as running,
    (select count(*) from control.release_partition p
      where p.release = ${release} and p.state = 'failed') as failed,
    (select max(t.at) from control.receipt t where t.release = ${release}) as last`;
