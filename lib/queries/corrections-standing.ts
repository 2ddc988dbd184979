import { type SQL, sql } from 'drizzle-orm';

/** Figures that lie in a table's columns, as one object. `alias` and `suffix` are ours, never input. */
export function figuresSql(alias: string, suffix = ''): SQL {
  const column = (name: string) => sql.raw(`${alias}.${name}${suffix}`);
  return sql`jsonb_build_object('rows', ${column('rows')}, 'sums', ${column('sums')},
    'partials', ${column('partials')}, 'root', 'sha256:' || encode(${column('root')}, 'hex'))`;
}

/**
 * Every sealed partition of a dataset that begins in [from, to): what was published, what the figures
 * would be as of now (the last correction's, else the published ones), and what is still pending, which
 * is every note whose offset the last correction does not contain.
 *
 * Columns: start_at, end_at, publication, generation, transform, progress, published, "asOfNow",
 * corrections, pending, since.
 */
export function standingSql(
  dataset: string,
  { from, to }: { from?: string | null | undefined; to?: string | null | undefined },
): SQL {
  return sql`select p.start_at, p.end_at, p.publication, p.generation, p.transform, p.progress,
      ${figuresSql('p')} as published,
      case when l.id is null then ${figuresSql('p')} else ${figuresSql('l', '_after')} end as "asOfNow",
      n.count as corrections, q.count as pending, q.since
    from control.published_partition p
    left join lateral (select c.* from control.correction c
      where c.dataset = p.dataset and c.start_at = p.start_at order by c.id desc limit 1) l on true
    cross join lateral (select count(*)::int as count from control.correction c
      where c.dataset = p.dataset and c.start_at = p.start_at) n
    cross join lateral (select count(*)::int as count, min(q.at) as since
      from control.pending_correction q
      where q.dataset = p.dataset and q.start_at = p.start_at
        and q."offset" > coalesce((coalesce(l.progress, p.progress))[q.shard + 1], 0)) q
    where p.dataset = ${dataset}
      and (${from ?? null}::timestamptz is null or p.start_at >= ${from ?? null}::timestamptz)
      and (${to ?? null}::timestamptz is null or p.start_at < ${to ?? null}::timestamptz)`;
}
