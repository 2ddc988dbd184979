/** What PostgreSQL said about a failed statement. */
export interface PgError {
  /** SQLSTATE: five characters; the first two are the class. */
  readonly code: string;
  readonly message: string;
  readonly constraint: string | null;
  readonly detail: string | null;
  readonly table: string | null;
}

/**
 * Finds PostgreSQL's own error in what a query threw, or null where it is something else.
 *
 * Drizzle wraps the driver's error as `cause`; postgres.js says `constraint_name` where pg, which
 * graphile-worker uses, says `constraint`.
 */
export function pgError(error: unknown): PgError | null {
  let current = error;
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    const found = asPgError(current as Error & Record<string, unknown>);
    if (found) return found;
    current = current.cause;
  }
  return null;
}

function asPgError(error: Error & Record<string, unknown>): PgError | null {
  const { code } = error;
  // Node's own codes may have five characters too (EPERM); only the server sends a severity.
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || !error.severity) return null;
  return {
    code,
    message: error.message,
    constraint: textOrNull(error.constraint_name ?? error.constraint),
    detail: textOrNull(error.detail),
    table: textOrNull(error.table_name ?? error.table),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * True where the data of a row is at fault: classes 22 (data exception) and 23 (constraint), and
 * the codes that our own functions raise, `IL…`. Only these may be blamed on a row; anything else
 * (a timeout, a lost connection, a full disk) says nothing about it.
 */
export function isDataError(error: unknown): boolean {
  const code = pgError(error)?.code;
  return code !== undefined && /^(22|23|IL)/.test(code);
}

/** True for a unique or exclusion violation, of the named constraint where one is given. */
export function isConflict(error: unknown, constraint?: string): boolean {
  const found = pgError(error);
  if (found?.code !== '23505' && found?.code !== '23P01') return false;
  return constraint === undefined || found.constraint === constraint;
}

/** True where the statement was cancelled: its timeout passed, or somebody cancelled it. */
export function isCancelled(error: unknown): boolean {
  return pgError(error)?.code === '57014';
}

/**
 * True where the same transaction may well succeed if run again: serialization failure (40001),
 * deadlock (40P01), lock not available (55P03), insufficient resources (53xxx). A cancelled
 * statement (57014) is not among them: most often it would only time out again.
 */
export function isRetryable(error: unknown): boolean {
  const code = pgError(error)?.code;
  return code !== undefined && /^(40001|40P01|55P03|53...)$/.test(code);
}
