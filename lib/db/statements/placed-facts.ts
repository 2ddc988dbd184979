import { sql } from 'drizzle-orm';
import { array, type Database, rows, type Tx } from '@/lib/db/client';
import type { SourceShape } from '@/lib/db/dataset-shape';
import type { Fact } from './facts';

/**
 * facts(W) that a source column places within `[from, to)`, by key; without a column all of them,
 * since then anything may land anywhere. Read from the log, so it needs no snapshot. By the column
 * that the source names as its event time this is a look into an index; by another one every event
 * of the source is looked at.
 */
export async function factsPlacedIn(
  tx: Database | Tx,
  source: SourceShape,
  column: string | null,
  span: { from: string; to: string },
  watermark: readonly string[],
): Promise<Fact[]> {
  const within = (time: ReturnType<typeof sql>) =>
    sql`${time} >= ${span.from}::timestamptz and ${time} < ${span.to}::timestamptz`;
  const told = column === null ? null : sql`(e.payload ->> ${column})::timestamptz`;
  const event = column === source.eventTime ? sql`e.event_time` : told;
  // whatever was ever placed here may be here at W; whether it is, its newest event says
  const found = await rows<{ key: string; revision: string; payload: never }>(
    tx,
    sql`select k.key, n.revision, n.payload
      from (
        select distinct e.key from control.source_event e
        where e.source = ${source.name} and e.effective and ${event === null ? sql`true` : within(event)}
      ) k
      cross join lateral (
        select e.revision, e.op, e.payload from control.source_event e
        where e.source = ${source.name} and e.key = k.key and e.effective
          and e."offset" <= (${array(watermark, 'bigint')})[e.shard + 1]
        order by e.revision desc limit 1
      ) n
      where n.op = 'upsert' and ${
        column === null ? sql`true` : within(sql`(n.payload ->> ${column})::timestamptz`)
      }
      order by k.key collate "C"`,
  );
  return found;
}
