import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { differences, type Factors, type Logged, type Look, made, standing } from './facts';
import { PublishedBook } from './published-book';
import { RunBook } from './run-book';

// The bookkeeping that whole-system runs are checked by. It knows the events that were sent and what
// each release was to do, and reads the log, pointers and progress, what readers get, and what was
// written down about published partitions and runs. It shares no code with what it checks.

export interface Sent {
  eventId: string;
  id: string;
  revision: number;
  op: 'upsert' | 'delete';
  /** Day that the item belongs to, counted from the 1st of January 2011; null in a delete. */
  day: number | null;
  value: number | null;
}

export interface Balance {
  events: number;
  served: string;
  /** What does not balance, in words; empty where everything does. */
  faults: string[];
}

export class Ledger {
  /** Acknowledged events by id, as they were sent. */
  readonly #sent = new Map<string, Sent>();
  /** By generation id; days that are not in it keep their value. */
  readonly #factors = new Map<string, Factors>();
  readonly published = new PublishedBook();
  readonly runs = new RunBook();
  #look: Look | null = null;

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
        const { active, progress } = await one<{ active: string; progress: string[] }>(
          tx,
          sql`select r.active_generation as active, p.offsets as progress from control.registry r
            join control.generation_progress p on p.generation = r.active_generation
            where r.dataset = 'prices'`,
        );
        const look: Look = { log, active, progress, factorsOf: (id) => this.#factors.get(id) };
        this.#look = look;
        const published = await this.published.balance(tx, look);
        const faults = [
          ...this.#faultsOfLog(log),
          ...published,
          ...(await this.#faultsOfGenerations(tx, look)),
          ...(await this.runs.balance(tx, look, new Set(this.published.rows.keys()))),
        ];
        return { events: log.length, served: active, faults };
      },
      { isolation: 'repeatable read', readOnly: true },
    );
  }

  /** Published days of which the newest record is not what the facts made of them at the last look. */
  unsettled(): string[] {
    if (this.#look === null) throw new Error('nobody has looked yet');
    return this.published.unsettled(this.#look);
  }

  /** Open days follow the facts in whatever is kept; sealed ones serve what was published. */
  async #faultsOfGenerations(tx: Tx, { log, active, factorsOf }: Look): Promise<string[]> {
    const faults: string[] = [];
    const kept = await rows<{ id: string; state: string; offsets: string[] }>(
      tx,
      sql`select g.id, g.state, p.offsets from control.generation g
        join control.generation_progress p on p.generation = g.id
        where g.dataset = 'prices' and g.state in ('serving', 'kept', 'hidden')
          -- rejected and abandoned candidates are kept until they are cleared, and serve nobody
          and g.served_from is not null order by g.id`,
    );
    const seen = await rows<{ text: string }>(
      tx,
      sql`select code || ' ' || to_char(at, 'MM-DD') || ' ' || value as text from read.prices`,
    );
    for (const { id, state, offsets } of kept) {
      const held = texts(
        await rows<{ text: string }>(
          tx,
          sql`select x.code || ' ' || to_char(x.at, 'MM-DD') || ' ' || x.value as text
            from control.generation_range r join ds_prices.rows x on x._segment = r.segment
              and r.span @> x._partition where r.generation = ${id}`,
        ),
      );
      const name = `generation ${id} (${state})`;
      const factors = factorsOf(id);
      if (!factors) {
        faults.push(`${name} is none that the ledger knows`);
        continue;
      }
      const sealed = this.published.rows;
      const isOpen = (text: string) => !sealed.has(text.split(' ')[1] ?? '');
      const should = [...made(standing(log, offsets), factors).values()].flat().filter(isOpen);
      faults.push(...differences(name, should, held.filter(isOpen)));
      if (id !== active) continue;
      const whole = [...should, ...[...sealed.values()].flat()];
      faults.push(...differences('what readers get', whole, texts(seen)));
    }
    if (!kept.some((g) => g.id === active && g.state === 'serving')) {
      faults.push(`the pointer names generation ${active}, which does not serve`);
    }
    return faults;
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

const texts = (list: readonly { text: string }[]) => list.map((row) => row.text);
