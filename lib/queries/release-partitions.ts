import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { instantForm, type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';
import { releaseId } from '@/lib/queries/release-ref';

export interface PlannedPartition {
  start: string;
  end: string;
  state: 'planned' | 'building' | 'built' | 'failed';
  /** How often it was tried. */
  attempt: number;
  error: string | null;
  updatedAt: string;
  /** Of the newest attempt. */
  worker: string | null;
  startedAt: string | null;
  endedAt: string | null;
  rows: number | null;
  outputRoot: string | null;
}

/**
 * The frozen plan of a release with the state of each partition, in order of time.
 *
 * @throws NotFound
 */
export async function releasePartitions(
  db: Database | Tx,
  reference: string,
  { state }: { state?: string | undefined },
  { limit, cursor }: PageRequest,
): Promise<Page<PlannedPartition>> {
  const id = await releaseId(db, reference);
  const after = readCursor(cursor, [instantForm]);
  const conditions: SQL[] = [sql`p.release = ${id}`];
  if (after) conditions.push(sql`p.start_at > ${after[0]}`);
  if (state !== undefined) conditions.push(sql`p.state = ${state}`);
  const found = await rows<PlannedPartition>(
    db,
    sql`select p.start_at as start, p.end_at as "end", p.state, p.attempt, p.error,
        p.updated_at as "updatedAt", a.worker, a.started_at as "startedAt",
        a.ended_at as "endedAt", t.rows_out::float8 as rows, t.output_root as "outputRoot"
      from control.release_partition p
      left join control.attempt a
        on a.release = p.release and a.start_at = p.start_at and a.attempt = p.attempt
      left join control.receipt t on t.release = p.release and t.start_at = p.start_at
      where ${sql.join(conditions, sql` and `)}
      order by p.start_at limit ${limit + 1}`,
  );
  return pageOf(found, limit, (partition) => [partition.start]);
}
