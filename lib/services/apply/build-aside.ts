import type { Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { type Figures, figuresOf, partitionRows } from '@/lib/db/statements/figures';
import { loadMap } from '@/lib/db/statements/generation-map';
import { copyRows, quarantinedKeys, rowsStanding } from '@/lib/db/statements/place';
import { factsPlacedIn } from '@/lib/db/statements/placed-facts';
import { insertRows } from '@/lib/db/statements/rows';
import { newSegment } from '@/lib/db/statements/segment';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { locate, type MapRange } from '@/lib/domain/range-map';
import { type Evaluated, type Quarantined, settle } from '@/lib/domain/settle';
import { aggregatesOf } from './aggregates';
import { buildPartitionAside } from './build-partition-aside';
import { compiled, placingOf } from './compiled';
import { evaluateKeys } from './evaluate-keys';

const pageSize = 1000;

export interface Aside {
  dataset: DatasetShape;
  generation: string;
  /** What of the log the rows are to contain; not beyond what the generation has reached. */
  watermark: readonly string[];
  /** A partition of the dataset. */
  start: string;
  end: string;
}

/**
 * Writes into a segment what a partition of a generation comes to from facts(W): by the code of live
 * writing, so that of right facts the same rows come out. Where a key is in quarantine its last good
 * row stays, as it does there. Read in one snapshot, the watermark is to be the generation's progress.
 *
 * @returns what of the partition could not become a row although the generation has it not in
 *   quarantine: somebody changed its rows behind live writing's back
 */
export async function buildAside(tx: Tx, aside: Aside, segment: string): Promise<Quarantined[]> {
  const { dataset, generation, start } = aside;
  if (dataset.grain === 'partition') return buildPartitionAside(tx, aside, segment);
  const map = await loadMap(tx, generation);
  const served = locate(map, microsOf(start as Instant)).segment;
  const held = served === null ? [] : await rowsStanding(tx, dataset, { segment: served, start });
  const standing = held.map((row) => row.sourceKey);
  const quarantined = new Set(await quarantinedKeys(tx, generation));
  const evaluated = await evaluateAll(tx, aside, map, standing);
  const from = microsOf(start as Instant);
  const to = microsOf(aside.end as Instant);
  const settled = settle(map, evaluated);
  const here = (of: { sourceKey: string; micros: bigint | null }) =>
    of.micros !== null && from <= of.micros && of.micros < to && !quarantined.has(of.sourceKey);
  const write = settled.write.filter(here);
  await insertRows(
    tx,
    dataset,
    write.map((row) => ({ ...row, segment, start: from })),
  );
  if (served !== null) {
    const values = standing.filter((key) => quarantined.has(key));
    const by = { column: '_source_key', values, yielding: true } as const;
    await copyRows(tx, dataset, { segment: served, start }, segment, by);
  }
  return settled.quarantine.filter(here);
}

/** The figures that a partition comes to, with nothing of it left behind. */
export async function figuresAside(tx: Tx, aside: Aside): Promise<Figures> {
  const undo = new Error('undo');
  let figures: Figures | undefined;
  const aggregates = await aggregatesOf(aside.dataset);
  try {
    await tx.transaction(async (inner) => {
      const segment = await newSegment(inner, aside.dataset.name, 'copy');
      await buildAside(inner, aside, segment);
      const mine = partitionRows(aside.dataset, segment, aside.start);
      figures = await figuresOf(inner, aside.dataset, aggregates, mine);
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  if (!figures) throw new Error('the figures were not taken');
  return figures;
}

/** What each transform of the map makes of every fact that may land in the partition, and of what stands there. */
async function evaluateAll(
  tx: Tx,
  { dataset, watermark, start, end }: Aside,
  map: readonly MapRange[],
  standing: readonly string[],
): Promise<Evaluated[]> {
  const digests = [...new Set(map.map((range) => range.transform))];
  const transforms = await Promise.all(digests.map((digest) => compiled(tx, dataset, digest)));
  const { column, exact } = placingOf(dataset, transforms);
  const facts = await factsPlacedIn(
    tx,
    dataset.source,
    exact ? column : null,
    { from: start, to: end },
    watermark,
  );
  const keys = [...new Set([...facts.map((fact) => fact.key), ...standing])];
  const evaluated: Evaluated[] = [];
  for (let i = 0; i < keys.length; i += pageSize) {
    const page = keys.slice(i, i + pageSize);
    evaluated.push(...(await evaluateKeys(tx, dataset, map, page, watermark)));
  }
  return evaluated;
}
