import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import { type SourceView, sourceView } from '@/lib/queries/source-view';

/** One event as the log keeps it. */
export interface LogEvent {
  shard: number;
  offset: string;
  eventId: string;
  key: string;
  revision: string;
  op: string;
  eventTime: string | null;
  receivedAt: string;
  /** False: it was not above the newest revision of its key. */
  effective: boolean;
  payload: unknown;
}

export interface SourceLog extends SourceView {
  now: string;
  newest: LogEvent[];
  /** Events of the last minute. */
  lastMinute: number;
  /** Keys that are not deleted. */
  keys: string;
}

const LISTED = 25;

/**
 * A source with the newest events of its log.
 *
 * @throws NotFound
 */
export async function sourceLog(db: Database | Tx, name: string): Promise<SourceLog> {
  const view = await sourceView(db, name);
  const head = await one<{ now: string; lastMinute: number; keys: string }>(
    db,
    sql`select clock_timestamp() as now,
        (select count(*)::int from control.source_shard s cross join lateral (
          select 1 from control.source_event e
          where e.source = s.source and e.shard = s.shard and e."offset" > s.last_offset - 5000
            and e.received_at > clock_timestamp() - interval '1 minute') w
          where s.source = ${name}) as "lastMinute",
        (select count(*) from control.source_key k where k.source = ${name} and not k.deleted) as keys`,
  );
  return { ...view, ...head, newest: await newestOf(db, name) };
}

/** The last few of each shard, put in the order in which they were received. */
function newestOf(db: Database | Tx, source: string): Promise<LogEvent[]> {
  return rows(
    db,
    sql`select e.shard, e."offset", e.event_id as "eventId", e.key, e.revision, e.op,
        e.event_time as "eventTime", e.received_at as "receivedAt", e.effective, e.payload
      from control.source_shard s
      cross join lateral (
        select * from control.source_event e
        where e.source = s.source and e.shard = s.shard
        order by e."offset" desc limit ${LISTED}
      ) e
      where s.source = ${source}
      order by e.received_at desc, e.shard, e."offset" desc limit ${LISTED}`,
  );
}
