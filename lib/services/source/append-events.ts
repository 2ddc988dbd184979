import type { Tx } from '@/lib/db/client';
import { loadSource } from '@/lib/db/dataset-shape';
import { isConflict } from '@/lib/db/pg-error';
import {
  type KnownEvent,
  knownEvents,
  type LogEvent,
  lockShards,
  newestRevisions,
  type PlacedEvent,
  writeEvents,
} from '@/lib/db/statements/append-events';
import { transaction } from '@/lib/db/transaction';
import { digestOf, sha256Bytes } from '@/lib/digest/canonical';
import { contentOf, parseEvents } from '@/lib/domain/event';
import { type Issue, NotFound, Refused, toFix } from '@/lib/domain/refusal';
import { verb } from '@/lib/services/verb';

export interface Appended {
  /** Effective: each is the newest of its key. */
  accepted: number;
  /** The log had them already, with the same content. */
  duplicates: number;
  /** Logged, but not above their key's newest revision. */
  stale: number;
  /** The last offset of every shard that the batch has events in. */
  offsets: Record<string, string>;
}

/** The shard of a key: a hash, fixed for the life of the source. */
export function shardOf(key: string, shards: number): number {
  return sha256Bytes(key).readUInt32BE(0) % shards;
}

/**
 * Appends a batch to a source's log: all of it or nothing. The same event id, or the same key and
 * revision, with the same content is a duplicate; with other content it is EVENT_CONFLICT.
 */
export const appendEvents = verb<{ source: string; events: unknown }, Appended>(
  {
    name: 'source.append',
    subject: (input) => input.source,
    chain: async () => 'people',
    audited: false,
  },
  async (ctx, input) => {
    const source = await loadSource(ctx.db, input.source);
    if (!source) throw new NotFound('source', input.source);
    const events = parseEvents(source, { events: input.events }).map(
      (event): LogEvent => ({
        ...event,
        revision: String(event.revision),
        shard: shardOf(event.key, source.shards),
        digest: digestOf('interlock.event.v1', contentOf(event)),
      }),
    );
    const append = () =>
      transaction(ctx.db, (tx) => appendBatch(tx, source.name, events), { retries: 10 });
    try {
      return await append();
    } catch (error) {
      // The same event id went to another shard at the same time: this time it is seen.
      if (isConflict(error, 'source_event_id')) return append();
      throw error;
    }
  },
);

async function appendBatch(tx: Tx, source: string, events: readonly LogEvent[]): Promise<Appended> {
  const next = await lockShards(tx, source, [...new Set(events.map((e) => e.shard))]);
  const { byId, byRevision } = await knownEvents(tx, source, events);
  const newest = await newestRevisions(tx, source, [...new Set(events.map((e) => e.key))]);

  const answer: Appended = { accepted: 0, duplicates: 0, stale: 0, offsets: {} };
  const write: PlacedEvent[] = [];
  const conflicts: Issue[] = [];
  for (const [index, event] of events.entries()) {
    const revisionKey = `${event.revision} ${event.key}`;
    const known = byId.get(event.eventId) ?? byRevision.get(revisionKey);
    if (known) {
      if (known.digest !== event.digest) conflicts.push(conflict(index, event, known));
      else {
        answer.duplicates += 1;
        raise(answer.offsets, known.shard, BigInt(known.offset));
      }
      continue;
    }
    const offset = (next.get(event.shard) ?? 0n) + 1n;
    next.set(event.shard, offset);
    const effective = BigInt(event.revision) > (newest.get(event.key) ?? 0n);
    if (effective) newest.set(event.key, BigInt(event.revision));
    answer[effective ? 'accepted' : 'stale'] += 1;
    raise(answer.offsets, event.shard, offset);
    write.push({ ...event, offset, effective });
    const placed: KnownEvent = { ...event, offset: String(offset) };
    byId.set(event.eventId, placed);
    byRevision.set(revisionKey, placed);
  }
  if (conflicts.length > 0) throw refusal(conflicts);
  await writeEvents(tx, source, write);
  return answer;
}

function raise(offsets: Record<string, string>, shard: number, offset: bigint): void {
  if (offset > BigInt(offsets[shard] ?? '0')) offsets[shard] = String(offset);
}

function conflict(index: number, event: LogEvent, known: KnownEvent): Issue {
  const same =
    known.eventId === event.eventId
      ? `event ${event.eventId}`
      : `${event.key} revision ${event.revision}`;
  return {
    pointer: `/events/${index}`,
    code: 'EVENT_CONFLICT',
    message: `The log holds ${same} with other content, as event ${known.eventId} at offset ${known.offset} of shard ${known.shard}. Give the change a new revision.`,
  };
}

function refusal(conflicts: readonly Issue[]): Refused {
  return new Refused(
    conflicts.slice(0, 100).map((c) => toFix('EVENT_CONFLICT', c.message, { pointer: c.pointer })),
  );
}
