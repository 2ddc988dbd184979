import { sql } from 'drizzle-orm';
import { type Database, one, type Tx } from '@/lib/db/client';
import { releaseId } from '@/lib/queries/release-ref';

/** What every page of a release says in its first lines, and when it was read. */
export interface ReleaseBasis {
  id: string;
  /** `name@revision`. */
  release: string;
  state: string;
  /** Counts changes of the release; what a move compares to refuse an old page. */
  version: number;
  dataset: string;
  source: string;
  /** Time zone and partition unit of the dataset. */
  zone: string;
  unit: 'hour' | 'day' | 'week' | 'month';
  from: string | null;
  /** Null: open, or not pinned yet. */
  to: string | null;
  /** Names of the two generations; null before the pin. */
  generation: string | null;
  oldGeneration: string | null;
  /** The database's clock when this was read. */
  now: string;
}

/**
 * The basis of a release's pages.
 *
 * @param reference `name@revision`
 * @throws NotFound
 */
export async function releaseBasis(db: Database | Tx, reference: string): Promise<ReleaseBasis> {
  const id = await releaseId(db, reference);
  return one<ReleaseBasis>(
    db,
    sql`select r.id, r.name || '@' || r.revision as release, r.state, r.version, r.dataset,
        d.source, d.timezone as zone, d.partition as unit, r.range_from as "from",
        r.range_to as "to", g.name as generation, o.name as "oldGeneration",
        clock_timestamp() as now
      from control.release r
      join control.dataset d on d.name = r.dataset
      left join control.generation g on g.id = r.generation
      left join control.generation o on o.id = r.old_generation
      where r.id = ${id}`,
  );
}
