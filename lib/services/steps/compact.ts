import { sql } from 'drizzle-orm';
import { type Database, rows } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { ofPeople } from '@/lib/db/fork-sql';
import { loadMap } from '@/lib/db/statements/generation-map';
import {
  deleteUnmapped,
  type MappedPartition,
  mappedPartitions,
  rowsOfRanges,
  unmappedPartitions,
} from '@/lib/db/statements/mapped-partitions';
import type { Registry } from '@/lib/db/statements/registry';
import { newSegment } from '@/lib/db/statements/segment';
import { transaction } from '@/lib/db/transaction';
import { COMPACT_FROM, spansToMove } from '@/lib/domain/compaction';
import type { Span } from '@/lib/domain/range-map';
import { movePartitions } from '@/lib/services/apply/move-partitions';

/** Rows copied before the map is turned over: a writer that comes between costs no more than these. */
const BATCH_ROWS = 20_000;

/**
 * Makes the maps of what is served short again where copy on write has cut them up, since every read
 * pays for each range. Nobody waits for it, and what it has not done it does the next time.
 */
export async function compactMaps(db: Database): Promise<void> {
  const long = await rows<{ dataset: string; generation: string }>(
    db,
    sql`select r.dataset, r.active_generation as generation from control.registry r
      where r.state = 'OPEN' and r.rollback is null and ${ofPeople(sql`r.dataset`)}
        and (select count(*) from control.generation_range m where m.generation = r.active_generation)
          >= ${COMPACT_FROM}`,
  );
  for (const { dataset, generation } of long) {
    const shape = await loadDataset(db, dataset);
    if (!shape) continue;
    await compact(db, shape, generation);
    await clearUnmapped(db, dataset);
  }
}

/** Compacts one generation's map, as far as nobody writes to the same partitions meanwhile. */
export async function compact(
  db: Database,
  dataset: DatasetShape,
  generation: string,
): Promise<void> {
  const spans = spansToMove(await loadMap(db, generation), await rowsOfRanges(db, generation));
  if (spans.length === 0) return;
  const segment = await transaction(db, (tx) => newSegment(tx, dataset.name, 'copy'));
  const open = (registry: Registry) =>
    registry.active === generation && registry.state === 'OPEN' && registry.rollback === null;
  for (const whole of spans) {
    const partitions = await mappedPartitions(db, generation, whole, segment);
    for (const span of batches(whole, partitions)) {
      const moved = await movePartitions(db, { dataset, generation, span, segment, open });
      // what is being written to is left for another time: half a move would cut the map up more
      if (moved === null) return;
    }
  }
}

/** A span cut at edges of partitions into parts of bounded rows. */
function batches(whole: Span, partitions: readonly MappedPartition[]): Span[] {
  const spans: Span[] = [];
  let from = whole.from;
  let rows = 0;
  for (const partition of partitions) {
    if (rows > 0 && rows + partition.rows > BATCH_ROWS) {
      spans.push({ from, to: partition.start });
      from = partition.start;
      rows = 0;
    }
    rows += partition.rows;
  }
  spans.push({ from, to: whole.to });
  return spans;
}

/** Partitions cleared away in one transaction. */
const CLEARED = 64;

/** Deletes what no map of a dataset names any more, also where its segment is still in use. */
export async function clearUnmapped(db: Database, dataset: string): Promise<void> {
  for (;;) {
    const cleared = await transaction(db, async (tx) => {
      return deleteUnmapped(tx, dataset, await unmappedPartitions(tx, dataset, CLEARED));
    });
    if (cleared < CLEARED) return;
  }
}
