import { sql } from 'drizzle-orm';
import { rows, type Tx } from '@/lib/db/client';
import { loadMap } from '@/lib/db/statements/generation-map';
import { copyRows, rowsStanding } from '@/lib/db/statements/place';
import { insertRows } from '@/lib/db/statements/rows';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { locate } from '@/lib/domain/range-map';
import type { Quarantined } from '@/lib/domain/settle';
import type { Aside } from './build-aside';
import { decidePartitions } from './decide-partitions';

/**
 * The same as `buildAside` for a dataset of grain `partition`: the whole of it at once. Where it
 * cannot be computed its last good rows stay, as they do in live writing.
 *
 * @returns the partition itself, where it cannot be computed and is not in quarantine
 */
export async function buildPartitionAside(
  tx: Tx,
  { dataset, generation, watermark, start, end }: Aside,
  segment: string,
): Promise<Quarantined[]> {
  const map = await loadMap(tx, generation);
  const part = { start: microsOf(start as Instant), end: microsOf(end as Instant) };
  const decided = (await decidePartitions(tx, dataset, map, [part], watermark)).get(part.start);
  if (decided?.kind !== 'quarantine') {
    const put = (decided?.rows ?? []).map((row) => ({ ...row, segment, start: part.start }));
    await insertRows(tx, dataset, put);
    return [];
  }
  const served = locate(map, part.start).segment;
  if (served !== null) {
    const from = { segment: served, start };
    const values = (await rowsStanding(tx, dataset, from)).map(({ key }) => key);
    await copyRows(tx, dataset, from, segment, { column: '_key', values });
  }
  const known = await rows(
    tx,
    sql`select 1 from control.quarantine
      where generation = ${generation} and source_key = ${decided.entry.sourceKey}`,
  );
  return known.length > 0 ? [] : [decided.entry];
}
