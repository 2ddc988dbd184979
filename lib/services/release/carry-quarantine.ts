import { sql } from 'drizzle-orm';
import { array, rows, type Tx } from '@/lib/db/client';
import { loadDataset, rowsTable } from '@/lib/db/dataset-shape';
import { standingRows } from '@/lib/db/statements/rows';
import { microsOf } from '@/lib/domain/instant';
import { locate, type MapRange } from '@/lib/domain/range-map';
import { settle } from '@/lib/domain/settle';
import { partitionOfKey } from '@/lib/domain/settle-partition';
import { evaluateKeys } from '@/lib/services/apply/evaluate-keys';
import type { Release } from './load';

/**
 * At the cutover: what the old generation could not turn into a row and the new one inherits as it
 * stands. That are keys in quarantine there of which the candidate has neither a row nor an entry,
 * and of which the new map does not say that no row is wanted: a key that erred under the old
 * transform and that the new one filters is not in quarantine any more. If its last good row is
 * inherited it is carried all the same, until the first batch takes that row away: a cutover writes
 * no rows.
 */
export async function carryQuarantine(
  tx: Tx,
  release: Release,
  map: readonly MapRange[],
): Promise<void> {
  const dataset = await loadDataset(tx, release.dataset);
  if (!dataset) throw new Error(`there is no dataset ${release.dataset}`);
  const left = await rows<{ key: string; code: string }>(
    tx,
    sql`select q.source_key as key, q.code from control.quarantine q
      where q.generation = ${release.oldGeneration}
        and not exists (select from control.quarantine n
          where n.generation = ${release.generation} and n.source_key = q.source_key)
        and not exists (select from ${sql.raw(rowsTable(dataset.name))} x
          where x._segment = ${release.segment} and x._source_key = q.source_key)`,
  );
  if (left.length === 0) return;
  if (dataset.grain === 'partition') {
    const carried = left.filter(({ key }) => isInherited(key, release, map));
    return copyEntries(tx, release, carried);
  }
  const keys = left.map(({ key }) => key);
  const settled = settle(map, await evaluateKeys(tx, dataset, map, keys, release.barrier ?? []));
  const stays = new Set(settled.quarantine.map((entry) => entry.sourceKey));
  const unwanted = new Set(settled.gone);
  const inherited = await standingRows(
    tx,
    dataset,
    release.generation as string,
    '_source_key',
    keys,
  );
  const standing = new Set(inherited.map((row) => row.sourceKey));
  // a rival may be in no quarantine here: the next batch settles collisions with whoever holds the key
  const carried = left.filter(
    ({ key, code }) =>
      standing.has(key) || (code === 'KEY_COLLISION' ? !unwanted.has(key) : stays.has(key)),
  );
  await copyEntries(tx, release, carried);
}

/** A partition that the release did not make; of those that it made, the candidate's own entry speaks. */
function isInherited(key: string, release: Release, map: readonly MapRange[]): boolean {
  const start = partitionOfKey(key);
  return start !== null && locate(map, microsOf(start)).segment !== release.segment;
}

async function copyEntries(
  tx: Tx,
  release: Release,
  carried: readonly { key: string }[],
): Promise<void> {
  await tx.execute(sql`
    insert into control.quarantine (generation, source_key, code, error, wanted_key, business_time, since)
    select ${release.generation}, q.source_key, q.code, q.error, q.wanted_key, q.business_time, q.since
    from control.quarantine q
    where q.generation = ${release.oldGeneration}
      and q.source_key = any(${array(
        carried.map(({ key }) => key),
        'text',
      )})`);
}
