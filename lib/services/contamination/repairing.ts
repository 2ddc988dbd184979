import { sql } from 'drizzle-orm';
import { maybeOne, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import { draftSpan, type Repairing } from '@/lib/domain/contamination';
import { readReleaseNameOrRef } from '@/lib/domain/names';
import { NotFound } from '@/lib/domain/refusal';
import { textSchema } from '@/lib/domain/zod-issues';

/** A release by its name; `name@revision` is read too, and means the name: a mark follows all of it. */
export const repairingSchema = textSchema(readReleaseNameOrRef, {
  description: 'name of a release; of `name@revision` the name counts',
});

interface Found extends Omit<Repairing, 'range'> {
  from: string | null;
  to: string | null;
  draftFrom: string | null;
  draftTo: string | null;
}

/**
 * The newest revision of a release. The caller holds the registry row of the dataset, so that none
 * of its releases is cut over meanwhile.
 *
 * @throws NotFound
 */
export async function newestRevision(
  tx: Tx,
  { name, revision }: { name: string; revision: number | null },
): Promise<Repairing> {
  const found = await maybeOne<Found>(
    tx,
    sql`select r.name || '@' || r.revision as reference, r.dataset, r.state,
        r.range_from as "from", r.range_to as "to",
        r.spec #>> '{range,from}' as "draftFrom", r.spec #>> '{range,to}' as "draftTo",
        r.state <> 'ROLLED_BACK'
          and exists (select from control.cutover k where k.release = r.id) as "cutOver"
      from control.release r
      where r.name = ${name} and ${ofPeople(sql`r.dataset`)}
        and (${revision}::int is null or exists (select from control.release n
          where n.name = r.name and n.revision = ${revision}))
      order by r.revision desc limit 1`,
  );
  if (!found) throw new NotFound('release', revision === null ? name : `${name}@${revision}`);
  const { from, to, draftFrom, draftTo, ...release } = found;
  return {
    ...release,
    range: from === null ? draftSpan(draftFrom, draftTo) : { from, to },
  };
}
