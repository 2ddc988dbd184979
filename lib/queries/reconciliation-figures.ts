import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';

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

/** One partition, for the distributions over time. */
export interface PartitionFigures {
  start: string;
  end: string;
  controlRows: string;
  newRows: string;
  added: string;
  removed: string;
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

/** A bucket of a group of partitions with rows that differ. */
export interface HeatPoint {
  /** Number of the group of neighbouring partitions, from 0. */
  group: number;
  bucket: number;
  rows: number;
  unexplained: number;
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
      )
      select l.class, l.rule, l.kind, sum(l.rows)::bigint as rows,
        coalesce((select jsonb_object_agg(s.key, s.delta) from summed s
          where s.class = l.class and s.kind = l.kind and s.rule is not distinct from l.rule),
          '{}') as deltas
      from listed l group by l.class, l.rule, l.kind
      order by sum(l.rows) desc, l.class, l.rule, l.kind`,
  );
}

export function columnsOf(db: Database | Tx, run: string): Promise<ColumnFigures[]> {
  return rows(
    db,
    sql`select c.key as name, sum((c.value ->> 'changed')::bigint)::bigint as changed,
        sum((c.value ->> 'oldNulls')::bigint)::bigint as "oldNulls",
        sum((c.value ->> 'newNulls')::bigint)::bigint as "newNulls"
      from control.reconciliation_partition p, jsonb_each(p.columns) c
      where p.reconciliation = ${run} group by c.key
      order by sum((c.value ->> 'changed')::bigint) desc, c.key`,
  );
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

export async function partitionFiguresOf(
  db: Database | Tx,
  run: string,
  nullable: readonly string[],
): Promise<PartitionFigures[]> {
  const found = await rows<
    Omit<PartitionFigures, 'nulls'> & {
      columns: Record<string, { oldNulls: string; newNulls: string }>;
    }
  >(
    db,
    sql`select start_at as start, end_at as "end", control_rows as "controlRows",
        new_rows as "newRows", columns,
        coalesce((select sum((g ->> 'rows')::bigint) from jsonb_array_elements(classes) g
          where g ->> 'kind' = 'added'), 0)::bigint as added,
        coalesce((select sum((g ->> 'rows')::bigint) from jsonb_array_elements(classes) g
          where g ->> 'kind' = 'removed'), 0)::bigint as removed
      from control.reconciliation_partition where reconciliation = ${run} order by start_at`,
  );
  return found.map(({ columns, ...partition }) => ({
    ...partition,
    nulls: Object.fromEntries(
      nullable.map((name) => {
        const at = columns[name];
        return [name, { old: at?.oldNulls ?? '0', new: at?.newNulls ?? '0' }];
      }),
    ),
  }));
}

export interface Heat {
  /** Starts of the groups and the end of the last one: one more than there are groups. */
  edges: string[];
  /** Partitions that it is of, and how many of them share a group. */
  partitions: number;
  size: number;
  points: HeatPoint[];
}

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
): Promise<Heat> {
  const { from, to } = within ?? { from: null, to: null };
  const chosen = sql`reconciliation = ${run}
    and (${from}::timestamptz is null or start_at >= ${from}::timestamptz)
    and (${to}::timestamptz is null or start_at < ${to}::timestamptz)`;
  const { partitions } = await one<{ partitions: number }>(
    db,
    sql`select count(*)::int as partitions from control.reconciliation_partition where ${chosen}`,
  );
  const size = Math.max(1, Math.ceil(partitions / mostGroups));
  const edges = await rows<{ at: string }>(
    db,
    sql`with placed as (
        select row_number() over (order by start_at) - 1 as place, start_at, end_at
        from control.reconciliation_partition where ${chosen}
      )
      select start_at as at from placed where place % ${size}::int = 0
      union all select max(end_at) from placed having count(*) > 0
      order by at`,
  );
  const points = await rows<HeatPoint>(
    db,
    sql`with placed as (
        select (row_number() over (order by start_at) - 1) / ${size}::int as place,
          bucket_changed, bucket_unexplained
        from control.reconciliation_partition where ${chosen}
      )
      select place::int as "group", (b.n - 1)::int as bucket, max(b.changed)::int as rows,
        max(b.unexplained)::int as unexplained
      from placed, unnest(bucket_changed, bucket_unexplained) with ordinality
        as b (changed, unexplained, n)
      where b.changed > 0 or b.unexplained > 0
      group by 1, 2 order by 1, 2`,
  );
  return { edges: edges.map(({ at }) => at), partitions, size, points };
}
