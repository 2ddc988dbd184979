import { sql } from 'drizzle-orm';
import { array, maybeOne, one, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { logReachesBack } from '@/lib/db/statements/progress';
import { toFix } from '@/lib/domain/refusal';
import type { ReleaseSpec } from '@/lib/domain/release';
import { refuseIf } from './move';

/**
 * A snapshot kept from an earlier pin, if the spec names one, or a new one at the watermark.
 *
 * @param progress of the generation in use
 * @throws Refused SNAPSHOT_EXPIRED where the one that is named cannot be built from any more
 */
export async function snapshotFor(
  tx: Tx,
  spec: ReleaseSpec,
  dataset: DatasetShape,
  progress: string[],
): Promise<{ id: string; name: string; watermark: string[] }> {
  if (spec.source.snapshot !== undefined) {
    const kept = await maybeOne<{
      id: string;
      name: string;
      watermark: string[];
      dropped: boolean;
    }>(
      tx,
      sql`select id, name, watermark, dropped_at is not null as dropped from control.snapshot
        where name = ${spec.source.snapshot} and source = ${dataset.source.name}`,
    );
    const ahead = kept?.watermark.some(
      (offset, shard) => BigInt(offset) > BigInt(progress[shard] ?? '0'),
    );
    refuseIf(
      kept && !kept.dropped && !ahead
        ? []
        : [
            toFix(
              'SNAPSHOT_EXPIRED',
              `There is no usable snapshot ${spec.source.snapshot}; leave it out to take one.`,
              { pointer: '/source/snapshot' },
            ),
          ],
    );
    if (kept) {
      // the candidate would begin there, and catch up by every event that came after it
      const reaches = await logReachesBack(tx, dataset.source.name, kept.watermark);
      refuseIf(reaches ? [] : [prunedAbove(kept.name, dataset.source.name)]);
      return kept;
    }
  }
  const { id } = await one<{ id: string }>(
    tx,
    sql`insert into control.snapshot (source, name, watermark, complete)
      values (${dataset.source.name}, ${`pending-${crypto.randomUUID()}`}, ${array(progress, 'bigint')}, ${dataset.source.complete})
      returning id`,
  );
  const name = `${dataset.source.name}:snapshot-${id}`;
  await tx.execute(sql`update control.snapshot set name = ${name} where id = ${id}`);
  return { id, name, watermark: progress };
}

const prunedAbove = (snapshot: string, source: string) =>
  toFix(
    'SNAPSHOT_EXPIRED',
    `The log of ${source} was pruned above the watermark of ${snapshot}, so nothing built from it could catch up; leave it out to take a new one.`,
    { pointer: '/source/snapshot' },
  );
