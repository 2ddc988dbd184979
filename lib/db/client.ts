import { type SQL, sql } from 'drizzle-orm';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { readArray, writeArray } from '@/lib/db/array-literal';
import { Transactions } from '@/lib/db/begin';

/** Who connects: the role decides pool size and how long a statement or an idle lock may last. */
export type ConnectionRole = 'web' | 'runner' | 'tool';

/** A pool of connections with Drizzle over it. Instants, numerics and bigints arrive as strings. */
export type Database = PostgresJsDatabase<Record<string, never>> & {
  /** The postgres.js client under it, with the same parsers. */
  readonly $client: postgres.Sql;
  readonly url: string;
  /** Waits for running queries (5 s at most), then closes every connection. */
  close(): Promise<void>;
};

/** An open transaction: what `transaction()` hands to its function. */
export type Tx = Parameters<Parameters<Database['transaction']>[0]>[0];

interface Limits {
  readonly max: number;
  readonly lockMs: number;
  readonly statementMs: number;
  readonly idleInTransactionMs: number;
}

/**
 * A frozen process must lose its locks before its leases end, so runner and web have short limits.
 * Tools (migrations, imports, exports) run statements of any length and hold no dataset.
 */
const limits: Record<ConnectionRole, Limits> = {
  web: { max: 10, lockMs: 5_000, statementMs: 15_000, idleInTransactionMs: 10_000 },
  runner: { max: 10, lockMs: 5_000, statementMs: 30_000, idleInTransactionMs: 10_000 },
  tool: { max: 4, lockMs: 30_000, statementMs: 0, idleInTransactionMs: 0 },
};

/**
 * Makes the first message of a connection longer than the driver's buffer of 1,024 bytes, so that it
 * is written at once. A connection that the server closed in the very tick in which something was
 * written to it keeps a timer that never fires, and all that is shorter waits for it for ever: every
 * reconnection would time out. With this the next one but one succeeds.
 */
const startupPadding = '-'.repeat(1_200);

export interface ConnectOptions {
  readonly role: ConnectionRole;
  /** Connections in the pool. */
  readonly max?: number;
  /** Shown in `pg_stat_activity`; `interlock-<role>` unless given. */
  readonly applicationName?: string;
}

/**
 * Opens a pool. Nothing connects before the first query.
 *
 * Every session has the same output settings (UTC, ISO), READ COMMITTED, and the limits of its
 * role; they are sent as startup parameters, so no query can ever run without them.
 */
export function connect(url: string, options: ConnectOptions): Database {
  const { max, lockMs, statementMs, idleInTransactionMs } = limits[options.role];
  const transactions = new Transactions();
  const client = postgres(url, {
    onclose: transactions.onclose,
    max: options.max ?? max,
    connect_timeout: 10,
    idle_timeout: 60,
    max_lifetime: 1_800,
    onnotice: () => {},
    // Its query at each connection only installs the array parsers that are ours below.
    fetch_types: false,
    connection: {
      application_name: options.applicationName ?? `interlock-${options.role}`,
      'interlock.startup': startupPadding,
      TimeZone: 'UTC',
      DateStyle: 'ISO, YMD',
      IntervalStyle: 'iso_8601',
      extra_float_digits: 1,
      bytea_output: 'hex',
      default_transaction_isolation: 'read committed',
      lock_timeout: lockMs,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      // A peer that vanished without a word is noticed by the server after 10 + 9 × 2 seconds.
      tcp_keepalives_idle: 10,
      tcp_keepalives_interval: 2,
    },
  });
  transactions.install(client);
  const db = drizzle(client);
  keepExactText(client);
  return Object.assign(db, { url, close: () => client.end({ timeout: 5 }) });
}

const instantOid = 1184;

/** Array types by their OID, each with its elements' type. */
const arrayOids: Record<number, number> = {
  199: 114, // json
  1000: 16, // boolean
  1001: 17, // bytea
  1003: 19, // name
  1005: 21, // smallint
  1007: 23, // integer
  1009: 25, // text
  1015: 1043, // varchar
  1016: 20, // bigint
  1021: 700, // real
  1022: 701, // double precision
  1115: 1114, // timestamp
  1182: 1082, // date
  1185: 1184, // timestamptz
  1231: 1700, // numeric
  2951: 2950, // uuid
  3807: 3802, // jsonb
  3911: 3910, // tstzrange
};

/**
 * `drizzle(client)` makes that client give dates and times, and arrays of them, as PostgreSQL's raw
 * text. Instants become RFC 3339 here, and every array an array, its NULLs null.
 */
function keepExactText(client: postgres.Sql): void {
  const { parsers, serializers } = client.options as unknown as {
    parsers: Record<number, ((text: string) => unknown) | undefined>;
    serializers: Record<number, (value: unknown) => unknown>;
  };
  parsers[instantOid] = instantFromText;
  for (const [array, element] of Object.entries(arrayOids)) {
    const read = parsers[element] ?? ((text) => text);
    parsers[Number(array)] = (text) => readArray(text, read);
    serializers[Number(array)] = (value) => (Array.isArray(value) ? writeArray(value) : value);
  }
}

/**
 * `2011-01-04 00:00:00.5+00` → `2011-01-04T00:00:00.5Z`, every digit kept. What RFC 3339 cannot
 * say (`infinity`, years before 1 and after 9999) stays as PostgreSQL wrote it.
 */
export function instantFromText(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)\+00$/.exec(text);
  return match ? `${match[1]}T${match[2]}Z` : text;
}

/** All rows of a query, as `T`; the caller vouches for the shape. */
export async function rows<T>(tx: Database | Tx, query: SQL): Promise<T[]> {
  return Array.from(await tx.execute(query)) as T[];
}

/**
 * The only row of a query.
 *
 * @throws Error where there is none, or more than one
 */
export async function one<T>(tx: Database | Tx, query: SQL): Promise<T> {
  const found = await rows<T>(tx, query);
  if (found.length !== 1) throw new Error(`expected one row, got ${found.length}`);
  return found[0] as T;
}

/**
 * The only row of a query, or null.
 *
 * @throws Error where there is more than one
 */
export async function maybeOne<T>(tx: Database | Tx, query: SQL): Promise<T | null> {
  const found = await rows<T>(tx, query);
  if (found.length > 1) throw new Error(`expected at most one row, got ${found.length}`);
  return found[0] ?? null;
}

/** Runs a statement that returns nothing; answers how many rows it inserted, updated or deleted. */
export async function affected(tx: Database | Tx, statement: SQL): Promise<number> {
  return (await tx.execute(statement)).count;
}

/** Element types of `array()`. */
export type ArrayElement =
  | 'text'
  | 'integer'
  | 'bigint'
  | 'numeric'
  | 'boolean'
  | 'uuid'
  | 'date'
  | 'timestamptz'
  | 'jsonb';

/**
 * One bound array parameter with its cast: `where id = any(${array(ids, 'bigint')})`.
 *
 * A bare JS array in a Drizzle template is spliced into `($1, $2, …)`, which is a record, breaks on
 * the empty array, and makes a new statement for each length. Elements are given in PostgreSQL's
 * text form (jsonb: as JSON text); null is NULL.
 */
export function array(
  values: readonly (string | number | bigint | boolean | null)[],
  type: ArrayElement,
): SQL {
  return sql`${writeArray(values)}::${sql.raw(type)}[]`;
}

/**
 * One bound `jsonb` parameter. Drizzle makes the driver's JSON serializer transparent, so the value
 * is written here, once; a plain object as parameter would arrive as `[object Object]`.
 *
 * @throws TypeError for what JSON cannot say at its top (undefined, a function)
 */
export function json(value: unknown): SQL {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`not a JSON value: ${typeof value}`);
  return sql`${text}::jsonb`;
}
