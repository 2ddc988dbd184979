import { sql } from 'drizzle-orm';
import { one, type Tx } from '@/lib/db/client';
import type { Corrected } from '@/lib/db/statements/correction';
import { writeNotice } from '@/lib/services/notices';
import { tellCorrected } from '@/lib/services/publication/tell-corrected';
import { type Release, referenceOf } from './load';

export interface Switched {
  kind: 'cutover' | 'rollback';
  release: Release;
  /** Ids of the generation that was in use and of the one that is now. */
  from: string;
  to: string;
  /** The epoch that ended; the next one is open. */
  epoch: number;
  barrier: readonly string[];
  /** What was written beside published figures; null where nothing was. */
  corrected: Corrected | null;
  by: string;
}

/**
 * Tells that readers are on another generation, and then of the corrections that came of it: in the
 * transaction of the switch.
 */
export async function tellSwitch(tx: Tx, switched: Switched): Promise<void> {
  const { kind, release, from, to, epoch, barrier, corrected, by } = switched;
  const { dataset, evidence } = release;
  const reference = referenceOf(release);
  const names = await one<{ from: string; to: string }>(
    tx,
    sql`select (select name from control.generation where id = ${from}) as "from",
        (select name from control.generation where id = ${to}) as "to"`,
  );
  await writeNotice(tx, {
    dataset,
    kind: kind === 'cutover' ? 'CUTOVER' : 'ROLLED_BACK',
    subject: reference,
    body: {
      release: reference,
      generations: { old: names.from, new: names.to },
      epoch: { before: epoch, after: epoch + 1 },
      range: { from: release.rangeFrom, to: release.rangeTo },
      barrier,
      evidence,
      by,
      link: kind === 'cutover' ? `/releases/${reference}/cutover` : `/releases/${reference}`,
    },
  });
  const reason = `${kind === 'cutover' ? 'Cutover' : 'Rollback'} of ${reference}`;
  await tellCorrected(tx, { dataset, kind, corrected, release: reference, reason, by });
}
