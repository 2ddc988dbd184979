import { sql } from 'drizzle-orm';
import { array, rows, type Tx } from '@/lib/db/client';
import { intervalSubject } from '@/lib/domain/notices';
import { writeNotice } from '@/lib/services/notices';

export interface MarksTold {
  kind: 'CONTAMINATED' | 'CONTAMINATION_LIFTED' | 'CONTAMINATION_PUT_BACK';
  marks: readonly string[];
  by: string;
  /** `name@n` of the release whose cutover or rollback did it; null where a person did. */
  release?: string;
  /** Why a person lifted it. */
  liftedBecause?: string;
}

/** Tells of marks one by one, since each is of an interval of its own: in their transaction. */
export async function tellMarks(tx: Tx, told: MarksTold): Promise<void> {
  const { kind, by, release = null, liftedBecause = null } = told;
  if (told.marks.length === 0) return;
  const marks = await rows<{
    id: string;
    dataset: string;
    from: string;
    to: string;
    reason: string;
    servedSince: string | null;
  }>(
    tx,
    sql`select id, dataset, range_from as "from", range_to as "to", reason,
        served_since as "servedSince"
      from control.contamination where id = any(${array(told.marks, 'bigint')}) order by id`,
  );
  for (const { id, dataset, from, to, reason, servedSince } of marks) {
    await writeNotice(tx, {
      dataset,
      kind,
      subject: intervalSubject(from, to),
      body: {
        id,
        range: { from, to },
        reason,
        servedSince,
        release,
        liftedBecause,
        by,
        link: `/datasets/${dataset}#contaminated`,
      },
    });
  }
}
