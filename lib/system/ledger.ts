import { sql } from 'drizzle-orm';
import { type Database, one, rows } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';

// The bookkeeping that whole-system runs are checked by. It knows the events that were sent and what
// each release was to do, and reads four things: the log, pointers and progress, and what readers
// get. It shares no code with what it checks.

export interface Sent {
  eventId: string;
  id: string;
  revision: number;
  op: 'upsert' | 'delete';
  /** Day of 2011-01 that the item belongs to; null in a delete. */
  day: number | null;
  value: number | null;
}

/** What a generation makes of an item's value, by the day that the item belongs to. */
export type Factors = ReadonlyMap<number, number>;

export interface Balance {
  events: number;
  served: string;
  /** What does not balance, in words; empty where everything does. */
  faults: string[];
}

interface Logged {
  eventId: string;
  id: string;
  revision: string;
  op: string;
  shard: number;
  offset: string;
  at: string | null;
  value: string | null;
}

export class Ledger {
  /** Acknowledged events by id, as they were sent. */
  readonly #sent = new Map<string, Sent>();
  /** By generation id; days that are not in it keep their value. */
  readonly #factors = new Map<string, Factors>();

  /** What the log has acknowledged. */
  acknowledge(events: readonly Sent[]): void {
    for (const event of events) this.#sent.set(event.eventId, event);
  }

  /** A generation that multiplies values of some days, and else does what another one does. */
  generation(id: string, like: string | null, days: readonly number[], factor: number): void {
    const factors = new Map(like === null ? [] : this.#factors.get(like));
    for (const day of days) factors.set(day, factor);
    this.#factors.set(id, factors);
  }

  knows(generation: string): boolean {
    return this.#factors.has(generation);
  }

  /** Holds the log, and every generation that serves or may serve again, to what was sent. */
  async balance(db: Database): Promise<Balance> {
    return transaction(
      db,
      async (tx) => {
        const log = await rows<Logged>(
          tx,
          sql`select event_id as "eventId", key as id, revision, op, shard, "offset",
              payload ->> 'at' as at, payload ->> 'value' as value
            from control.source_event where source = 'items' order by shard, "offset"`,
        );
        const { active } = await one<{ active: string }>(
          tx,
          sql`select active_generation as active from control.registry where dataset = 'prices'`,
        );
        const kept = await rows<{ id: string; state: string; offsets: string[] }>(
          tx,
          sql`select g.id, g.state, p.offsets from control.generation g
            join control.generation_progress p on p.generation = g.id
            where g.dataset = 'prices' and g.state in ('serving', 'kept', 'hidden') order by g.id`,
        );
        const seen = await rows<{ text: string }>(
          tx,
          sql`select code || ' ' || to_char(at, 'DD') || ' ' || value as text from read.prices`,
        );
        const faults = this.#faultsOfLog(log);
        for (const { id, state, offsets } of kept) {
          // rejected and abandoned candidates are kept until they are cleared, and serve nobody
          const held = await rows<{ text: string }>(
            tx,
            sql`select x.code || ' ' || to_char(x.at, 'DD') || ' ' || x.value as text
              from control.generation_range r join ds_prices.rows x on x._segment = r.segment
                and r.span @> x._partition where r.generation = ${id}`,
          );
          const ever = await rows(
            tx,
            sql`select 1 from control.generation where id = ${id} and served_from is not null`,
          );
          if (ever.length === 0) continue;
          const name = `generation ${id} (${state})`;
          const factors = this.#factors.get(id);
          if (!factors) faults.push(`${name} is none that the ledger knows`);
          else faults.push(...differences(name, expected(log, offsets, factors), texts(held)));
          if (id === active) {
            faults.push(...differences('what readers get', texts(held), texts(seen)));
          }
        }
        if (!kept.some((g) => g.id === active && g.state === 'serving')) {
          faults.push(`the pointer names generation ${active}, which does not serve`);
        }
        return { events: log.length, served: active, faults };
      },
      { isolation: 'repeatable read', readOnly: true },
    );
  }

  #faultsOfLog(log: readonly Logged[]): string[] {
    const faults: string[] = [];
    const last = new Map<number, bigint>();
    const found = new Set<string>();
    for (const event of log) {
      const expectedOffset = (last.get(event.shard) ?? 0n) + 1n;
      if (BigInt(event.offset) !== expectedOffset) {
        faults.push(`shard ${event.shard} has ${event.offset} where ${expectedOffset} belongs`);
      }
      last.set(event.shard, BigInt(event.offset));
      if (found.has(event.eventId)) faults.push(`${event.eventId} is in the log twice`);
      found.add(event.eventId);
    }
    for (const sent of this.#sent.values()) {
      if (!found.has(sent.eventId))
        faults.push(`${sent.eventId} was acknowledged and is not there`);
    }
    return faults;
  }
}

const texts = (list: readonly { text: string }[]) => list.map((row) => row.text).sort();

/** The rows of a generation, from the events up to its progress alone. */
function expected(log: readonly Logged[], offsets: readonly string[], factors: Factors): string[] {
  const newest = new Map<string, Logged>();
  for (const event of log) {
    if (BigInt(event.offset) > BigInt(offsets[event.shard] ?? '0')) continue;
    const known = newest.get(event.id);
    if (!known || BigInt(event.revision) > BigInt(known.revision)) newest.set(event.id, event);
  }
  const made: string[] = [];
  for (const { id, op, at, value } of newest.values()) {
    if (op === 'delete' || at === null) continue;
    const day = Number(at.slice(8, 10));
    made.push(`C${id} ${at.slice(8, 10)} ${Number(value) * (factors.get(day) ?? 1)}`);
  }
  return made.sort();
}

function differences(name: string, should: readonly string[], is: readonly string[]): string[] {
  const count = (list: readonly string[]) => {
    const counted = new Map<string, number>();
    for (const text of list) counted.set(text, (counted.get(text) ?? 0) + 1);
    return counted;
  };
  const [wanted, held] = [count(should), count(is)];
  const faults: string[] = [];
  for (const [text, n] of wanted) {
    const has = held.get(text) ?? 0;
    if (has < n) faults.push(`${name} lacks ${text}`);
  }
  for (const [text, n] of held) {
    const needs = wanted.get(text) ?? 0;
    if (n > needs) faults.push(`${name} has ${text} ${n} times, where ${needs} belong`);
  }
  return faults;
}
