import type { Database, Tx } from '@/lib/db/client';
import { enqueue } from '@/lib/services/release/move';

/**
 * Asks a runner to tell what is due. Each notice asks under a key of its own: with one key for all,
 * two datasets' cutovers would wait for each other in the queue's table.
 */
export const enqueueTell = (tx: Database | Tx, why: string) =>
  enqueue(tx, 'tell', {}, `tell:${why}`);
