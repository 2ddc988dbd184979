import { sql } from 'drizzle-orm';
import { affected, array, type Database, json, one } from '@/lib/db/client';

export interface CorrectionMade {
  dataset?: string;
  start: string;
  rows?: number;
  sums?: Record<string, string | null>;
  partials?: Record<string, string | null>;
  reason?: string;
  by?: string;
  /** Of each shard; what the last one contained unless given. */
  progress?: readonly string[];
  /** Where it begins, if not at the last correction's end: what only a fault could write. */
  before?: { rows: number };
}

/** A correction as `amend` would leave it, with figures of a test's own; answers its id. */
export async function correct(db: Database, made: CorrectionMade): Promise<string> {
  const { dataset = 'order_tax', start, reason = 'late orders', by = 'ana' } = made;
  const { id } = await one<{ id: string }>(
    db,
    sql`insert into control.correction (dataset, start_at, end_at, kind, generation, transform, progress,
        rows_before, sums_before, partials_before, root_before,
        rows_after, sums_after, partials_after, root_after, reason, "by")
      select p.dataset, p.start_at, p.end_at, 'amend', p.generation, p.transform,
        ${made.progress === undefined ? sql`coalesce(c.progress, p.progress)` : array(made.progress, 'bigint')},
        ${made.before === undefined ? sql`coalesce(c.rows_after, p.rows)` : made.before.rows},
        coalesce(c.sums_after, p.sums), coalesce(c.partials_after, p.partials),
        coalesce(c.root_after, p.root),
        ${made.rows === undefined ? sql`coalesce(c.rows_after, p.rows)` : made.rows},
        ${made.sums === undefined ? sql`coalesce(c.sums_after, p.sums)` : json(made.sums)},
        ${made.partials === undefined ? sql`coalesce(c.partials_after, p.partials)` : json(made.partials)},
        sha256(coalesce(c.root_after, p.root)), ${reason}, ${by}
      from control.published_partition p
      left join lateral (select * from control.correction c
        where c.dataset = p.dataset and c.start_at = p.start_at order by c.id desc limit 1) c on true
      where p.dataset = ${dataset} and p.start_at = ${start}::timestamptz
      returning id`,
  );
  return id;
}

/** A note as live writing leaves it where an event would have changed a sealed partition. */
export async function note(
  db: Database,
  {
    start,
    shard = 0,
    offset,
    sourceKey,
    key = sourceKey,
    values,
  }: {
    start: string;
    shard?: number;
    offset: string;
    sourceKey: string;
    key?: string | null;
    values: readonly (string | null)[] | null;
  },
): Promise<void> {
  await affected(
    db,
    sql`insert into control.pending_correction (dataset, start_at, shard, "offset", source_key, key, values)
      values ('order_tax', ${start}, ${shard}, ${offset}, ${sourceKey}, ${values === null ? null : key},
        ${values === null ? null : array(values, 'text')})`,
  );
}
