import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { Gone, NotFound } from '@/lib/domain/refusal';

/** One partition of a generation with its figures; null while they are being recomputed. */
export interface PartitionView {
  start: string;
  end: string;
  rows: number | null;
  /** Conserved sums by name, exact text. */
  sums: Record<string, string | null> | null;
  root: string | null;
  segment: string;
  /** Its figures were published: what is served of it never changes. */
  sealed: boolean;
  /** Root of what was published; null where nothing was. */
  published: string | null;
  /** Who has reserved it; null while nobody has. */
  claimedBy: string | null;
  /** It lies in a range whose served values are known to be wrong. */
  contaminated: boolean;
}

/**
 * The generation that a reader names, or the one in use.
 *
 * @throws NotFound where there is no such dataset, Gone where the generation was dropped
 */
export async function readableGeneration(
  db: Database | Tx,
  dataset: string,
  name?: string,
): Promise<{ id: string; name: string }> {
  const found = await maybeOne<{ id: string | null; name: string | null; state: string | null }>(
    db,
    name === undefined
      ? sql`select g.id, g.name, g.state from control.registry r
          left join control.generation g on g.id = r.active_generation
          where r.dataset = ${dataset}`
      : sql`select g.id, g.name, g.state from control.registry r
          left join control.generation g on g.dataset = r.dataset and g.name = ${name}
          where r.dataset = ${dataset}`,
  );
  if (!found) throw new NotFound('dataset', dataset);
  if (found.id === null || found.name === null || found.state === 'retired') {
    throw new Gone('GENERATION_GONE');
  }
  return { id: found.id, name: found.name };
}

/** Every partition of a generation that has rows or was built, through its map, in order of time. */
export async function datasetPartitions(
  db: Database | Tx,
  generation: string,
): Promise<PartitionView[]> {
  return rows<PartitionView>(
    db,
    sql`with marks as materialized (
        select range_from, range_to from control.contaminating(${generation})
      )
      select s.start_at as start, s.end_at as "end",
        case when s.current then s.rows::float8 end as rows,
        case when s.current then s.sums end as sums,
        case when s.current then 'sha256:' || encode(s.root, 'hex') end as root,
        s.segment, p.start_at is not null as sealed,
        'sha256:' || encode(p.root, 'hex') as published, c.owner as "claimedBy",
        exists (select from marks m where m.range_from <= s.start_at and s.end_at <= m.range_to)
          as contaminated
      from control.generation_range r
      join control.generation g on g.id = r.generation
      join (select p.*, p.figures_version = p.version as current
        from control.segment_partition p) s
        on s.segment = r.segment and r.span @> s.start_at
      left join control.published_partition p on p.dataset = split_part(g.dataset, '~', 1)
        and p.start_at = s.start_at
      left join control.claim c on c.dataset = g.dataset and c.start_at = s.start_at
      where r.generation = ${generation}
      order by s.start_at`,
  );
}
