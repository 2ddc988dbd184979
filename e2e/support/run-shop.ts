import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { connect, type Database, one } from '@/lib/db/client';
import { rowsTable } from '@/lib/db/dataset-shape';
import type { Role } from '@/lib/domain/permissions';
import type { Ctx } from '@/lib/services/context';
import { applyDataset } from '@/lib/services/dataset';
import { orders } from '@/lib/testing/world';
import { draftShop } from './draft-shop';

/** A dataset of a journey's own, of whole days, on which partitions are run again. */
export class RunShop {
  readonly #db: Database;
  readonly dataset: string;

  private constructor(db: Database, dataset: string) {
    this.#db = db;
    this.dataset = dataset;
  }

  /** Declares the dataset with two lines on each of the days, and waits until it serves. */
  static async open(url: string, name: string, days: string[]): Promise<RunShop> {
    const { dataset, close } = await draftShop(url, name, days);
    await close();
    return new RunShop(connect(url, { role: 'tool' }), dataset);
  }

  /** A day's rows are gone from what is served, as after a mishap with the disk; the log has them. */
  async loseDay(start: string): Promise<void> {
    const gone = sql`select s.segment from control.registry g
      join control.generation_range r on r.generation = g.active_generation
      join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      where g.dataset = ${this.dataset} and s.start_at = ${start}`;
    await this.#db.execute(
      sql`delete from ${sql.raw(rowsTable(this.dataset))}
        where _partition = ${start} and _segment in (${gone})`,
    );
    await this.#db.execute(
      sql`update control.segment_partition set version = version + 1
        where start_at = ${start} and segment in (${gone})`,
    );
    await this.#until('its figures say so', async () => {
      const found = await one<{ fresh: boolean }>(
        this.#db,
        sql`select bool_and(figures_version = version and rows = 0) as fresh
          from control.segment_partition where start_at = ${start} and segment in (${gone})`,
      );
      return found.fresh;
    });
  }

  /** From now on a run of more partitions needs a second person. */
  async secondPersonOver(partitions: number): Promise<void> {
    await applyDataset(this.#as('admin', 'admin'), {
      ...orders.dataset,
      name: this.dataset,
      source: this.dataset.replace(/_tax$/, '_orders'),
      policy: { ...orders.dataset.policy, runs: { secondPersonOver: partitions } },
    });
  }

  async close(): Promise<void> {
    await this.#db.close();
  }

  #as(person: string, role: Role): Ctx {
    return {
      db: this.#db,
      actor: { person, roles: [role], via: 'api', session: null },
      requestId: randomUUID(),
    };
  }

  async #until(what: string, there: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + 60_000; Date.now() < end; await wait(200)) {
      if (await there()) return;
    }
    throw new Error(`waited in vain until ${what}`);
  }
}
