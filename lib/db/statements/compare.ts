import { type SQL, sql } from 'drizzle-orm';
import { array, rows, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { baseType } from '@/lib/digest/column-type';
import { columnSql, type FigureAggregate, rowHashSql } from '@/lib/digest/row-encoding-sql';
import { type Chunk, sidesSql } from './compare-sides';

export interface ChunkFigures {
  start: string;
  oldRows: string;
  controlRows: string;
  newRows: string;
  unexplained: string;
  drift: string;
  changed: string;
  driftDigest: string;
  classes: {
    class: string;
    rule: string | null;
    kind: string;
    rows: string;
    deltas: Record<string, string>;
  }[];
  columns: Record<string, { changed: string; oldNulls: string; newNulls: string }>;
  /** `known` is `new` over the rows that may have a control: all but the `uncontrolled`. */
  conserved: Record<
    string,
    {
      old: string | null;
      control: string | null;
      new: string | null;
      known: string | null;
      source: string | null;
    }
  >;
  contract: Record<string, { rows: string; bad: string }>;
  buckets: { bucket: number; changed: number; unexplained: number }[];
  samples: { class: string; key: string }[];
}

export interface CompareAggregates {
  /** Over the rows, once with the aliases `old` and once with `new`, and over facts `f`. */
  conserved: {
    name: string;
    old: FigureAggregate;
    new: FigureAggregate;
    source: FigureAggregate | null;
  }[];
  /** Predicate over `new` that is true for a bad row. */
  contract: { name: string; badSql: string }[];
}

const numericColumns = (dataset: DatasetShape) =>
  dataset.columns.filter((c) => ['integer', 'bigint', 'numeric'].includes(baseType(c.type)));

const aggregateSql = (a: FigureAggregate) =>
  `${a.fn}(${a.argSql ?? '*'})${a.filterSql ? ` filter (where ${a.filterSql})` : ''}`;

const jsonObject = (pairs: readonly [string, string][]) =>
  pairs.length === 0
    ? `'{}'::jsonb`
    : `jsonb_build_object(${pairs.map(([k, v]) => `${literal(k)}, ${v}`).join(', ')})`;

/**
 * Compares a chunk and answers its figures per partition; runs under the role that may compare.
 * Each side is grouped once: a look per partition would cost partitions × rows.
 */
export async function compareChunk(
  tx: Tx,
  dataset: DatasetShape,
  chunk: Chunk,
  aggregates: CompareAggregates,
): Promise<ChunkFigures[]> {
  const nullable = dataset.columns.filter((c) => c.nullable);
  const nulls = (alias: string) =>
    jsonObject(
      nullable.map((c) => [
        c.name,
        `(count(*) filter (where ${columnSql(alias, c.name)} is null))::text`,
      ]),
    );
  const sums = (side: 'old' | 'new') =>
    jsonObject(aggregates.conserved.map((c) => [c.name, `${aggregateSql(c[side])}::text`]));
  const perColumn = jsonObject(
    dataset.columns.map((c) => [
      c.name,
      `jsonb_build_object('changed', coalesce(d.changes ->> ${literal(c.name)}, '0'), 'oldNulls', coalesce(c.nulls ->> ${literal(c.name)}, '0'), 'newNulls', coalesce(n.nulls ->> ${literal(c.name)}, '0'))`,
    ]),
  );
  const perConserved = jsonObject(
    aggregates.conserved.map(({ name }) => [
      name,
      `jsonb_build_object('old', o.sums ->> ${literal(name)}, 'control', c.sums ->> ${literal(name)}, 'new', n.sums ->> ${literal(name)}, 'known', k.sums ->> ${literal(name)}, 'source', f.sums ->> ${literal(name)})`,
    ]),
  );
  const contract = jsonObject(
    aggregates.contract.map((c) => [
      c.name,
      `jsonb_build_object('rows', count(*)::text, 'bad', (count(*) filter (where ${c.badSql}))::text)`,
    ]),
  );
  const noContract = jsonObject(
    aggregates.contract.map((c) => [c.name, `jsonb_build_object('rows', '0', 'bad', '0')`]),
  );
  const changes = jsonObject(
    dataset.columns.map((c) => [
      c.name,
      `(count(*) filter (where ${literal(c.name)} = any(x.changed)))::text`,
    ]),
  );
  return rows<ChunkFigures>(
    tx,
    sql`with ${sidesSql(dataset, chunk)},
    by_old as (
      select old._partition, count(*) as rows, ${sql.raw(sums('old'))} as sums
      from old_rows old group by 1
    ),
    by_control as (
      select old._partition, count(*) as rows, ${sql.raw(sums('old'))} as sums, ${sql.raw(nulls('old'))} as nulls
      from control_n old group by 1
    ),
    by_new as (
      select new._partition, count(*) as rows, ${sql.raw(sums('new'))} as sums,
        ${sql.raw(nulls('new'))} as nulls, ${sql.raw(contract)} as contract
      from new_rows new group by 1
    ),
    by_known as (
      select new._partition, ${sql.raw(sums('new'))} as sums from new_rows new
      where not exists (select from uncontrolled u where u._source_key = new._source_key) group by 1
    ),
    by_facts as (${sourceSumsSql(chunk, aggregates)}),
    by_difference as (
      select x._partition,
        count(*) filter (where x.class in ('unexplained', 'control_error')) as unexplained,
        count(*) filter (where x.drifts) as drift, count(*) filter (where x.kind <> 'same') as changed,
        ${sql.raw(changes)} as changes
      from differing x group by 1
    ),
    by_class as (${classesSql(dataset)}),
    by_bucket as (
      select b._partition, jsonb_agg(jsonb_build_object('bucket', b.bucket, 'changed', b.changed,
        'unexplained', b.unexplained)) as buckets
      from (select x._partition, x.bucket, count(*) as changed,
          count(*) filter (where x.class in ('unexplained', 'control_error')) as unexplained
        from differing x group by 1, 2) b group by 1
    ),
    by_sample as (
      select s._partition, jsonb_agg(jsonb_build_object('class', s.class, 'key', s._key)) as samples
      from (select x._partition, x.class, x._key,
          row_number() over (partition by x._partition, x.class order by x._key) as n
        from differing x) s where s.n <= 5 group by 1
    ),
    by_drift as (${driftDigestSql(dataset)})
    select p.start, coalesce(o.rows, 0) as "oldRows", coalesce(c.rows, 0) as "controlRows",
      coalesce(n.rows, 0) as "newRows", coalesce(d.unexplained, 0) as unexplained,
      coalesce(d.drift, 0) as drift, coalesce(d.changed, 0) as changed,
      coalesce(t.digest, 'sha256:' || encode(sha256(''::bytea), 'hex')) as "driftDigest",
      coalesce(g.classes, '[]') as classes, ${sql.raw(perColumn)} as columns,
      ${sql.raw(perConserved)} as conserved, coalesce(n.contract, ${sql.raw(noContract)}) as contract,
      coalesce(b.buckets, '[]') as buckets, coalesce(s.samples, '[]') as samples
    from parts p
    left join by_old o on o._partition = p.start
    left join by_control c on c._partition = p.start
    left join by_new n on n._partition = p.start
    left join by_known k on k._partition = p.start
    left join by_facts f on f._partition = p.start
    left join by_difference d on d._partition = p.start
    left join by_class g on g._partition = p.start
    left join by_bucket b on b._partition = p.start
    left join by_sample s on s._partition = p.start
    left join by_drift t on t._partition = p.start
    order by p.start`,
  );
}

/** Sums over facts, by the partition that their source time falls into; none where nothing places them. */
function sourceSumsSql(chunk: Chunk, aggregates: CompareAggregates): SQL {
  const time = chunk.timeColumn === null ? null : columnSql('f', chunk.timeColumn);
  if (time === null)
    return sql`select null::timestamptz as _partition, null::jsonb as sums where false`;
  const sums = jsonObject(
    aggregates.conserved.flatMap(({ name, source }): [string, string][] =>
      source ? [[name, `${aggregateSql(source)}::text`]] : [],
    ),
  );
  return sql`
    select p.start as _partition, ${sql.raw(sums)} as sums
    from facts_n f join parts p on ${sql.raw(time)} >= p.start and ${sql.raw(time)} < p.upper
    where f._source_key <> all(${array(chunk.newQuarantine, 'text')})
      and p.name <> all(${array(chunk.newQuarantine, 'text')})
    group by 1`;
}

function classesSql(dataset: DatasetShape): SQL {
  const deltas = jsonObject(
    numericColumns(dataset).map((c) => [
      c.name,
      `sum(coalesce(${columnSql('n', c.name)}, 0)::numeric - coalesce(${columnSql('c', c.name)}, 0)::numeric)::text`,
    ]),
  );
  return sql`
    select g._partition, jsonb_agg(jsonb_build_object('class', g.class, 'rule', g.rule, 'kind', g.kind,
      'rows', g.rows::text, 'deltas', g.deltas) order by g.class, g.rule, g.kind) as classes
    from (
      select x._partition, x.class, x.rule, x.kind, count(*) as rows, ${sql.raw(deltas)} as deltas
      from differing x
      left join control_n c on c._partition = x._partition and c._key = x._key
      left join new_rows n on n._partition = x._partition and n._key = x._key
      group by 1, 2, 3, 4
    ) g group by 1`;
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Over the drifting rows' keys and both sides' hashes, so that accepted drift is that very drift. */
function driftDigestSql(dataset: DatasetShape): SQL {
  const side = (alias: string) =>
    `case when ${alias}._key is null then 'none' else encode(${rowHashSql(dataset.columns, alias)}, 'hex') end`;
  return sql`
    select x._partition, 'sha256:' || encode(sha256(convert_to(string_agg(
      x._key || chr(10) || ${sql.raw(side('o'))} || ${sql.raw(side('c'))}, chr(10)
      order by x._key collate "C"), 'UTF8')), 'hex') as digest
    from differing x
    left join old_rows o on o._partition = x._partition and o._key = x._key
    left join control_o c on c._partition = x._partition and c._key = x._key
    where x.drifts group by 1`;
}
