import { sql } from 'drizzle-orm';
import { type Database, rows } from '@/lib/db/client';
import { type DatasetShape, rowsTable } from '@/lib/db/dataset-shape';
import { columnSql } from '@/lib/digest/row-encoding-sql';

export interface PageInput {
  dataset: DatasetShape;
  generation: string;
  /** The lease that must stand when the page is read; null for a kept generation read by name. */
  lease: string | null;
  from: string | null;
  to: string | null;
  /** Partition start and key of the last row of the page before. */
  after: { start: string; key: string } | null;
  limit: number;
}

export interface PageRow {
  start: string;
  key: string;
  values: (string | null)[];
}

export interface Page {
  /** Whether the lease stood and the generation was readable when the rows were read. */
  stands: boolean;
  rows: PageRow[];
}

/**
 * One page in order of partition and key, and whether the lease stands: one statement, one
 * snapshot, so a page is never empty because its generation went away between two. Each range of
 * the map is an index scan of its own that stops at the limit.
 */
export async function readPage(db: Database, input: PageInput): Promise<Page> {
  const { dataset, after } = input;
  const time = sql.raw(columnSql('x', dataset.businessTime));
  const values = dataset.columns.map((c) => `${columnSql('x', c.name)}::text`).join(', ');
  const beyond = after
    ? sql`and (x._partition, x._key) > (${after.start}::timestamptz, ${after.key}::text collate "C")`
    : sql``;
  const found = await rows<{
    stands: boolean;
    start: string | null;
    key: string;
    values: (string | null)[];
  }>(
    db,
    sql`with standing as (
        select exists (
          select from control.generation g where g.id = ${input.generation}
            and (g.state in ('serving', 'kept') or (g.state = 'hidden' and ${input.lease}::text is not null))
        ) and (${input.lease}::text is null or exists (
          select from control.lease l where l.id = ${input.lease} and l.generation = ${input.generation}
            and l.ended_at is null and l.until > clock_timestamp())) as stands
      ), page as (
        select x.* from control.generation_range r
        cross join lateral (
          select x._partition, x._key, array[${sql.raw(values)}] as values
          from ${sql.raw(rowsTable(dataset.name))} x
          where x._segment = r.segment
            and x._partition >= coalesce(lower(r.span), '-infinity')
            and x._partition < coalesce(upper(r.span), 'infinity')
            ${
              input.from === null
                ? sql``
                : sql`and ${time} >= ${input.from}::timestamptz
              and x._partition >= coalesce((select start_at from control.calendar c
                where c.zone = ${dataset.zone} and c.unit = ${dataset.unit}
                  and c.start_at <= ${input.from}::timestamptz and c.end_at > ${input.from}::timestamptz),
                '-infinity')`
            }
            ${
              input.to === null
                ? sql``
                : sql`and ${time} < ${input.to}::timestamptz
              and x._partition < ${input.to}::timestamptz`
            }
            ${beyond}
          order by x._partition, x._key
          limit ${input.limit}
        ) x
        where r.generation = ${input.generation}
        order by x._partition, x._key
        limit ${input.limit}
      )
      select s.stands, p._partition as start, p._key as key, p.values
      from standing s left join page p on true
      order by p._partition, p._key`,
  );
  return {
    stands: found[0]?.stands ?? false,
    rows: found.flatMap(({ start, key, values }) =>
      start === null ? [] : [{ start, key, values }],
    ),
  };
}

/** How a column's text becomes its JSON value in an answer. */
export function jsonOf(type: string, text: string | null): unknown {
  if (text === null) return null;
  switch (type) {
    case 'integer':
    case 'double precision': {
      const value = Number(text);
      return Number.isFinite(value) ? value : text;
    }
    case 'boolean':
      return text === 't' || text === 'true';
    case 'jsonb':
      return JSON.parse(text);
    default:
      return text;
  }
}
