import type postgres from 'postgres';

/** The driver's connection object, as far as a transaction has to know it. */
interface Connection {
  readonly id: number;
}

type Query = ReturnType<postgres.TransactionSql['unsafe']>;
type Body<T> = (scope: Scope) => Promise<T>;

/**
 * Transactions of a pool that end with their connection.
 *
 * The driver's own `begin` keeps sending a transaction's statements to its connection object after
 * the server has ended the session (for idling in a transaction, by an administrator, by a restart).
 * By then the object has no socket, which ends the whole process; or the pool has connected it
 * again, and the dead transaction's writes land on their own, or in the middle of another one
 * (porsager/postgres issues 1154, 1208 and 1216). Here, from the moment that a connection is lost,
 * nothing of its transaction is sent any more: not even its rollback, which the server has done.
 */
export class Transactions {
  readonly #open = new Map<number, Hold>();

  /** The pool's `onclose`: called in the very step that takes the socket away. */
  readonly onclose = (id: number): void => this.#open.get(id)?.lose();

  /** Replaces the pool's `begin`. */
  install(client: postgres.Sql): void {
    const begin = client.begin.bind(client) as (
      options: string,
      fn: (sql: postgres.TransactionSql) => Promise<unknown>,
    ) => Promise<unknown>;
    Object.assign(client, {
      begin: (options: unknown, fn?: Body<unknown>) =>
        typeof options === 'string' && fn
          ? begin(options, (sql) => this.#run(sql, fn))
          : begin('', (sql) => this.#run(sql, options as Body<unknown>)),
    });
  }

  async #run<T>(sql: postgres.TransactionSql, fn: Body<T>): Promise<T> {
    const hold = new Hold();
    let known: Connection | null = null;
    const onexecute = (connection: Connection) => {
      known = connection;
      this.#open.set(connection.id, hold);
      return true;
    };
    // no statement at all, sent ahead of the first one: it only says which connection this is
    sql.unsafe('', [], { onexecute } as postgres.UnsafeQueryOptions).catch(() => {});
    try {
      return await hold.unlessLost(fn(new Scope(sql, hold)));
    } finally {
      const connection = known as Connection | null;
      if (connection !== null) this.#open.delete(connection.id);
    }
  }
}

/** One connection for the time of one transaction. */
class Hold {
  readonly ended: Promise<never>;
  #end: (error: Error) => void = () => {};
  lost: Error | null = null;

  constructor() {
    this.ended = new Promise((_, reject) => {
      this.#end = reject;
    });
    this.ended.catch(() => {});
  }

  lose(): void {
    this.lost ??= Object.assign(new Error('the connection was lost within a transaction'), {
      code: 'CONNECTION_CLOSED',
    });
    this.#end(this.lost);
  }

  /**
   * What a body comes to, for the driver to commit or to roll back. Of a lost connection it never
   * hears again: it would send one of the two. Whoever waits for the transaction was told already.
   */
  async unlessLost<T>(body: Promise<T>): Promise<T> {
    const settled = await body.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (this.lost) return new Promise(() => {});
    if ('error' in settled) throw settled.error;
    return settled.value;
  }
}

/** What Drizzle calls a client within a transaction: statements, and savepoints for nested ones. */
class Scope {
  readonly #sql: postgres.TransactionSql;
  readonly #hold: Hold;

  constructor(sql: postgres.TransactionSql, hold: Hold) {
    this.#sql = sql;
    this.#hold = hold;
  }

  unsafe(query: string, params?: unknown[], options?: postgres.UnsafeQueryOptions): Query {
    if (this.#hold.lost) return refused(this.#hold.lost);
    return this.#sql.unsafe(query, params as never[], options);
  }

  async savepoint<T>(fn: Body<T>): Promise<T> {
    if (this.#hold.lost) throw this.#hold.lost;
    const body = (sql: postgres.TransactionSql) =>
      this.#hold.unlessLost(fn(new Scope(sql, this.#hold)));
    return (await Promise.race([this.#sql.savepoint(body), this.#hold.ended])) as T;
  }
}

function refused(error: Error): Query {
  const rejected = Promise.reject(error);
  rejected.catch(() => {});
  return Object.assign(rejected, { values: () => rejected }) as unknown as Query;
}
