import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { connect, type Database, rows } from '@/lib/db/client';

export interface RaceOptions {
  /**
   * Which transaction of `first` is held just before its commit, counted from 1; it matters only
   * for what runs several.
   */
  readonly holdAt?: number;
  /**
   * What must be seen of `second` while `first` holds its locks: that it waits for them, or that it
   * ends without waiting (`skip locked`). `blocked` unless given.
   */
  readonly expect?: 'blocked' | 'passed';
  /** The longest that any step may take before the race fails, in milliseconds. */
  readonly deadlineMs?: number;
}

export interface RaceOutcome<A, B> {
  readonly first: PromiseSettledResult<A>;
  readonly second: PromiseSettledResult<B>;
}

/**
 * A race of two connections with a known order. `first` runs until just before its commit and is
 * held there with all its locks; then `second` starts, and is seen waiting for `first` in
 * PostgreSQL's own lock table; only then does `first` commit. Nothing depends on time: what is not
 * seen before the deadline fails the race.
 *
 * ```ts
 * const { first, second } = await race(t.url,
 *   (db) => seal(contextOn(db), input),
 *   (db) => seal(contextOn(db), input));
 * ```
 *
 * @throws Error where `first` ends without reaching the commit, or `second` does not do as expected
 */
export async function race<A, B>(
  url: string,
  first: (db: Database) => Promise<A>,
  second: (db: Database) => Promise<B>,
  options: RaceOptions = {},
): Promise<RaceOutcome<A, B>> {
  const { holdAt = 1, expect = 'blocked', deadlineMs = 10_000 } = options;
  const id = randomBytes(4).toString('hex');
  const names = { first: `race-first-${id}`, second: `race-second-${id}` };
  const firstDb = connect(url, { role: 'tool', applicationName: names.first });
  const secondDb = connect(url, { role: 'tool', applicationName: names.second });
  const watcher = connect(url, { role: 'tool', max: 1 });
  const hold = holdBeforeCommit(firstDb, holdAt);
  let running: Promise<unknown>[] = [];
  try {
    const firstRun = settle(first(firstDb));
    running = [firstRun];
    const reached = await within(deadlineMs, 'first does not come to its commit', [
      hold.reached.then(() => 'held' as const),
      firstRun,
    ]);
    if (reached !== 'held') throw new Error(`first ended before its commit: ${tell(reached)}`);

    const secondRun = settle(second(secondDb));
    running.push(secondRun);
    const stop = new AbortController();
    const seen = await within(deadlineMs, 'second neither waits for first nor ends', [
      untilBlocked(watcher, names, stop.signal).then(() => 'blocked' as const),
      secondRun,
    ]).finally(() => stop.abort());
    if (expect === 'blocked' && seen !== 'blocked') {
      throw new Error(`second ended without waiting for first: ${tell(seen)}`);
    }
    if (expect === 'passed' && seen === 'blocked') throw new Error('second waits for first');

    hold.release();
    return {
      first: await within(deadlineMs, 'first does not end', [firstRun]),
      second: await within(deadlineMs, 'second does not end', [secondRun]),
    };
  } finally {
    hold.release();
    await Promise.race([Promise.all(running), wait(deadlineMs)]);
    await Promise.all([firstDb, secondDb, watcher].map((db) => db.close()));
  }
}

/** Makes a database stop in its n-th transaction, after its function and before the commit. */
function holdBeforeCommit(db: Database, holdAt: number) {
  const reached = deferred();
  const released = deferred();
  const begin = db.transaction.bind(db);
  let count = 0;
  const held: Database['transaction'] = (fn, config) => {
    count += 1;
    if (count !== holdAt) return begin(fn, config);
    return begin(async (tx) => {
      const result = await fn(tx);
      reached.resolve();
      await released.promise;
      return result;
    }, config);
  };
  Object.assign(db, { transaction: held });
  return { reached: reached.promise, release: released.resolve };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Waits until a connection of `second` waits for one of `first`, as PostgreSQL sees it. */
async function untilBlocked(
  watcher: Database,
  names: { first: string; second: string },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const blocked = await rows(
      watcher,
      sql`
        select waiting.pid
        from pg_stat_activity waiting
        join pg_stat_activity holding on holding.pid = any(pg_blocking_pids(waiting.pid))
        where waiting.application_name = ${names.second}
          and holding.application_name = ${names.first}`,
    );
    if (blocked.length > 0) return;
    await wait(5);
  }
}

function settle<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  return promise.then(
    (value) => ({ status: 'fulfilled', value }) as const,
    (reason) => ({ status: 'rejected', reason }) as const,
  );
}

async function within<P extends Promise<unknown>>(
  ms: number,
  failure: string,
  promises: P[],
): Promise<Awaited<P>> {
  const stop = new AbortController();
  const late = wait(ms, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`race: ${failure} within ${ms} ms`);
  });
  try {
    return await Promise.race([...promises, late]);
  } finally {
    stop.abort();
    late.catch(() => {});
  }
}

function tell(result: PromiseSettledResult<unknown>): string {
  return result.status === 'fulfilled'
    ? `it returned ${JSON.stringify(result.value)}`
    : `it threw ${String(result.reason)}`;
}
