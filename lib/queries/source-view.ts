import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { NotFound } from '@/lib/domain/refusal';
import { type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';

export interface SourceColumn {
  name: string;
  type: string;
  nullable: boolean;
}

export interface SourceShardView {
  shard: number;
  /** 0 while the shard is empty. */
  lastOffset: string;
  /** From here on every offset is there; below it only the newest event of each key that lives. */
  retainedFrom: string;
  /** Events that the log still holds. */
  size: string;
}

export interface SourceView {
  name: string;
  columns: SourceColumn[];
  key: string[];
  eventTime: string | null;
  complete: boolean;
  /** Age past which the log is pruned; null: never. */
  retentionDays: number | null;
  createdAt: string;
  createdBy: string;
  shards: SourceShardView[];
  /** Events that the log still holds, in all shards. */
  size: string;
  datasets: string[];
}

/**
 * A source with its shards.
 *
 * @throws NotFound
 */
export async function sourceView(db: Database | Tx, name: string): Promise<SourceView> {
  const source = await maybeOne<Omit<SourceView, 'shards' | 'size'>>(
    db,
    sql`select name, columns, key, event_time as "eventTime", complete,
        retention_days as "retentionDays", created_at as "createdAt", created_by as "createdBy",
        array(select d.name from control.dataset d where d.source = s.name and d.fork_of is null order by d.name) as datasets
      from control.source s where name = ${name}`,
  );
  if (!source) throw new NotFound('source', name);
  const shards = await rows<SourceShardView>(
    db,
    sql`select shard, last_offset as "lastOffset", retained_from as "retainedFrom",
        last_offset - retained_from + 1 + base_events as size
      from control.source_shard where source = ${name} order by shard`,
  );
  const size = shards.reduce((sum, shard) => sum + BigInt(shard.size), 0n);
  return { ...source, shards, size: String(size) };
}

export interface SourceItem {
  name: string;
  shards: number;
  complete: boolean;
  size: string;
  createdAt: string;
}

/** All sources by name. */
export async function sourceList(
  db: Database | Tx,
  { limit, cursor }: PageRequest,
): Promise<Page<SourceItem>> {
  const after = readCursor(cursor, [/^[a-z][a-z0-9_]*$/]);
  const found = await rows<SourceItem>(
    db,
    sql`select s.name, s.shards, s.complete, s.created_at as "createdAt",
        coalesce(sum(h.last_offset - h.retained_from + 1 + h.base_events), 0)::bigint as size
      from control.source s left join control.source_shard h on h.source = s.name
      where s.name > ${after?.[0] ?? ''}
      group by s.name order by s.name limit ${limit + 1}`,
  );
  return pageOf(found, limit, (source) => [source.name]);
}
