import { sql } from 'drizzle-orm';
import { type Database, one, rows } from '@/lib/db/client';
import { InterlockError, Refused } from '@/lib/domain/refusal';

/** How a call was refused: what a door would answer. */
export interface Refusal {
  status: number;
  code: string;
  /** Codes of all blockers, in their order; empty where it was no refusal with blockers. */
  codes: string[];
}

/**
 * Waits for a call to be refused.
 *
 * @throws Error where it succeeded, or whatever it threw that no door would show
 */
export async function refusalOf(promise: Promise<unknown>): Promise<Refusal> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof InterlockError)) throw error;
    const codes = error instanceof Refused ? error.blockers.map((b) => b.code) : [];
    return { status: error.status, code: error.code, codes };
  }
  throw new Error('it was not refused');
}

/** The refusal of one side of a race. */
export function refusedIn(result: PromiseSettledResult<unknown>): Promise<Refusal> {
  return refusalOf(
    result.status === 'fulfilled' ? Promise.resolve() : Promise.reject(result.reason),
  );
}

/**
 * A digest of every table of ours but the audit and the queue, by table: equal before and after a
 * call that must leave nothing behind.
 */
export async function traceOf(db: Database): Promise<Record<string, string>> {
  const tables = await rows<{ name: string }>(
    db,
    sql`select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and (n.nspname = 'control' or n.nspname like 'ds\_%' or n.nspname like 'src\_%')
        and c.relname not like 'audit\_%' and c.relname <> 'step_lease'
      order by 1`,
  );
  const trace: Record<string, string> = {};
  for (const { name } of tables) {
    const { digest } = await one<{ digest: string }>(
      db,
      sql.raw(
        `select count(*) || ' ' || md5(coalesce(string_agg(x::text, '|' order by x::text), '')) as digest from ${name} x`,
      ),
    );
    trace[name] = digest;
  }
  return trace;
}

export interface AuditLine {
  actor: string;
  verb: string;
  subject: string;
  outcome: string;
  code: string | null;
}

/** The newest audit row of a dataset's chain. */
export async function lastAudit(db: Database, dataset = 'order_tax'): Promise<AuditLine> {
  return one<AuditLine>(
    db,
    sql`select actor, verb, subject, outcome, after ->> 'code' as code from control.audit_event
      where chain = ${`dataset:${dataset}`} order by seq desc limit 1`,
  );
}
