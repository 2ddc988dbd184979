import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';

/** Events per second that an earlier rollback replayed; `from` is that release. */
export interface MeasuredRate {
  rate: number;
  from: string;
  at: string;
}

/**
 * The rate of the newest rollback of a dataset that replayed anything, from its request to its
 * switch; null where none was measured. Nothing else is taken for it: a build is faster than a
 * replay, so its rate would promise too much.
 */
export function measuredRate(db: Database | Tx, dataset: string): Promise<MeasuredRate | null> {
  return maybeOne<MeasuredRate>(
    db,
    sql`select (b.events_to_replay
          / greatest(extract(epoch from b.ended_at - b.requested_at), 0.1))::float8 as rate,
        r.name || '@' || r.revision as "from", b.ended_at as at
      from control.rollback b join control.release r on r.id = b.release
      where b.dataset = ${dataset} and b.state = 'done' and b.events_to_replay > 0
      order by b.id desc limit 1`,
  );
}
