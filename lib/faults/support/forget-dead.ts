import { sql } from 'drizzle-orm';
import type { Database } from '@/lib/db/client';

/**
 * The driver tells of a dead session at the next statement on its connection, once: gets that over
 * for every connection of a pool.
 *
 * @throws Error where the server does not answer
 */
export async function forgetDead(db: Database): Promise<void> {
  const each = () => db.execute(sql`select 1`);
  for (let round = 0; round < 20; round++) {
    const all = await Promise.allSettled(Array.from({ length: db.$client.options.max }, each));
    if (all.every(({ status }) => status === 'fulfilled')) return;
  }
  throw new Error('the server does not answer');
}
