import type { Database, Tx } from '@/lib/db/client';
import type { Page } from '@/lib/queries/page';
import { releaseId } from '@/lib/queries/release-ref';
import { type SignatureView, signaturesOf } from '@/lib/queries/signatures';

/**
 * Signatures of a release in the order in which they were given, with whether they stand.
 *
 * @throws NotFound
 */
export async function approvalList(
  db: Database | Tx,
  reference: string,
): Promise<Page<SignatureView>> {
  return { items: await signaturesOf(db, await releaseId(db, reference)), nextCursor: null };
}
