import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Database, Tx } from '@/lib/db/client';
import { isCancelled, isRetryable, pgError } from '@/lib/db/pg-error';

export interface TransactionOptions {
  /** How long a statement waits for a lock, in milliseconds; the session's limit unless given. */
  readonly lockTimeoutMs?: number;
  /** How long one statement may run, in milliseconds; the session's limit unless given. */
  readonly statementTimeoutMs?: number;
  /** How often it is run again after a retryable error; 5 unless given. */
  readonly retries?: number;
  /** Run again after a cancelled statement (57014) too: for work that is cheaper the next time. */
  readonly retryCancelled?: boolean;
  /** One snapshot for all its reads. READ COMMITTED, which every write needs, unless given. */
  readonly isolation?: 'read committed' | 'repeatable read';
  readonly readOnly?: boolean;
}

/**
 * Runs `fn` in one transaction, and the whole of it again after a serialization failure, a
 * deadlock, a lock timeout or a shortage of resources: a bounded number of times, with growing,
 * jittered pauses. Errors of data, and of `fn` itself, are never retried. A lost connection is
 * not retried either: whether the commit took place must be read, not guessed.
 *
 * `fn` may run several times, so it must have no effect outside the transaction.
 */
export async function transaction<T>(
  db: Database,
  fn: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const retries = options.retries ?? 5;
  for (let attempt = 0; ; attempt++) {
    try {
      return await db.transaction(
        async (tx) => {
          await setLocalTimeouts(tx, options);
          return fn(tx);
        },
        // Every session's default is read committed, read write: no round trip to say so again.
        options.isolation || options.readOnly
          ? {
              isolationLevel: options.isolation ?? 'read committed',
              accessMode: options.readOnly ? 'read only' : 'read write',
            }
          : undefined,
      );
    } catch (error) {
      const again = isRetryable(error) || (options.retryCancelled === true && isCancelled(error));
      if (!again || attempt >= retries) throw error;
      await wait(pauseMs(error, attempt));
    }
  }
}

/** A timeout that is set within a statement does not bind that statement: hence one of its own. */
async function setLocalTimeouts(tx: Tx, options: TransactionOptions): Promise<void> {
  const settings = [
    ['lock_timeout', options.lockTimeoutMs],
    ['statement_timeout', options.statementTimeoutMs],
  ] as const;
  const calls = settings.flatMap(([name, value]) =>
    value === undefined ? [] : [sql`set_config(${name}, ${String(value)}, true)`],
  );
  if (calls.length > 0) await tx.execute(sql`select ${sql.join(calls, sql`, `)}`);
}

/** 15 to 45 ms at first, doubling up to a second; ten times that where the server is short of room. */
function pauseMs(error: unknown, attempt: number): number {
  const base = pgError(error)?.code.startsWith('53') ? 300 : 30;
  return Math.min(base * 2 ** attempt, 1_000) * (0.5 + Math.random());
}
