import { sql } from 'drizzle-orm';
import { array, rows, type Tx } from '@/lib/db/client';

/** An event as it goes into the log: checked, canonical, with its shard and content digest. */
export interface LogEvent {
  eventId: string;
  key: string;
  shard: number;
  revision: string;
  op: 'upsert' | 'delete';
  eventTime: string | null;
  payload: Record<string, unknown> | null;
  /** Over key, revision, op, time and payload, not over the event id. */
  digest: string;
}

/**
 * Locks the counter rows of the given shards, in order, until commit: so offset order is commit
 * order, and no event ever appears below one that is visible.
 */
export async function lockShards(
  tx: Tx,
  source: string,
  shards: readonly number[],
): Promise<Map<number, bigint>> {
  const locked = await rows<{ shard: number; last: string }>(
    tx,
    sql`select shard, last_offset as last from control.source_shard
      where source = ${source} and shard = any(${array(shards, 'integer')})
      order by shard for update`,
  );
  return new Map(locked.map((s) => [s.shard, BigInt(s.last)]));
}

export interface KnownEvent {
  eventId: string;
  key: string;
  revision: string;
  digest: string;
  shard: number;
  offset: string;
}

/** What the log holds already under these ids, or under these (key, revision). */
export async function knownEvents(
  tx: Tx,
  source: string,
  events: readonly LogEvent[],
): Promise<{ byId: Map<string, KnownEvent>; byRevision: Map<string, KnownEvent> }> {
  const columns = sql.raw(
    'e.event_id as "eventId", e.key, e.revision, e.digest, e.shard, e."offset"',
  );
  const byId = await rows<KnownEvent>(
    tx,
    sql`select ${columns} from control.source_event e
      where e.source = ${source} and e.event_id = any(${array(
        events.map((e) => e.eventId),
        'text',
      )})`,
  );
  const byRevision = await rows<KnownEvent>(
    tx,
    sql`select ${columns}
      from unnest(${array(
        events.map((e) => e.key),
        'text',
      )}, ${array(
        events.map((e) => e.revision),
        'bigint',
      )})
        as k (key, revision)
      join control.source_event e on e.source = ${source} and e.key = k.key and e.revision = k.revision`,
  );
  return {
    byId: new Map(byId.map((e) => [e.eventId, e])),
    byRevision: new Map(byRevision.map((e) => [`${e.revision} ${e.key}`, e])),
  };
}

/** The newest revision of each key that the log has ever seen, pruned or not. */
export async function newestRevisions(
  tx: Tx,
  source: string,
  keys: readonly string[],
): Promise<Map<string, bigint>> {
  const found = await rows<{ key: string; newest: string }>(
    tx,
    sql`select key, newest_revision as newest from control.source_key
      where source = ${source} and key = any(${array(keys, 'text')})`,
  );
  return new Map(found.map((k) => [k.key, BigInt(k.newest)]));
}

export interface PlacedEvent extends LogEvent {
  offset: bigint;
  effective: boolean;
}

/** Writes events at their offsets, moves the counters and the newest revisions with them. */
export async function writeEvents(
  tx: Tx,
  source: string,
  events: readonly PlacedEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await tx.execute(sql`
    insert into control.source_event
      (source, shard, "offset", event_id, key, revision, op, event_time, payload, digest, effective)
    select ${source}, e.* from unnest(
      ${array(
        events.map((e) => e.shard),
        'integer',
      )}, ${array(
        events.map((e) => e.offset),
        'bigint',
      )},
      ${array(
        events.map((e) => e.eventId),
        'text',
      )}, ${array(
        events.map((e) => e.key),
        'text',
      )},
      ${array(
        events.map((e) => e.revision),
        'bigint',
      )}, ${array(
        events.map((e) => e.op),
        'text',
      )},
      ${array(
        events.map((e) => e.eventTime),
        'timestamptz',
      )},
      ${array(
        events.map((e) => (e.payload === null ? null : JSON.stringify(e.payload))),
        'jsonb',
      )},
      ${array(
        events.map((e) => e.digest),
        'text',
      )}, ${array(
        events.map((e) => e.effective),
        'boolean',
      )}) as e`);

  const newest = new Map<string, PlacedEvent>();
  for (const event of events) if (event.effective) newest.set(event.key, event);
  const keys = [...newest.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  await tx.execute(sql`
    insert into control.source_key as k (source, key, shard, newest_revision, deleted)
    select ${source}, e.* from unnest(
      ${array(
        keys.map((e) => e.key),
        'text',
      )}, ${array(
        keys.map((e) => e.shard),
        'integer',
      )},
      ${array(
        keys.map((e) => e.revision),
        'bigint',
      )},
      ${array(
        keys.map((e) => e.op === 'delete'),
        'boolean',
      )}) as e
    on conflict (source, key) do update
      set newest_revision = excluded.newest_revision, deleted = excluded.deleted
      where k.newest_revision < excluded.newest_revision`);

  const last = new Map<number, bigint>();
  for (const event of events) {
    const known = last.get(event.shard);
    if (known === undefined || known < event.offset) last.set(event.shard, event.offset);
  }
  await tx.execute(sql`
    update control.source_shard s set last_offset = u.last
    from unnest(${array([...last.keys()], 'integer')}, ${array([...last.values()], 'bigint')}) as u (shard, last)
    where s.source = ${source} and s.shard = u.shard`);
  // delivered at commit, once however many batches one transaction writes
  await tx.execute(sql`select pg_notify('interlock_log', ${source})`);
}
