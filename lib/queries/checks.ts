import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import type { Page } from '@/lib/queries/page';
import { releaseId } from '@/lib/queries/release-ref';

export interface CheckView {
  name: string;
  verdict: 'passed' | 'failed' | 'incomplete' | 'accepted';
  figure: string;
  expected: string;
  detail: unknown;
  digest: string;
  at: string;
  /** Which comparison it is of. */
  reconciliation: string;
  kind: 'rehearsal' | 'final';
}

/**
 * Checks of a release's newest finished comparison, or of its newest of one kind.
 *
 * @throws NotFound
 */
export async function checkList(
  db: Database | Tx,
  reference: string,
  kind?: 'rehearsal' | 'final',
): Promise<Page<CheckView>> {
  const id = await releaseId(db, reference);
  const items = await rows<CheckView>(
    db,
    sql`with newest as (
        select c.id, c.kind from control.reconciliation c
        where c.release = ${id} and c.verdict <> 'running'
          and (${kind ?? null}::text is null or c.kind = ${kind ?? null})
        order by c.id desc limit 1
      )
      select k.name, k.verdict, k.figure, k.expected, k.detail, k.digest, k.at,
        k.reconciliation, n.kind
      from control.check_result k join newest n on n.id = k.reconciliation
      order by k.position, k.name`,
  );
  return { items, nextCursor: null };
}
