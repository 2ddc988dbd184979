import type { Tx } from '@/lib/db/client';
import type { Corrected } from '@/lib/db/statements/correction';
import { intervalSubject } from '@/lib/domain/notices';
import { writeNotice } from '@/lib/services/notices';

/**
 * Tells of one batch of corrections, however many partitions it is of: in the transaction that
 * writes them, once a cutover, a rollback or an amendment.
 */
export async function tellCorrected(
  tx: Tx,
  batch: {
    dataset: string;
    kind: 'amend' | 'cutover' | 'rollback';
    corrected: Corrected | null;
    /** Whose cutover or rollback it was, `name@revision`. */
    release?: string;
    reason: string;
    by: string;
  },
): Promise<void> {
  const { dataset, kind, corrected, release, reason, by } = batch;
  if (corrected === null) return;
  const { partitions, from, to } = corrected;
  const filter: Record<string, string> = release === undefined ? { from, to } : { release };
  const search = new URLSearchParams({ tab: 'history', dataset, ...filter });
  await writeNotice(tx, {
    dataset,
    kind: 'CORRECTED',
    subject: intervalSubject(from, to),
    body: {
      cause: kind,
      partitions,
      range: { from, to },
      release: release ?? null,
      reason,
      by,
      link: `/corrections?${search}`,
    },
  });
}
