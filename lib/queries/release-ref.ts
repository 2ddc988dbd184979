import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import { readReleaseRef } from '@/lib/domain/names';
import { NotFound } from '@/lib/domain/refusal';

/**
 * The id of one revision of a release.
 *
 * @throws NotFound
 */
export async function releaseId(db: Database | Tx, reference: string): Promise<string> {
  const parsed = readReleaseRef(reference);
  const found = parsed.ok
    ? await maybeOne<{ id: string }>(
        db,
        sql`select id from control.release
          where name = ${parsed.value.name} and revision = ${parsed.value.revision}`,
      )
    : null;
  if (!found) throw new NotFound('release', reference);
  return found.id;
}
