import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { didWords } from '@/lib/domain/move-words';

export interface ReleaseChange {
  actor: string;
  /** "paused vat-fix@3" */
  did: string;
  at: string;
  /** Of the release's dataset. */
  zone: string;
  reason: string | null;
}

const most = 20;

/** What was done to a release since an instant, oldest first: what a page that is older missed. */
export async function changesSince(
  db: Database | Tx,
  reference: string,
  since: string,
): Promise<ReleaseChange[]> {
  const found = await rows<Omit<ReleaseChange, 'did'> & { verb: string }>(
    db,
    sql`select e.actor, e.verb, e.at, e.reason, d.timezone as zone
      from control.audit_event e
      join control.release r on r.name || '@' || r.revision = e.subject
      join control.dataset d on d.name = r.dataset
      where e.subject = ${reference} and e.outcome = 'done' and e.at > ${since}::timestamptz
      order by e.id limit ${most}`,
  );
  return found.map(({ verb, ...change }) => ({ ...change, did: didWords(verb, reference) }));
}
