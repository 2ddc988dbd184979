import { type SQL, sql } from 'drizzle-orm';
import { array, type Database, one, rows, type Tx } from '@/lib/db/client';
import { BUCKETS } from '@/lib/domain/buckets';
import { MOST_BARS } from '@/lib/domain/chart-groups';
import type { HeatPoint } from '@/lib/domain/packed-heat';

/** Rows of one class, rule and kind, with the sum of each numeric column's difference. */
export interface DiffGroup {
  class: string;
  rule: string | null;
  kind: 'added' | 'removed' | 'changed' | 'same';
  rows: string;
  /** Column → new minus control, exact text. */
  deltas: Record<string, string>;
}

export interface ColumnFigures {
  name: string;
  /** Rows in which it differs from the control. */
  changed: string;
  /** NULLs on the control side and on the new one. */
  oldNulls: string;
  newNulls: string;
}

/** One conserved sum over all compared partitions; exact text. */
export interface ConservedFigures {
  name: string;
  old: string;
  control: string;
  new: string;
  /** Null where the sum names none over the facts. */
  source: string | null;
  /** Partitions in which the sums differ. */
  differing: number;
  /** new − control, and new − source. */
  difference: string;
  sourceDifference: string | null;
}

/** One partition, or the partitions of one month of the dataset's zone: for what a chart shows. */
export interface PeriodFigures {
  /** Of its first partition. */
  start: string;
  controlRows: string;
  newRows: string;
  added: string;
  removed: string;
  /** Of the columns that may be NULL. */
  nulls: Record<string, { old: string; new: string }>;
}

export interface RunTotals {
  partitions: number;
  carried: number;
  oldRows: string;
  controlRows: string;
  newRows: string;
  changed: string;
  unexplained: string;
  drift: string;
}

/** Differences by group of neighbouring partitions and key bucket. */
export interface HeatFigures {
  /** How many partitions it is of, and how many of them share a group. */
  partitions: number;
  size: number;
  /** Buckets with rows that differ, in order of group and bucket. */
  points: HeatPoint[];
  /** Start of each group's first partition, in order. */
  starts: string[];
  /** End of the last one; null where nothing was compared. */
  end: string | null;
}

export function totalsOf(db: Database | Tx, run: string): Promise<RunTotals> {
  return one(
    db,
    sql`select count(*)::int as partitions, count(carried_from)::int as carried,
        coalesce(sum(old_rows), 0)::bigint as "oldRows",
        coalesce(sum(control_rows), 0)::bigint as "controlRows",
        coalesce(sum(new_rows), 0)::bigint as "newRows",
        coalesce(sum(changed), 0)::bigint as changed,
        coalesce(sum(unexplained), 0)::bigint as unexplained,
        coalesce(sum(drift), 0)::bigint as drift
      from control.reconciliation_partition where reconciliation = ${run}`,
  );
}

export function groupsOf(db: Database | Tx, run: string): Promise<DiffGroup[]> {
  return rows(
    db,
    sql`with listed as (
        select g ->> 'class' as class, g ->> 'rule' as rule, g ->> 'kind' as kind,
          (g ->> 'rows')::bigint as rows, g -> 'deltas' as deltas
        from control.reconciliation_partition p, jsonb_array_elements(p.classes) g
        where p.reconciliation = ${run}
      ),
      summed as (
        select class, rule, kind, d.key, sum(d.value::numeric)::text as delta
        from listed, jsonb_each_text(deltas) d where d.value is not null group by 1, 2, 3, 4
      ),
      delta as (
        select class, rule, kind, jsonb_object_agg(key, delta) as deltas from summed group by 1, 2, 3
      )
      select l.class, l.rule, l.kind, l.rows, coalesce(d.deltas, '{}') as deltas
      from (select class, rule, kind, sum(rows)::bigint as rows from listed group by 1, 2, 3) l
      left join delta d
        on d.class = l.class and d.kind = l.kind and d.rule is not distinct from l.rule
      order by l.rows desc, l.class, l.rule, l.kind`,
  );
}

/** Of the columns that are named and were compared, those that differ most first. */
export async function columnsOf(
  db: Database | Tx,
  run: string,
  names: readonly string[],
): Promise<ColumnFigures[]> {
  const sums = names.flatMap((name, i) =>
    (['changed', 'oldNulls', 'newNulls'] as const).map(
      (figure) => sql`sum((p.columns -> ${name}::text ->> ${figure}::text)::bigint)::bigint
        as ${sql.identifier(`${figure}${i}`)}`,
    ),
  );
  if (sums.length === 0) return [];
  const found = await one<Record<string, string | null>>(
    db,
    sql`select ${sql.join(sums, sql`, `)} from control.reconciliation_partition p
      where p.reconciliation = ${run}`,
  );
  return names
    .flatMap((name, i): ColumnFigures[] => {
      const changed = found[`changed${i}`];
      const oldNulls = found[`oldNulls${i}`] ?? '0';
      const newNulls = found[`newNulls${i}`] ?? '0';
      return changed == null ? [] : [{ name, changed, oldNulls, newNulls }];
    })
    .sort((a, b) => Number(BigInt(b.changed) - BigInt(a.changed)) || (a.name < b.name ? -1 : 1));
}

/** Sums that a partition has no rows for are NULL there, and count as 0. */
export function conservedOf(db: Database | Tx, run: string): Promise<ConservedFigures[]> {
  return rows(
    db,
    sql`with side as (
        select c.key as name, coalesce((c.value ->> 'old')::numeric, 0) as old,
          coalesce((c.value ->> 'control')::numeric, 0) as control,
          coalesce((c.value ->> 'new')::numeric, 0) as new,
          (c.value ->> 'source')::numeric as source
        from control.reconciliation_partition p, jsonb_each(p.conserved) c
        where p.reconciliation = ${run}
      )
      select name, sum(old)::text as old, sum(control)::text as control, sum(new)::text as new,
        sum(source)::text as source,
        (count(*) filter (where control <> new or source <> new))::int as differing,
        (sum(new) - sum(control))::text as difference,
        (sum(new) - sum(source))::text as "sourceDifference"
      from side group by name order by name`,
  );
}

/**
 * What was compared over time: each partition where a chart has room for it, else the months of the
 * dataset's zone.
 */
export function periodsOf(
  db: Database | Tx,
  run: string,
  { zone, partitions, nullable }: { zone: string; partitions: number; nullable: readonly string[] },
): Promise<PeriodFigures[]> {
  const period =
    partitions > MOST_BARS ? sql`date_trunc('month', p.start_at, ${zone}::text)` : sql`p.start_at`;
  return rows<PeriodFigures>(
    db,
    sql`select min(p.start_at) as start, sum(p.control_rows)::bigint as "controlRows",
        sum(p.new_rows)::bigint as "newRows", coalesce(sum(k.added), 0)::bigint as added,
        coalesce(sum(k.removed), 0)::bigint as removed, ${nullsSql(nullable)} as nulls
      from control.reconciliation_partition p
      cross join lateral (
        select sum((g ->> 'rows')::bigint) filter (where g ->> 'kind' = 'added') as added,
          sum((g ->> 'rows')::bigint) filter (where g ->> 'kind' = 'removed') as removed
        from jsonb_array_elements(p.classes) g
      ) k
      where p.reconciliation = ${run} group by ${period} order by 1`,
  );
}

function nullsSql(nullable: readonly string[]): SQL {
  if (nullable.length === 0) return sql`'{}'::jsonb`;
  const side = (column: string, name: 'oldNulls' | 'newNulls') =>
    sql`coalesce(sum((p.columns -> ${column}::text ->> ${name}::text)::bigint), 0)::text`;
  const each = nullable.map(
    (column) => sql`${column}::text, jsonb_build_object('old', ${side(column, 'oldNulls')},
      'new', ${side(column, 'newNulls')})`,
  );
  return sql`jsonb_build_object(${sql.join(each, sql`, `)})`;
}

/** Ends of some of the partitions that were compared, in order of time. */
export function comparedPartitions(
  db: Database | Tx,
  run: string,
  starts: readonly string[],
): Promise<{ start: string; end: string }[]> {
  if (starts.length === 0) return Promise.resolve([]);
  return rows(
    db,
    sql`select start_at as start, end_at as "end" from control.reconciliation_partition
      where reconciliation = ${run} and start_at = any(${array(starts, 'timestamptz')})
      order by start_at`,
  );
}

/** `{max(column[1]),…,max(column[64])}`: an `unnest` of half a million buckets takes ten times as long. */
const largestOf = (column: SQL): SQL =>
  sql`array[${sql.join(
    Array.from({ length: BUCKETS }, (_, i) => sql`max(${column}[${sql.raw(String(i + 1))}])`),
    sql`, `,
  )}]`;

/**
 * Buckets with differing rows, of all partitions or of those that begin in a half-open interval.
 * Neighbouring partitions share a group where there are more than `mostGroups`; a group's bucket has
 * the largest count of its partitions.
 */
export async function heatOf(
  db: Database | Tx,
  run: string,
  within: { from: string; to: string } | null = null,
  mostGroups = 1024,
): Promise<HeatFigures> {
  const { from, to } = within ?? { from: null, to: null };
  const chosen = sql`reconciliation = ${run}
    and (${from}::timestamptz is null or start_at >= ${from}::timestamptz)
    and (${to}::timestamptz is null or start_at < ${to}::timestamptz)`;
  const { partitions } = await one<{ partitions: number }>(
    db,
    sql`select count(*)::int as partitions from control.reconciliation_partition where ${chosen}`,
  );
  const size = Math.max(1, Math.ceil(partitions / mostGroups));
  const groups = await rows<{ start: string; end: string; changed: string; unexplained: string }>(
    db,
    sql`with placed as (
        select start_at, end_at, bucket_changed, unexplained,
          case when unexplained > 0 then bucket_unexplained end as odd,
          (row_number() over (order by start_at) - 1) / ${size}::int as place
        from control.reconciliation_partition where ${chosen}
      )
      select min(start_at) as start, max(end_at) as "end",
        array_to_string(${largestOf(sql`bucket_changed`)}, ',', '0') as changed,
        case when max(unexplained) > 0
          then array_to_string(${largestOf(sql`odd`)}, ',', '0') else '' end as unexplained
      from placed group by place order by place`,
  );
  const points: HeatPoint[] = [];
  groups.forEach(({ changed, unexplained }, group) => {
    const odd = unexplained === '' ? [] : unexplained.split(',');
    changed.split(',').forEach((text, bucket) => {
      const differing = Number(text);
      const strange = Number(odd[bucket] ?? 0);
      if (strange > 0) points.push([group, bucket, differing, strange]);
      else if (differing > 0) points.push([group, bucket, differing]);
    });
  });
  return {
    partitions,
    size,
    points,
    starts: groups.map(({ start }) => start),
    end: groups.at(-1)?.end ?? null,
  };
}
