import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { rowsTable } from '@/lib/db/dataset-shape';
import { loadMap, lockGeneration } from '@/lib/db/statements/generation-map';
import { lockProgress } from '@/lib/db/statements/progress';
import { deleteRows, markTouched, type StandingRow } from '@/lib/db/statements/rows';
import { transaction } from '@/lib/db/transaction';
import { settle } from '@/lib/domain/settle';
import { evaluateKeys, storeQuarantine } from '@/lib/services/apply/evaluate-keys';
import type { ReleaseShape } from './release-shape';

/**
 * Quarantines business keys that stand in several partitions of a candidate. Each partition was
 * built on its own and could not see the other's row; live writing and catch-up, which look a key
 * up in the whole generation, would have both in quarantine, and so must the candidate, without a
 * row, since a build has no last good one.
 *
 * @returns how many source keys were quarantined
 */
export async function settleCollisions(db: Database, shape: ReleaseShape): Promise<number> {
  const { release, dataset } = shape;
  // there the key holds the business time, so that no key can stand in two partitions
  if (dataset.grain === 'partition') return 0;
  return transaction(
    db,
    async (tx) => {
      await lockGeneration(tx, release.generation);
      const progress = await lockProgress(tx, release.generation);
      const candidate = await maybeOne(
        tx,
        sql`select 1 from control.generation where id = ${release.generation} and state = 'candidate'`,
      );
      if (!candidate || !progress) return 0;
      const standing = await doubles(tx, shape);
      if (standing.length === 0) return 0;
      const map = await loadMap(tx, release.generation);
      const keys = [...new Set(standing.map((row) => row.sourceKey))];
      const settled = settle(map, await evaluateKeys(tx, dataset, map, keys, progress));
      const colliding = settled.quarantine.filter((q) => q.code === 'KEY_COLLISION');
      const lost = new Set(colliding.map((q) => q.sourceKey));
      const gone = standing.filter((row) => lost.has(row.sourceKey));
      await deleteRows(tx, dataset, gone);
      await markTouched(
        tx,
        [...new Set(gone.map((row) => row.start))].map((start) => ({
          segment: release.segment,
          start,
          end: start,
          buckets: '1'.repeat(64),
        })),
      );
      await storeQuarantine(tx, release.generation, [...lost], colliding);
      return lost.size;
    },
    { statementTimeoutMs: 300_000 },
  );
}

async function doubles(tx: Tx, { release, dataset }: ReleaseShape): Promise<StandingRow[]> {
  // counted in one pass: a semi-join of the segment with itself was planned as a nested loop while
  // the table had no statistics, and took minutes over 16,000 rows
  const found = await rows<Omit<StandingRow, 'start'> & { start: string }>(
    tx,
    sql`select c._source_key as "sourceKey", c._key as key, c._segment as segment,
        (extract(epoch from c._partition) * 1000000)::bigint as start
      from (
        select x._source_key, x._key, x._segment, x._partition, count(*) over (partition by x._key) as times
        from ${sql.raw(rowsTable(dataset.name))} x where x._segment = ${release.segment}
      ) c where c.times > 1`,
  );
  return found.map((row) => ({ ...row, start: BigInt(row.start) }));
}
