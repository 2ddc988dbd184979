import type { Database } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { refreshFigures } from '@/lib/db/statements/figures';
import type { Instant } from '@/lib/domain/instant';
import { checkRange, isEdge, nearestEdges } from '@/lib/domain/partition-plan';
import { Invalid, type Issue, issueOf, NotFound } from '@/lib/domain/refusal';
import { readableGeneration } from '@/lib/queries/dataset-partitions';
import { rollupOf, type Span } from '@/lib/queries/rollup';
import { aggregatesOf } from '@/lib/services/apply/aggregates';

/** A dataset's figures after those that changed were taken anew, for one generation and span. */
export async function freshGeneration(
  db: Database,
  dataset: string,
  generation: string | undefined,
  span: Span = { from: null, to: null },
) {
  const found = await readableGeneration(db, dataset, generation);
  const shape = await loadDataset(db, dataset);
  if (!shape) throw new NotFound('dataset', dataset);
  const aggregates = await aggregatesOf(shape);
  await refreshFigures(db, shape, aggregates, found.id, span);
  return { ...found, aggregates };
}

/**
 * Rollups over an interval whose ends lie on partition edges, or over a whole generation.
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
  },
): Promise<{ generation: string; metrics: Record<string, string | null> }> {
  const shape = await loadDataset(db, input.dataset);
  if (!shape) throw new NotFound('dataset', input.dataset);
  requireEdges(shape, input.from, input.to);
  const span = { from: input.from ?? null, to: input.to ?? null };
  const { id, name, aggregates } = await freshGeneration(db, input.dataset, input.generation, span);
  const metrics = aggregates.rollups.map((r) => ({ name: r.name, fn: r.aggregate.fn }));
  return { generation: name, metrics: await rollupOf(db, id, metrics, span) };
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
