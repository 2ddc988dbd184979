import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { Ledger, type Rates, rates, type ShopEvent, servedText } from '@/lib/faults/support/oracle';
import { publish } from '@/lib/services/publication';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { day, fix, line } from '@/lib/testing/shop';
import { as, World } from '@/lib/testing/world';

/** The range that the shop's release repairs, and the rate that it brings. */
export const week = { from: '2011-01-04T00:00:00Z', to: '2011-01-08T00:00:00Z', rate: '0.20' };

export interface Served {
  generation: string;
  progress: string[];
  rows: string[];
}

/**
 * The shop with its ledger: whatever is done to it, what readers see through the view can be held
 * at any moment to what the acknowledged events say.
 */
export class Scenario {
  readonly ledger = new Ledger();
  readonly w: World;
  /** By generation; what is not named here has no rows that anybody expects. */
  readonly rates = new Map<string, Rates>([
    ['order_tax-g1', rates()],
    ['vat-fix-g2', rates(week)],
  ]);

  /** Rows of each published day, as they are served for ever. */
  readonly published = new Map<string, string[]>();

  private constructor(readonly t: TestDatabase) {
    this.w = new World(t.db);
  }

  /** A line a day from the 2nd to the 8th of January 2011, applied and served with the bug. */
  static async open(
    database: Promise<TestDatabase> = testDatabase(),
    dataset: Record<string, unknown> = {},
  ): Promise<Scenario> {
    const scenario = new Scenario(await database);
    await scenario.w.shop(dataset);
    await scenario.append([2, 3, 4, 5, 6, 7, 8].map((n) => line(n)));
    await scenario.w.live();
    await scenario.expectServed();
    return scenario;
  }

  get db(): Database {
    return this.t.db;
  }

  /** Appends events that the log does not have yet, and notes them once they are acknowledged. */
  async append(events: readonly ShopEvent[]): Promise<void> {
    await this.w.append(events);
    this.ledger.note(events);
  }

  /** Appends and applies. */
  async write(events: readonly ShopEvent[]): Promise<void> {
    await this.append(events);
    await this.w.live();
  }

  /** Pointer, progress and the view's rows, of one snapshot. */
  served(db: Database = this.db): Promise<Served> {
    return transaction(
      db,
      async (tx) => {
        const active = await one<{ generation: string; progress: string[] }>(
          tx,
          sql`select g.name as generation, p.offsets as progress from control.registry r
            join control.generation g on g.id = r.active_generation
            join control.generation_progress p on p.generation = g.id
            where r.dataset = 'order_tax'`,
        );
        const found = await rows<Record<string, unknown>>(tx, sql`select * from read.order_tax`);
        return { ...active, rows: found.map(servedText).sort() };
      },
      { isolation: 'repeatable read', readOnly: true },
    );
  }

  /** What the generation in use has applied is served, each line once, and nothing else. */
  async expectServed(generation?: string): Promise<Served> {
    const served = await this.served();
    this.#compare(served);
    if (generation !== undefined) expect(served.generation).toBe(generation);
    return served;
  }

  /** Everything acknowledged is applied and served, exactly once. */
  async expectAll(generation: string): Promise<void> {
    const { progress } = await this.expectServed(generation);
    expect(progress).toEqual(this.ledger.ends);
    const log = await one<{ events: number }>(
      this.db,
      sql`select count(*)::int as events from control.source_event where source = 'orders'`,
    );
    expect(log.events).toBe(this.ledger.length);
    expect(await rows(this.db, sql`select 1 from control.quarantine`)).toEqual([]);
  }

  /**
   * Reads again and again on a connection of its own while `body` runs: every single read has to be
   * whole and right. Answers what the body does, and how many reads there were.
   */
  async watching<T>(body: () => Promise<T>): Promise<{ result: T; looks: number }> {
    const db = this.t.connect('tool', 1);
    let looks = 0;
    let over = false;
    const reader = (async () => {
      do {
        const served = await this.served(db);
        // an append is noted when its answer is there, and may be seen before
        while (!this.ledger.covers(served.progress)) await wait(1);
        this.#compare(served);
        looks += 1;
        // leaves the machine to those who are watched
        await wait(20);
      } while (!over);
    })();
    reader.catch(() => {});
    try {
      const result = await body();
      over = true;
      await reader;
      return { result, looks };
    } finally {
      over = true;
      await reader.catch(() => {});
    }
  }

  /** Publishes whole days of January 2011, half-open; what is served of them is to stay from here on. */
  async publish(from: number, to: number): Promise<void> {
    const range = { from: day(from, 0), to: day(to, 0) };
    const { sealed } = await publish(as(this.db, 'ana'), { dataset: 'order_tax', ...range });
    for (const start of sealed) {
      const made = await one<{ generation: string; progress: string[] }>(
        this.db,
        sql`select g.name as generation, p.progress from control.published_partition p
          join control.generation g on g.id = p.generation
          where p.dataset = 'order_tax' and p.start_at = ${start}::timestamptz`,
      );
      const name = start.slice(0, 10);
      this.published.set(name, this.rowsOf(name, made.generation, made.progress));
    }
  }

  /** What the events up to a watermark come to on a day, in a generation. */
  rowsOf(name: string, generation: string, progress: readonly string[]): string[] {
    const known = this.rates.get(generation);
    if (!known) throw new Error(`nobody expects ${generation} to be served`);
    return this.ledger.rowsAt(progress, known).filter((row) => dayOf(row) === name);
  }

  /** As if so much time had passed that whoever went silent has lost its leases. */
  async leasesEnd(): Promise<void> {
    const past = sql`clock_timestamp() - interval '1 second'`;
    await affected(this.db, sql`update control.step_lease set lease_until = ${past}`);
    await affected(
      this.db,
      sql`update control.run set lease_until = ${past} where state = 'running'`,
    );
    await affected(
      this.db,
      sql`update control.attempt set lease_until = ${past} where ended_at is null`,
    );
  }

  /** Pinned, built, rehearsed: up to the seal. */
  rehearsed(more: Record<string, unknown> = {}): Promise<string> {
    return this.w.rehearsed(fix(more));
  }

  /** Sealed, reconciled and signed: up to the cutover. */
  async signed(release: string): Promise<void> {
    await this.w.reconciled(release);
    await this.w.sign(release);
  }

  /** All the way to serving. */
  async activated(more: Record<string, unknown> = {}): Promise<string> {
    const release = await this.rehearsed(more);
    await this.signed(release);
    await this.w.move('dee', 'activate', release);
    return release;
  }

  #compare({ generation, progress, rows: found }: Served): void {
    const known = this.rates.get(generation);
    if (!known) throw new Error(`nobody expects ${generation} to be served`);
    const open = this.ledger
      .rowsAt(progress, known)
      .filter((row) => !this.published.has(dayOf(row)));
    expect({ generation, rows: found }).toEqual({
      generation,
      rows: [...open, ...[...this.published.values()].flat()].sort(),
    });
  }
}

/** The day of a row, in London, where nobody changes clocks in January. */
const dayOf = (row: string): string => (row.split(' ')[1] ?? '').slice(0, 10);
