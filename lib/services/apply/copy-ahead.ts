import type { Database } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import type { Registry } from '@/lib/db/statements/registry';
import { newSegment } from '@/lib/db/statements/segment';
import { transaction } from '@/lib/db/transaction';
import { CopyAhead } from './apply-batch';
import { movePartitions } from './move-partitions';

/** More is not met in one batch unless the map is changed by somebody else again and again. */
const TRIES = 20;

/**
 * Applies, and where that meets shared partitions too large to be copied under the dataset's lock,
 * moves those to a segment of their own and applies again. What is shared is immutable, so however
 * long the copying takes, it holds up nobody but this batch.
 *
 * @param open whether the generation's map may be changed, by the registry as it is under the lock
 */
export async function copyingAhead<T>(
  db: Database,
  dataset: DatasetShape,
  open: (registry: Registry, generation: string) => boolean,
  apply: () => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await apply();
    } catch (error) {
      if (!(error instanceof CopyAhead) || tried === TRIES) throw error;
      const { generation, partitions } = error;
      const segment = await transaction(db, (tx) => newSegment(tx, dataset.name, 'copy'));
      for (const { start: from, end: to } of partitions) {
        await movePartitions(db, {
          dataset,
          generation,
          span: { from, to },
          segment,
          open: (registry) => open(registry, generation),
        });
      }
    }
  }
}
