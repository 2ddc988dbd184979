import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Database, rows } from '@/lib/db/client';
import { applyLive } from '@/lib/services/apply/apply-live';

/**
 * Live writing: applies the log to every dataset's generation in use, woken by appends and looking
 * by itself besides. Any number of processes may run one: the dataset's lock lets one apply at a
 * time, and the others leave it to that one.
 */
export class Applier {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #epochs = new Map<string, number>();
  #running: Promise<void> | null = null;
  #again = false;
  #stopped = false;

  constructor(db: Database, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Looks for work now; while it is at it, once more afterwards. Never rejects. */
  wake(): void {
    if (this.#stopped) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#running = this.#round()
      .catch((error: unknown) =>
        this.#log.error({ err: error }, 'applying failed; it is tried again'),
      )
      .finally(() => {
        this.#running = null;
        if (this.#again) {
          this.#again = false;
          this.wake();
        }
      });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #round(): Promise<void> {
    const due = await rows<{ dataset: string }>(
      this.#db,
      sql`select r.dataset from control.registry r
        join control.dataset d on d.name = r.dataset
        join control.generation_progress p
          on p.generation = coalesce(r.active_generation, r.loading_generation)
        -- what a drill's fork is to know, its own steps say
        where d.fork_of is null and ((r.state = 'SEALED' and r.sealed_until < clock_timestamp())
          or (r.state = 'OPEN' and (r.loading_generation is not null or exists (
            select from control.source_shard s
            where s.source = d.source and s.last_offset > p.offsets[s.shard + 1]))))
        order by r.dataset`,
    );
    for (const { dataset } of due) {
      try {
        await this.#applyAll(dataset);
      } catch (error) {
        this.#log.error({ err: error, dataset }, 'applying to a dataset failed; it is tried again');
      }
    }
  }

  /** Batch after batch, until the log's end, the seal, or somebody else's turn. */
  async #applyAll(dataset: string): Promise<void> {
    while (!this.#stopped) {
      const outcome = await applyLive(this.#db, dataset, this.#epochs.get(dataset) ?? null);
      switch (outcome.kind) {
        case 'busy':
          return;
        case 'EPOCH_SEALED':
        case 'reopened':
          // lost to a seal, a switch or a reopening: nothing was written; believe the new epoch
          this.#epochs.set(dataset, outcome.epoch);
          continue;
        case 'sealed':
          this.#epochs.set(dataset, outcome.epoch);
          return;
        case 'applied':
          this.#epochs.set(dataset, outcome.epoch);
          if (outcome.caughtUp) return;
      }
    }
  }
}
