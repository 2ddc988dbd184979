import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { type Figures, figuresOf, partitionRows, storeFigures } from '@/lib/db/statements/figures';
import { loadMap } from '@/lib/db/statements/generation-map';
import { clearPlace, otherSources, quarantinedKeys } from '@/lib/db/statements/place';
import { readProgress } from '@/lib/db/statements/progress';
import { transaction } from '@/lib/db/transaction';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { locate } from '@/lib/domain/range-map';
import type { Quarantined } from '@/lib/domain/settle';
import { aggregatesOf } from '@/lib/services/apply/aggregates';
import { buildAside } from '@/lib/services/apply/build-aside';

export interface PartitionOfRun {
  dataset: DatasetShape;
  /** The walk's own, of kind `run`: no map names the partition in it before it lands. */
  segment: string;
  start: string;
  end: string;
}

/** What a partition comes to from facts(W), beside what is served, all of one snapshot. */
export interface AsideOfRun {
  generation: string;
  epoch: number;
  /** The generation's progress: what of the log the rows contain. */
  watermark: string[];
  /** In the generation's quarantine then. */
  quarantined: string[];
  /** What could not become a row and is not in that quarantine. */
  unlisted: Quarantined[];
  figures: Figures;
  /** The segment that the generation's map named for the partition. */
  served: string;
  /** What stood there. */
  before: { rows: string; root: Buffer };
  /** What stood is what the log yields. */
  equal: boolean;
}

/** Which generation is in use under which epoch; null while the first one loads. */
export async function inUse(
  tx: Database | Tx,
  dataset: string,
): Promise<{ generation: string; epoch: number } | null> {
  const found = await maybeOne<{ generation: string | null; epoch: number }>(
    tx,
    sql`select active_generation as generation, epoch from control.registry where dataset = ${dataset}`,
  );
  return found === null || found.generation === null
    ? null
    : { generation: found.generation, epoch: found.epoch };
}

const longestStatementMs = 600_000;

/**
 * Computes a partition aside, without the dataset's lock: live writing goes on, and what it commits
 * meanwhile is in neither side here. What a former try of this walk left behind is deleted first.
 */
export function writeAside(db: Database, partition: PartitionOfRun): Promise<AsideOfRun> {
  return transaction(db, (tx) => compute(tx, partition), {
    isolation: 'repeatable read',
    statementTimeoutMs: longestStatementMs,
  });
}

async function compute(tx: Tx, partition: PartitionOfRun): Promise<AsideOfRun> {
  const { dataset, segment, start, end } = partition;
  const now = await inUse(tx, dataset.name);
  if (!now) throw new Error(`dataset ${dataset.name} has no generation in use`);
  const { generation } = now;
  const watermark = await readProgress(tx, generation);
  const map = await loadMap(tx, generation);
  const served = locate(map, microsOf(start as Instant)).segment as string;
  await clearPlace(tx, dataset, { segment, start });
  const unlisted = await buildAside(tx, { dataset, generation, watermark, start, end }, segment);
  const aggregates = await aggregatesOf(dataset);
  const figuresAt = (place: string) =>
    figuresOf(tx, dataset, aggregates, partitionRows(dataset, place, start));
  // not the stored ones: what was changed by hand is in no figure
  const before = await figuresAt(served);
  const figures = await figuresAt(segment);
  await storeFigures(tx, { segment, start, end }, figures, '1');
  return {
    ...now,
    watermark,
    quarantined: await quarantinedKeys(tx, generation),
    unlisted,
    figures,
    served,
    before: { rows: before.rows, root: before.root },
    equal:
      before.root.equals(figures.root) &&
      !(await otherSources(tx, dataset, start, segment, served)),
  };
}
