import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import type { ClaimRange } from '@/lib/domain/claims';

const LISTED = 100;

/**
 * Reserved partitions of a dataset as ranges, as `claimRanges` puts them together: a release that is
 * under way holds thousands, and they are one line. The first hundred in order of time, and how many
 * there are.
 */
export async function claimRangesOf(
  db: Database | Tx,
  dataset: string,
): Promise<{ items: ClaimRange[]; count: number }> {
  const items = await rows<ClaimRange>(
    db,
    sql`${ranges(dataset)}
      select min(start_at) as "from", max(end_at) as "to", count(*)::int as partitions, owner, "by",
        min(at) as since
      from numbered group by n, owner, "by" order by 1 limit ${LISTED}`,
  );
  if (items.length < LISTED) return { items, count: items.length };
  const { count } = await one<{ count: number }>(
    db,
    sql`${ranges(dataset)} select coalesce(max(n), 0)::int as count from numbered`,
  );
  return { items, count };
}

const ranges = (dataset: string) => sql`
  with told as (
    select start_at, end_at, owner, "by", at,
      (lag(end_at) over w, lag(owner) over w, lag("by") over w)
        is distinct from (start_at, owner, "by") as begins
    from control.claim where dataset = ${dataset} window w as (order by start_at)
  ), numbered as (
    select told.*, count(*) filter (where begins) over (order by start_at) as n from told
  )`;
