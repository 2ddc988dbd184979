import { sql } from 'drizzle-orm';
import type { Tx } from '@/lib/db/client';
import {
  type DatasetShape,
  rowsTable,
  type SourceShape,
  snapshotTable,
} from '@/lib/db/dataset-shape';
import { sandboxRole } from '@/lib/db/roles';
import { baseType } from '@/lib/digest/column-type';
import { ident } from '@/lib/digest/row-encoding-sql';

const declared = (columns: readonly { name: string; type: string }[]) =>
  columns.map((c) => `${ident(c.name)} ${c.type}`).join(', ');

/**
 * The typed table of a source's snapshots. Made with the source: attaching tables later would take
 * locks that stop every reader behind one idle session.
 */
export async function createSourceTables(tx: Tx, source: SourceShape): Promise<void> {
  const schema = ident(`src_${source.name}`);
  const table = snapshotTable(source.name);
  const transform = ident(await sandboxRole(tx, 'transform'));
  const compare = ident(await sandboxRole(tx, 'compare'));
  const statements = [
    `create schema ${schema}`,
    `create table ${table} (_snapshot bigint not null, _source_key text collate "C" not null,
      _revision bigint not null, ${declared(source.columns)}, primary key (_snapshot, _source_key))`,
    ...source.columns
      .filter((c) => ['timestamptz', 'date'].includes(baseType(c.type)))
      .map((c) => `create index on ${table} (_snapshot, ${ident(c.name)})`),
    `grant usage on schema ${schema} to ${transform}, ${compare}`,
    `grant select on ${table} to ${transform}, ${compare}`,
  ];
  for (const statement of statements) await tx.execute(sql.raw(statement));
}

/** The rows of a dataset, every segment in one table, and the view that readers see. */
export async function createDatasetTables(tx: Tx, dataset: DatasetShape): Promise<void> {
  const schema = ident(`ds_${dataset.name}`);
  const table = rowsTable(dataset.name);
  const transform = ident(await sandboxRole(tx, 'transform'));
  const compare = ident(await sandboxRole(tx, 'compare'));
  const list = dataset.columns.map((c) => `x.${ident(c.name)}`).join(', ');
  const name = `'${dataset.name.replaceAll("'", "''")}'`;
  const statements = [
    `create schema ${schema}`,
    `create table ${table} (_segment bigint not null, _partition timestamptz not null,
      _key text collate "C" not null, _source_key text collate "C" not null, _revision bigint not null,
      ${declared(dataset.columns)}, primary key (_segment, _partition, _key))`,
    `create index on ${table} (_segment, _source_key)`,
    `create index on ${table} (_segment, _key)`,
    `grant usage on schema ${schema} to ${transform}, ${compare}`,
    `grant insert on ${table} to ${transform}`,
    `grant select on ${table} to ${compare}`,
    // security_barrier: a reader's cheap function must not see rows of a segment that nobody serves
    `create view read.${ident(dataset.name)} with (security_barrier) as
      select ${list} from control.generation_range r
      join ${table} x on x._segment = r.segment
        and x._partition >= coalesce(lower(r.span), '-infinity')
        and x._partition < coalesce(upper(r.span), 'infinity')
      where r.generation = (select read.generation(${name}))`,
    `grant select on read.${ident(dataset.name)} to interlock_reader`,
  ];
  for (const statement of statements) await tx.execute(sql.raw(statement));
}
