import type { Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { evaluatePartitions, type PartitionFacts } from '@/lib/db/statements/evaluate-partitions';
import type { Fact } from '@/lib/db/statements/facts';
import { factsPlacedIn } from '@/lib/db/statements/placed-facts';
import { type Instant, instantOf, microsOf } from '@/lib/domain/instant';
import { locate, type MapRange } from '@/lib/domain/range-map';
import {
  type Interval,
  type SettledPartition,
  settlePartition,
} from '@/lib/domain/settle-partition';
import { compiled, sourceTimeOf } from './compiled';

/**
 * What whole partitions of a dataset of grain `partition` come to from facts(W), by their start:
 * each by the transform that the map names there. The one way to rows for live writing, catch-up,
 * replay, runs and a build where something errs.
 */
export async function decidePartitions(
  tx: Tx,
  dataset: DatasetShape,
  map: readonly MapRange[],
  partitions: readonly Interval[],
  watermark: readonly string[],
): Promise<Map<bigint, SettledPartition>> {
  const decided = new Map<bigint, SettledPartition>();
  const byTransform = new Map<string, PartitionFacts[]>();
  for (const part of await factsOfPartitions(tx, dataset, partitions, watermark)) {
    const { transform } = locate(map, part.start);
    byTransform.set(transform, [...(byTransform.get(transform) ?? []), part]);
  }
  for (const [digest, parts] of byTransform) {
    const { lateral } = await compiled(tx, dataset, digest);
    const outcomes = await evaluatePartitions(tx, dataset, lateral, parts);
    for (const part of parts) {
      const outcome = outcomes.get(part.start);
      if (outcome) decided.set(part.start, settlePartition(part, outcome));
    }
  }
  return decided;
}

/** facts(W) of partitions, each with all of its own; neighbours are read together. */
export async function factsOfPartitions(
  tx: Tx,
  dataset: DatasetShape,
  partitions: readonly Interval[],
  watermark: readonly string[],
): Promise<PartitionFacts[]> {
  const column = sourceTimeOf(dataset);
  const ordered = [...partitions].sort((a, b) => (a.start < b.start ? -1 : 1));
  const found: (Interval & { facts: Fact[] })[] = [];
  for (const run of runsOf(ordered)) {
    const parts = run.map(({ start, end }) => ({ start, end, facts: [] as Fact[] }));
    const from = instantOf((run[0] as Interval).start);
    const to = instantOf((run.at(-1) as Interval).end);
    for (const fact of await factsPlacedIn(tx, dataset.source, column, { from, to }, watermark)) {
      const micros = placeOf(fact, column);
      if (micros !== null) partOf(parts, micros)?.facts.push(fact);
    }
    found.push(...parts);
  }
  return found;
}

/** Partitions that follow one another, as runs. */
function runsOf(ordered: readonly Interval[]): Interval[][] {
  const runs: Interval[][] = [];
  for (const part of ordered) {
    const last = runs.at(-1);
    if (last?.at(-1)?.end === part.start) last.push(part);
    else runs.push([part]);
  }
  return runs;
}

function partOf<P extends Interval>(ordered: readonly P[], micros: bigint): P | undefined {
  let low = 0;
  let high = ordered.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const part = ordered[middle] as P;
    if (micros < part.start) high = middle - 1;
    else if (micros >= part.end) low = middle + 1;
    else return part;
  }
  return undefined;
}

/** Where a fact belongs, in microseconds; null where it has no time, or an infinite one, or is gone. */
export function placeOf(fact: Fact, column: string): bigint | null {
  const text = fact.payload?.[column];
  if (typeof text !== 'string' || text.endsWith('infinity')) return null;
  return microsOf(text as Instant);
}
