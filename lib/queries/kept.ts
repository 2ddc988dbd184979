import type { Database, Tx } from '@/lib/db/client';

/** Answers kept for each connection pool, newest last. */
const MOST = 48;
const kept = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Reads once what never changes once it is there, such as the figures of an ended comparison: a live
 * page asks for them every few seconds. Inside a transaction nothing is kept, since what it reads may
 * not come to be.
 *
 * @param key names what is read and everything that it depends on
 */
export function readOnce<T>(db: Database | Tx, key: string, read: () => Promise<T>): Promise<T> {
  if (!('$client' in db) || !('close' in db)) return read();
  const answers = kept.get(db) ?? new Map<string, Promise<unknown>>();
  kept.set(db, answers);
  const known = answers.get(key) as Promise<T> | undefined;
  if (known) {
    answers.delete(key);
    answers.set(key, known);
    return known;
  }
  const reading = read();
  answers.set(key, reading);
  // a failure is asked again, not kept
  reading.catch(() => answers.delete(key));
  const oldest = answers.size > MOST ? answers.keys().next().value : undefined;
  if (oldest !== undefined) answers.delete(oldest);
  return reading;
}
