import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import { releaseId } from '@/lib/queries/release-ref';

export interface Rejection {
  by: string;
  at: string;
  comment: string | null;
}

/**
 * Who rejected a release, when and why; null where nobody did.
 *
 * @throws NotFound
 */
export async function rejectionOf(db: Database | Tx, reference: string): Promise<Rejection | null> {
  return rejectionById(db, await releaseId(db, reference));
}

/** The same by the release's id. */
export function rejectionById(db: Database | Tx, id: string): Promise<Rejection | null> {
  return maybeOne<Rejection>(
    db,
    sql`select by, at, why as comment from control.release_state
      where release = ${id} and state = 'REJECTED' order by id desc limit 1`,
  );
}

/** The rejection that a revision answers: of the revision before it, where that was rejected. */
export function answeredRejection(
  db: Database | Tx,
  id: string,
): Promise<(Rejection & { release: string }) | null> {
  return maybeOne(
    db,
    sql`select b.name || '@' || b.revision as release, s.by, s.at, s.why as comment
      from control.release r
      join control.release b on b.name = r.name and b.revision = r.revision - 1
      join control.release_state s on s.release = b.id and s.state = 'REJECTED'
      where r.id = ${id} order by s.id desc limit 1`,
  );
}

/** The newest revision after this one; null where this is the newest. */
export async function laterRevision(db: Database | Tx, id: string): Promise<string | null> {
  const found = await maybeOne<{ release: string }>(
    db,
    sql`select n.name || '@' || n.revision as release
      from control.release r join control.release n on n.name = r.name and n.revision > r.revision
      where r.id = ${id} order by n.revision desc limit 1`,
  );
  return found?.release ?? null;
}
