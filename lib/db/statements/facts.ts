import { sql } from 'drizzle-orm';
import { array, type Database, rows, type Tx } from '@/lib/db/client';
import type { SourceShape } from '@/lib/db/dataset-shape';
import { snapshotTable } from '@/lib/db/dataset-shape';
import { columnSql, ident } from '@/lib/digest/row-encoding-sql';

/** The newest effective event of a key at a watermark; `payload` null where that is a delete. */
export interface Fact {
  key: string;
  revision: string;
  payload: Record<string, unknown> | null;
}

/**
 * facts(W) for some keys: the newest effective event per key at or below the watermark. Well
 * defined for every watermark, since what is effective was decided at the append.
 */
export async function factsOfKeys(
  tx: Database | Tx,
  source: SourceShape,
  keys: readonly string[],
  watermark: readonly string[],
): Promise<Fact[]> {
  if (keys.length === 0) return [];
  const found = await rows<{ key: string; revision: string; op: string; payload: never }>(
    tx,
    sql`select k.key, e.revision, e.op, e.payload
      from unnest(${array(keys, 'text')}) as k (key)
      cross join lateral (
        select e.revision, e.op, e.payload from control.source_event e
        where e.source = ${source.name} and e.key = k.key and e.effective
          and e."offset" <= (${array(watermark, 'bigint')})[e.shard + 1]
        order by e.revision desc limit 1
      ) e`,
  );
  return found.map((f) => ({
    key: f.key,
    revision: f.revision,
    payload: f.op === 'delete' ? null : f.payload,
  }));
}

/** The record type of a source's payload, for `jsonb_to_recordset … as f(<here>)`. */
export function recordSql(source: SourceShape): string {
  return source.columns.map((c) => `${ident(c.name)} ${c.type}`).join(', ');
}

/** Facts as the JSON that `recordSql` reads back; ours begin with an underscore, columns cannot. */
export function factsJson(facts: readonly Fact[]): unknown[] {
  return facts.map((f) => ({ ...f.payload, _source_key: f.key, _revision: f.revision }));
}

/** Writes facts(W) of every key into the source's snapshot table; answers how many. */
export async function materialiseFacts(
  tx: Tx,
  source: SourceShape,
  snapshot: string,
  watermark: readonly string[],
): Promise<string> {
  const columns = source.columns.map((c) => ident(c.name)).join(', ');
  const values = source.columns.map((c) => columnSql('r', c.name)).join(', ');
  const result = await tx.execute(sql`
    insert into ${sql.raw(snapshotTable(source.name))} (_snapshot, _source_key, _revision, ${sql.raw(columns)})
    select ${snapshot}, f.key, f.revision, ${sql.raw(values)}
    from (
      select distinct on (e.key) e.key, e.revision, e.op, e.payload
      from control.source_event e
      where e.source = ${source.name} and e.effective
        and e."offset" <= (${array(watermark, 'bigint')})[e.shard + 1]
      order by e.key, e.revision desc
    ) f
    cross join lateral jsonb_to_record(f.payload) as r (${sql.raw(recordSql(source))})
    where f.op = 'upsert'`);
  return String(result.count);
}
