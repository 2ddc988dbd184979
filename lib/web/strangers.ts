import { sql } from 'drizzle-orm';
import { affected, type Database } from '@/lib/db/client';

const pending = new Map<string, number>();
let flushing: Promise<void> | null = null;

/**
 * Counts a call by somebody whom we do not know, per minute and door; such calls never make a row
 * each. At most one statement is under way in a process, and what comes meanwhile goes into the
 * next, so a flood costs one connection.
 */
export async function countStranger(db: Database, door: string): Promise<void> {
  pending.set(door, (pending.get(door) ?? 0) + 1);
  while (pending.size > 0) {
    flushing ??= flush(db).finally(() => {
      flushing = null;
    });
    await flushing;
  }
}

async function flush(db: Database): Promise<void> {
  for (const [door, count] of [...pending]) {
    pending.delete(door);
    await affected(
      db,
      sql`insert into control.stranger_call as c (window_start, door, count)
        values (date_trunc('minute', clock_timestamp()), ${door}, ${count})
        on conflict (window_start, door) do update set count = c.count + excluded.count`,
    );
  }
}
