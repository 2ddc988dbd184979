import { type SQL, sql } from 'drizzle-orm';

/** Figures that lie in a table's columns, as one object. `alias` and `suffix` are ours, never input. */
export function figuresSql(alias: string, suffix = ''): SQL {
  const column = (name: string) => sql.raw(`${alias}.${name}${suffix}`);
  return sql`jsonb_build_object('rows', ${column('rows')}, 'sums', ${column('sums')},
    'partials', ${column('partials')}, 'root', 'sha256:' || encode(${column('root')}, 'hex'))`;
}

interface Span {
  from?: string | null | undefined;
  to?: string | null | undefined;
}

const inSpan = (column: SQL, { from, to }: Span): SQL => sql`
  (${from ?? null}::timestamptz is null or ${column} >= ${from ?? null}::timestamptz)
  and (${to ?? null}::timestamptz is null or ${column} < ${to ?? null}::timestamptz)`;

/**
 * The same of thousands of partitions at once, for what they come to: read set by set, as columns.
 * A year of hours takes a tenth of what it takes one by one, which is how a page of them is read.
 *
 * Columns: start_at, end_at, publication; rows, sums, partials as published; now_rows, now_sums,
 * now_partials; corrections, pending, since.
 */
export function standingSetSql(dataset: string, span: Span): SQL {
  return sql`with last as (
      select distinct on (c.start_at) c.start_at, c.progress, c.rows_after, c.sums_after,
        c.partials_after, count(*) over (partition by c.start_at) as n
      from control.correction c where c.dataset = ${dataset} and ${inSpan(sql`c.start_at`, span)}
      order by c.start_at, c.id desc
    ), waiting as (
      select q.start_at, count(*) as n, min(q.at) as since
      from control.pending_correction q
      join control.published_partition p on p.dataset = q.dataset and p.start_at = q.start_at
      left join last l on l.start_at = q.start_at
      where q.dataset = ${dataset} and ${inSpan(sql`q.start_at`, span)}
        and q."offset" > coalesce((coalesce(l.progress, p.progress))[q.shard + 1], 0)
      group by q.start_at
    )
    select p.start_at, p.end_at, p.publication, p.rows, p.sums, p.partials,
      coalesce(l.rows_after, p.rows) as now_rows, coalesce(l.sums_after, p.sums) as now_sums,
      coalesce(l.partials_after, p.partials) as now_partials,
      coalesce(l.n, 0)::int as corrections, coalesce(w.n, 0)::int as pending, w.since
    from control.published_partition p
    left join last l on l.start_at = p.start_at
    left join waiting w on w.start_at = p.start_at
    where p.dataset = ${dataset} and ${inSpan(sql`p.start_at`, span)}`;
}

/**
 * Every sealed partition of a dataset that begins in [from, to): what was published, what the figures
 * would be as of now (the last correction's, else the published ones), and what is still pending, which
 * is every note whose offset the last correction does not contain.
 *
 * Columns: start_at, end_at, publication, generation, transform, progress, published, "asOfNow",
 * corrections, pending, since.
 */
export function standingSql(dataset: string, span: Span): SQL {
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
    where p.dataset = ${dataset} and ${inSpan(sql`p.start_at`, span)}`;
}
