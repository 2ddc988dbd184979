import { type SQL, sql } from 'drizzle-orm';
import { array, json } from '@/lib/db/client';
import { type Column, type DatasetShape, rowsTable, snapshotTable } from '@/lib/db/dataset-shape';
import { baseType } from '@/lib/digest/column-type';
import { bucketSql, columnSql } from '@/lib/digest/row-encoding-sql';
import type { MapRange } from '@/lib/domain/range-map';
import { partsSql, wholeYieldedSql } from './compare-partitions';
import { keySql, outputSql } from './evaluate';
import { type Fact, factsJson, recordSql } from './facts';

export interface Rule {
  name: string;
  /** Predicate over the relations `old` (the control row) and `new`, parsed and deparsed. */
  whereSql: string;
  columns: readonly string[];
}

/** Facts at one progress: the snapshot's, but for keys with events since, and those keys' newest. */
export interface FactsSide {
  overlayKeys: readonly string[];
  overlay: readonly Fact[];
}

/** A run of partitions that is compared in one statement, all under one old transform. */
export interface Chunk {
  partitions: readonly { start: string; end: string }[];
  oldLateral: string;
  newLateral: string;
  snapshot: string;
  /** The candidate's segment. */
  segment: string;
  /** The old generation's map over the chunk. */
  oldMap: readonly MapRange[];
  /** SQL over `f` that keeps the facts which may land here; the time bounds are `$from` and `$to`. */
  timeColumn: string | null;
  oldFacts: FactsSide;
  newFacts: FactsSide;
  /** Source keys whose control errs; no control row is made of them. */
  controlErrors: readonly string[];
  /** The same on the old generation's facts; as `controlErrors` where it is not given. */
  oldControlErrors?: readonly string[];
  /** Quarantined source keys of either generation: a class of their own, compared by nobody. */
  oldQuarantine: readonly string[];
  newQuarantine: readonly string[];
  /** Starts of sealed partitions: what they serve was published, so that it differs is no drift. */
  sealed: readonly string[];
  rules: readonly Rule[];
}

const same = (column: Column, a: string, b: string) => {
  const cast = baseType(column.type) === 'jsonb' ? '::text' : '';
  return `${columnSql(a, column.name)}${cast} is not distinct from ${columnSql(b, column.name)}${cast}`;
};

const columnsOf = (dataset: DatasetShape, alias: string) =>
  dataset.columns.map((c) => columnSql(alias, c.name)).join(', ');

export function factsSql(dataset: DatasetShape, chunk: Chunk, side: FactsSide): SQL {
  const source = dataset.source;
  const first = chunk.partitions[0]?.start ?? '';
  const last = chunk.partitions.at(-1)?.end ?? '';
  const time = chunk.timeColumn === null ? null : columnSql('f', chunk.timeColumn);
  const near =
    time === null
      ? sql`true`
      : sql`${sql.raw(time)} >= ${first}::timestamptz and ${sql.raw(time)} < ${last}::timestamptz`;
  return sql`
    select f._source_key, ${sql.raw(source.columns.map((c) => columnSql('f', c.name)).join(', '))}
    from ${sql.raw(snapshotTable(source.name))} f
    where f._snapshot = ${chunk.snapshot} and ${near}
      and f._source_key <> all(${array(side.overlayKeys, 'text')})
    union all
    select f._source_key, ${sql.raw(source.columns.map((c) => columnSql('f', c.name)).join(', '))}
    from jsonb_to_recordset(${json(factsJson(side.overlay))})
      as f (_source_key text, _revision bigint, ${sql.raw(recordSql(source))})
    where ${near}`;
}

/** Rows that a transform yields from facts, in the partition that their time falls into. */
function yieldedSql(
  dataset: DatasetShape,
  chunk: Chunk,
  facts: 'facts_o' | 'facts_n',
  lateral: string,
  without: readonly string[],
): SQL {
  if (dataset.grain === 'partition') {
    const side = facts === 'facts_o' ? chunk.oldFacts : chunk.newFacts;
    return wholeYieldedSql(dataset, chunk, factsSql(dataset, chunk, side), lateral, without);
  }
  const time = columnSql('o', dataset.businessTime);
  return sql`
    select p.start as _partition, o._key, o._source_key, ${sql.raw(columnsOf(dataset, 'o'))}
    from (
      select ${sql.raw(keySql(dataset, 'y'))} as _key, y.*
      from (
        select f._source_key, ${sql.raw(outputSql(dataset, 't'))}
        from ${sql.raw(facts)} f
        cross join lateral (${sql.raw(lateral)}) t
        where f._source_key <> all(${array(without, 'text')})
      ) y
    ) o
    join parts p on ${sql.raw(time)} >= p.start and ${sql.raw(time)} < p.upper`;
}

/** Partitions of which the control has a row that belongs elsewhere: those stand or fall as a whole. */
function misplacedSql(dataset: DatasetShape): SQL {
  if (dataset.grain !== 'partition') return sql``;
  const time = sql.raw(columnSql('c', dataset.businessTime));
  return sql`
      union
      select c._source_key from control_all c join parts p on p.start = c._partition
      where (${time} >= p.start and ${time} < p.upper) is not true`;
}

/** The old generation's rows, each range of its map for itself: so each is one look into the index. */
function oldRowsSql(dataset: DatasetShape, chunk: Chunk): SQL {
  const first = chunk.partitions[0]?.start;
  const last = chunk.partitions.at(-1)?.end;
  const at = (bound: bigint | null, open: string) =>
    bound === null
      ? sql`${open}::timestamptz`
      : sql`timestamptz 'epoch' + ${bound}::bigint * interval '1 microsecond'`;
  const ranges = chunk.oldMap.map(
    (range) => sql`
      select x._partition, x._key, x._source_key, ${sql.raw(columnsOf(dataset, 'x'))}
      from ${sql.raw(rowsTable(dataset.name))} x
      where x._segment = ${range.segment}
        and x._partition >= greatest(${first}::timestamptz, ${at(range.from, '-infinity')})
        and x._partition < least(${last}::timestamptz, ${at(range.to, 'infinity')})
        and x._source_key <> all(${array(chunk.oldQuarantine, 'text')})`,
  );
  return sql.join(ranges, sql` union all `);
}

/**
 * The sides of a comparison as CTEs: `old_rows` and `new_rows` as they stand, `control_o` and
 * `control_n` (the old transform on facts at the old and at the new generation's progress), `wanted`
 * (the new transform on the latter), and `differing`: one line per row that differs anywhere.
 * `uncontrolled` are the source keys that the old transform makes no row of that could stand: it errs,
 * or yields no key, or a key that another one wants.
 */
export function sidesSql(dataset: DatasetShape, chunk: Chunk): SQL {
  const table = sql.raw(rowsTable(dataset.name));
  const list = sql.raw(columnsOf(dataset, 'x'));
  const changed = (a: string, b: string) =>
    `array_remove(array[${dataset.columns
      .map((c) => `case when not (${same(c, a, b)}) then '${c.name}' end`)
      .join(', ')}], null)`;
  const allSame = (a: string, b: string) => dataset.columns.map((c) => same(c, a, b)).join(' and ');
  const keyColumns = `array[${dataset.key.map((k) => `'${k}'`).join(', ')}]::text[]`;
  const ruleSql = chunk.rules.map(
    (rule) => sql`when (${sql.raw(rule.whereSql)})
      and e.changed <@ ${array(rule.columns, 'text')} then ${rule.name}::text`,
  );
  return sql`
    parts as materialized (
      ${partsSql(chunk)}
    ),
    facts_o as (${factsSql(dataset, chunk, chunk.oldFacts)}),
    facts_n as (${factsSql(dataset, chunk, chunk.newFacts)}),
    control_o as materialized (${yieldedSql(dataset, chunk, 'facts_o', chunk.oldLateral, [...(chunk.oldControlErrors ?? chunk.controlErrors), ...chunk.oldQuarantine])}),
    control_all as materialized (${yieldedSql(dataset, chunk, 'facts_n', chunk.oldLateral, [...chunk.controlErrors, ...chunk.newQuarantine])}),
    uncontrolled as materialized (
      select unnest(${array(chunk.controlErrors, 'text')}) as _source_key
      union
      select c._source_key from control_all c where c._key is null
      union
      select c._source_key from control_all c join (
        select o._partition, o._key from control_all o group by 1, 2
        having count(*) > 1
      ) twice on twice._partition = c._partition and twice._key = c._key
      ${misplacedSql(dataset)}
    ),
    control_n as materialized (
      select c.* from control_all c
      where not exists (select from uncontrolled u where u._source_key = c._source_key)
    ),
    wanted as materialized (${yieldedSql(dataset, chunk, 'facts_n', chunk.newLateral, chunk.newQuarantine)}),
    old_rows as materialized (
      ${oldRowsSql(dataset, chunk)}
    ),
    new_rows as materialized (
      select x._partition, x._key, x._source_key, ${list} from ${table} x
      where x._segment = ${chunk.segment} and x._partition >= ${chunk.partitions[0]?.start}::timestamptz
        and x._partition < ${chunk.partitions.at(-1)?.end}::timestamptz
        and x._source_key <> all(${array(chunk.newQuarantine, 'text')})
    ),
    drifting as (
      select coalesce(o._partition, c._partition) as _partition, coalesce(o._key, c._key) as _key
      from old_rows o full join control_o c on c._partition = o._partition and c._key = o._key
      where (o._key is null or c._key is null or not (${sql.raw(allSame('o', 'c'))}))
        and coalesce(o._partition, c._partition) <> all(${array(chunk.sealed, 'timestamptz')})
    ),
    unfaithful as (
      select coalesce(n._partition, w._partition) as _partition, coalesce(n._key, w._key) as _key
      from new_rows n full join wanted w on w._partition = n._partition and w._key = n._key
      where n._key is null or w._key is null or not (${sql.raw(allSame('n', 'w'))})
    ),
    effect as (
      select coalesce(c._partition, n._partition) as _partition, coalesce(c._key, n._key) as _key,
        case when c._key is null then 'added' when n._key is null then 'removed' else 'changed' end as kind,
        case when c._key is null or n._key is null then ${sql.raw(keyColumns)}
          else ${sql.raw(changed('c', 'n'))} end as changed,
        exists (select from uncontrolled u where u._source_key = n._source_key) as control_error
      from control_n c full join new_rows n on n._partition = c._partition and n._key = c._key
      where c._key is null or n._key is null or not (${sql.raw(allSame('c', 'n'))})
    ),
    explained as (
      select e.*, case ${chunk.rules.length === 0 ? sql`when false then ''` : sql.join(ruleSql, sql` `)} end as rule
      from effect e
      left join control_n old on old._partition = e._partition and old._key = e._key
      left join new_rows new on new._partition = e._partition and new._key = e._key
    ),
    differing as materialized (
      select k._partition, k._key, coalesce(e.kind, 'same') as kind, coalesce(e.changed, '{}') as changed,
        e.rule, d._key is not null as drifts, u._key is not null as unfaithful,
        ${sql.raw(bucketSql('k._key'))} as bucket,
        case when u._key is not null or (e._key is not null and e.rule is null)
            then case when e.control_error then 'control_error' else 'unexplained' end
          when e._key is not null then 'explained' else 'drift' end as class
      from (select _partition, _key from explained union select _partition, _key from drifting
        union select _partition, _key from unfaithful) k
      left join explained e on e._partition = k._partition and e._key = k._key
      left join drifting d on d._partition = k._partition and d._key = k._key
      left join unfaithful u on u._partition = k._partition and u._key = k._key
    )`;
}
