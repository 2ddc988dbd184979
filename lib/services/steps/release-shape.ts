import { eq, sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { release as releaseTable } from '@/lib/db/schema/release';
import { NotFound } from '@/lib/domain/refusal';
import { type Compiled, compiled, placingOf } from '@/lib/services/apply/compiled';
import type { Release } from '@/lib/services/release/load';

/** A pinned release with all that its work needs; what is null in a draft is set. */
export interface PinnedRelease extends Release {
  digest: string;
  generation: string;
  oldGeneration: string;
  segment: string;
  snapshot: string;
  watermark: string[];
  rangeFrom: string;
  oldTransform: string;
  newTransform: string;
}

export interface ReleaseShape {
  release: PinnedRelease;
  dataset: DatasetShape;
  old: Compiled;
  new: Compiled;
  /** The source column by which a fact belongs to a partition. */
  sourceTime: string | null;
  /** All transforms of both maps copy the business time from it: no row can cross an edge. */
  placedBySource: boolean;
}

export async function loadReleaseShape(tx: Database | Tx, id: string): Promise<ReleaseShape> {
  const [release] = await tx.select().from(releaseTable).where(eq(releaseTable.id, id));
  if (!release) throw new NotFound('release', id);
  const dataset = await loadDataset(tx, release.dataset);
  if (!dataset) throw new NotFound('dataset', release.dataset);
  const pinned = release as PinnedRelease;
  const old = await compiled(tx, dataset, pinned.oldTransform);
  const now = await compiled(tx, dataset, pinned.newTransform);
  const placing = placingOf(dataset, [now, old, ...(await transformsOf(tx, dataset, pinned))]);
  return {
    release: pinned,
    dataset,
    old,
    new: now,
    placedBySource: placing.exact,
    sourceTime: placing.column,
  };
}

/** Earlier releases may have left more than one transform in the old map, and so in the candidate's. */
async function transformsOf(
  tx: Database | Tx,
  dataset: DatasetShape,
  { generation, oldGeneration }: PinnedRelease,
): Promise<Compiled[]> {
  const found = await rows<{ digest: string }>(
    tx,
    sql`select distinct transform as digest from control.generation_range
      where generation in (${generation}, ${oldGeneration})`,
  );
  return Promise.all(found.map(({ digest }) => compiled(tx, dataset, digest)));
}
