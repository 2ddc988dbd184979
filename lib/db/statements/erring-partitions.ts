import { sql } from 'drizzle-orm';
import { rows, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { isDataError } from '@/lib/db/pg-error';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { partitionKey } from '@/lib/domain/settle-partition';
import { partsSql, wholeYieldedSql } from './compare-partitions';
import { type Chunk, type FactsSide, factsSql } from './compare-sides';
import { asCompare } from './evaluate';

/** The names of partitions of a chunk for which a transform errs on a side's facts, by halving. */
export async function erringPartitions(
  tx: Tx,
  dataset: DatasetShape,
  chunk: Chunk,
  side: FactsSide,
  lateral: string,
  without: readonly string[],
): Promise<string[]> {
  const errors: string[] = [];
  const work = [chunk.partitions];
  for (let some = work.pop(); some; some = work.pop()) {
    const [first] = some;
    if (first === undefined) continue;
    const part = { ...chunk, partitions: some };
    const facts = factsSql(dataset, part, side);
    try {
      // its text, so that every column of every row is computed
      await asCompare(tx, (inner) =>
        rows(
          inner,
          sql`with parts as (${partsSql(part)})
            select max(o::text) from (${wholeYieldedSql(dataset, part, facts, lateral, without)}) o`,
        ),
      );
    } catch (error) {
      if (!isDataError(error)) throw error;
      const half = some.length >> 1;
      if (half > 0) work.push(some.slice(half), some.slice(0, half));
      else errors.push(partitionKey(microsOf(first.start as Instant)));
    }
  }
  return errors;
}
