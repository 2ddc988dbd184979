import { sql } from 'drizzle-orm';
import { type Database, maybeOne } from '@/lib/db/client';
import {
  driftFound,
  type Found,
  quarantineFound,
  unacceptedDrift,
} from '@/lib/services/release/acceptance-rules';
import { findRelease } from '@/lib/services/release/load';

/** What an acceptance has to quote now; null where there is nothing of the kind. */
export interface ToAccept {
  drift: (Found & { notAccepted: string }) | null;
  quarantine: Found | null;
}

/**
 * Count and digest of the drift that the newest complete comparison found, and of the candidate's
 * quarantine: what `accept` compares with what it is told.
 *
 * @throws NotFound
 */
export async function toAccept(db: Database, reference: string): Promise<ToAccept> {
  const release = await findRelease(db, reference);
  const newest = await maybeOne<{ id: string }>(
    db,
    sql`select id from control.reconciliation
      where release = ${release.id} and verdict in ('passed', 'failed') order by id desc limit 1`,
  );
  const drift = newest === null ? null : await driftFound(db, newest.id, null);
  const quarantine =
    release.generation === null ? null : await quarantineFound(db, release.generation);
  return {
    drift:
      newest === null || drift === null || drift.count === '0'
        ? null
        : { ...drift, notAccepted: await unacceptedDrift(db, release, newest.id) },
    quarantine: quarantine === null || quarantine.count === '0' ? null : quarantine,
  };
}
