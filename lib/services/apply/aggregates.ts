import type { DatasetShape } from '@/lib/db/dataset-shape';
import type { DatasetAggregates } from '@/lib/db/statements/figures';
import type { TypedColumn } from '@/lib/digest/column-type';
import type { FigureAggregate } from '@/lib/digest/row-encoding-sql';
import { Invalid } from '@/lib/domain/refusal';
import { checkAggregate, checkPredicate } from '@/lib/transform/expression';

/**
 * Compiles one aggregate over a relation's columns.
 *
 * @throws Invalid with line and column
 */
export async function compileAggregate(
  text: string,
  relation: { alias: string; columns: readonly TypedColumn[] },
  pointer: string,
): Promise<FigureAggregate> {
  const checked = await checkAggregate(text, [{ name: null, ...relation }]);
  if (!checked.ok) throw new Invalid(checked.problems.map((problem) => ({ pointer, ...problem })));
  const { fn, argSql, filterSql } = checked.expression;
  return { name: pointer, fn, argSql, filterSql };
}

/** A sum that must not change: only what adds up over partitions may be conserved. */
export async function compileConserved(
  text: string,
  relation: { alias: string; columns: readonly TypedColumn[] },
  pointer: string,
): Promise<FigureAggregate> {
  const aggregate = await compileAggregate(text, relation, pointer);
  if (aggregate.fn === 'sum' || aggregate.fn === 'count') return aggregate;
  throw new Invalid({
    pointer,
    code: 'TRANSFORM_INVALID',
    message: `A conserved quantity is a sum or a count; ${aggregate.fn} does not add up over partitions.`,
  });
}

/**
 * Compiles a condition over one or more relations.
 *
 * @throws Invalid with line and column
 */
export async function compilePredicate(
  text: string,
  relations: readonly { name: string | null; alias: string; columns: readonly TypedColumn[] }[],
  pointer: string,
): Promise<string> {
  const checked = await checkPredicate(text, relations);
  if (!checked.ok) throw new Invalid(checked.problems.map((problem) => ({ pointer, ...problem })));
  return checked.expression.sql;
}

type Declared = Pick<DatasetShape, 'name' | 'columns' | 'conserved' | 'rollups'>;

const cache = new Map<string, Promise<DatasetAggregates>>();

/** The aggregates that a dataset keeps per partition, over alias `x`; fixed for its life. */
export function aggregatesOf(dataset: Declared): Promise<DatasetAggregates> {
  const key = JSON.stringify([dataset.columns, dataset.conserved, dataset.rollups]);
  let known = cache.get(key);
  if (known === undefined) {
    known = compileDataset(dataset);
    cache.set(key, known);
    known.catch(() => cache.delete(key));
  }
  return known;
}

async function compileDataset(dataset: Declared): Promise<DatasetAggregates> {
  const relation = { alias: 'x', columns: dataset.columns };
  const conserved: DatasetAggregates['conserved'] = [];
  for (const [i, { name, new: text }] of dataset.conserved.entries()) {
    conserved.push({
      name,
      aggregate: await compileConserved(text, relation, `/conserved/${i}/new`),
    });
  }
  const rollups: DatasetAggregates['rollups'] = [];
  for (const [i, { metric, sql }] of dataset.rollups.entries()) {
    rollups.push({
      name: metric,
      aggregate: await compileAggregate(sql, relation, `/rollups/${i}/sql`),
    });
  }
  return { conserved, rollups };
}
