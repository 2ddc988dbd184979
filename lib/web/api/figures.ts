import type { Database } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { type ContaminatedWarning, contaminatedWarnings } from '@/lib/db/statements/contamination';
import { refreshFigures } from '@/lib/db/statements/figures';
import type { Instant } from '@/lib/domain/instant';
import { checkRange, isEdge, nearestEdges } from '@/lib/domain/partition-plan';
import { Invalid, type Issue, issueOf, NotFound } from '@/lib/domain/refusal';
import { readableGeneration } from '@/lib/queries/dataset-partitions';
import {
  type PartitionTotals,
  type Span,
  type Totals,
  totalsOf,
  wholeTotals,
} from '@/lib/queries/totals';
import { aggregatesOf } from '@/lib/services/apply/aggregates';

/** The generation that a reader names, or the one in use, once figures that changed were taken anew. */
export async function freshGeneration(
  db: Database,
  dataset: string,
  generation: string | undefined,
) {
  const found = await readableGeneration(db, dataset, generation);
  const shape = await loadDataset(db, dataset);
  if (!shape) throw new NotFound('dataset', dataset);
  const aggregates = await aggregatesOf(shape);
  await refreshFigures(db, shape, aggregates, found.id);
  return found;
}

/** Under steady live writing something may always have changed since; then what was taken last stands. */
const ROUNDS = 8;

export interface Rollup {
  generation: string;
  /** As served: of sealed partitions, as published. */
  metrics: Totals;
  /** With the last correction of each sealed partition; null for a generation that is not in use. */
  asOfNow: Totals | null;
  corrections: { partitions: number; pending: number };
  perPartition?: PartitionTotals[];
  /** What of the interval is known to be wrong in this generation; empty where nothing is. */
  warnings: ContaminatedWarning[];
}

/**
 * Rollups over an interval whose ends lie on partition edges, or over a whole generation. What they
 * are read from is one statement; where figures in it are stale, or the pointer moved to a generation
 * whose figures nobody asked for yet, they are taken anew and it is read again.
 *
 * @throws Invalid with the nearest edges, at `/from` and `/to`
 */
export async function rollup(
  db: Database,
  input: {
    dataset: string;
    generation?: string | undefined;
    from?: Instant | undefined;
    to?: Instant | undefined;
    by?: 'partition' | undefined;
  },
): Promise<Rollup> {
  const { dataset, generation } = input;
  const shape = await loadDataset(db, dataset);
  if (!shape) throw new NotFound('dataset', dataset);
  requireEdges(shape, input.from, input.to);
  const span: Span = { from: input.from ?? null, to: input.to ?? null };
  const aggregates = await aggregatesOf(shape);
  const metrics = aggregates.rollups.map((r) => ({ name: r.name, fn: r.aggregate.fn }));
  for (let round = 1; ; round++) {
    const asked = { dataset, generation, metrics, span };
    const parts = input.by === 'partition' ? await totalsOf(db, asked) : null;
    const totals = parts ?? (await wholeTotals(db, asked));
    if (!totals.fresh && round < ROUNDS) {
      await refreshFigures(db, shape, aggregates, totals.generation.id, span);
      continue;
    }
    const { metrics: served, asOfNow, corrections } = totals;
    return {
      generation: totals.generation.name,
      metrics: served,
      asOfNow,
      corrections,
      ...(parts ? { perPartition: parts.perPartition } : {}),
      warnings: await contaminatedWarnings(db, totals.generation.id, span),
    };
  }
}

function requireEdges(
  { zone, unit }: Pick<DatasetShape, 'zone' | 'unit'>,
  from: Instant | undefined,
  to: Instant | undefined,
): void {
  const issues: Issue[] =
    from !== undefined && to !== undefined
      ? checkRange(zone, unit, { from, to }).map(issueOf)
      : [from, to].flatMap((instant, side) => {
          if (instant === undefined || isEdge(zone, unit, instant)) return [];
          const edges = nearestEdges(zone, unit, instant);
          return {
            pointer: side === 0 ? '/from' : '/to',
            code: 'RANGE_NOT_ON_PARTITION_EDGE' as const,
            message: `${instant} lies inside a ${unit} of ${zone}.`,
            ...(edges ? { edges } : {}),
          };
        });
  if (issues.length > 0) {
    throw new Invalid(
      issues.map((issue) => ({ ...issue, pointer: issue.pointer.replace(/^\/range(?=\/)/, '') })),
    );
  }
}
