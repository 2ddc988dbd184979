import { sql } from 'drizzle-orm';
import { affected, type Database, rows } from '@/lib/db/client';
import { type Attempt, claimPartition, reclaimLost } from '@/lib/db/statements/attempt';
import { transaction } from '@/lib/db/transaction';
import type { Scenario } from '@/lib/faults/support/scenario';
import { fix, idOf } from '@/lib/testing/shop';

/** A release whose partitions wait to be claimed, and its workers' moves. */
export class Attempts {
  private constructor(
    readonly s: Scenario,
    readonly release: string,
    readonly id: string,
  ) {}

  /** Pinned and building, two partitions at a time, none of them claimed yet. */
  static async open(s: Scenario): Promise<Attempts> {
    const release = await s.w.draft(fix({ budget: { concurrency: 2, maxLiveLagSeconds: 3600 } }));
    await s.w.move('ana', 'pin', release);
    await s.w.work(release);
    await s.w.move('ana', 'build', release);
    return new Attempts(s, release, await idOf(s.db, release));
  }

  claim(db: Database, worker: string) {
    return transaction(db, (tx) => claimPartition(tx, this.id, worker, 30));
  }

  async mustClaim(worker: string): Promise<Attempt> {
    const claimed = await this.claim(this.s.db, worker);
    if (claimed.kind !== 'claimed') throw new Error(`nothing to claim: ${claimed.why}`);
    return claimed.attempt;
  }

  expire(attempt: Attempt) {
    return affected(
      this.s.db,
      sql`update control.attempt set lease_until = clock_timestamp() - interval '1 second'
        where token = ${attempt.token}`,
    );
  }

  reclaim(db: Database) {
    return transaction(db, (tx) => reclaimLost(tx));
  }

  partitions() {
    return rows<{ start: string; state: string; attempt: number }>(
      this.s.db,
      sql`select start_at as start, state, attempt from control.release_partition order by start_at`,
    );
  }

  receipts() {
    return rows<{ start: string; attempt: number }>(
      this.s.db,
      sql`select start_at as start, attempt from control.receipt order by start_at`,
    );
  }

  /** The candidate's rows. */
  built() {
    return rows<{ line: string; tax: string }>(
      this.s.db,
      sql`select line, tax from ds_order_tax.rows where _segment = (
        select segment from control.release where id = ${this.id}) order by line`,
    );
  }
}
