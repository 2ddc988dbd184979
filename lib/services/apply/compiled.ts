import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { Invalid } from '@/lib/domain/refusal';
import { lateralSql, partitionSql } from '@/lib/transform/compile';
import { checkTransform, type Transform } from '@/lib/transform/parse';

/**
 * A transform ready to run: the SELECT to stand in a lateral join, beside facts `f` or, in grain
 * `partition`, beside partitions and a relation of facts.
 */
export interface Compiled {
  digest: string;
  lateral: string;
  /** The source column that the business time is a plain copy of, or null. */
  passthrough: string | null;
  /** It may yield no row for a fact. */
  filters: boolean;
}

type Target = Pick<DatasetShape, 'columns' | 'key' | 'businessTime' | 'grain' | 'sourceTime'> & {
  source: Pick<DatasetShape['source'], 'columns' | 'key'>;
};

/**
 * Checks a transform's text against a dataset.
 *
 * @throws Invalid with every problem at its line and column
 */
export async function checkedTransform(
  text: string,
  dataset: Target,
  pointer: string,
): Promise<Transform> {
  const checked = await checkTransform(text, {
    sourceColumns: dataset.source.columns,
    targetColumns: dataset.columns,
    key: dataset.key,
    businessTime: dataset.businessTime,
    grain: dataset.grain,
    sourceKey: dataset.source.key,
  });
  if (checked.ok) return checked.transform;
  throw new Invalid(checked.problems.map((problem) => ({ pointer, ...problem })));
}

export function compileTransform(transform: Transform, dataset: Target): Compiled {
  const sourceColumns = dataset.source.columns;
  return {
    digest: transform.digest,
    lateral:
      dataset.grain === 'partition'
        ? partitionSql(transform, sourceColumns, sourceTimeOf(dataset))
        : lateralSql(transform, { sourceColumns, factAlias: 'f' }),
    passthrough: transform.businessTimeSource,
    filters: transform.filters,
  };
}

/** The column by which facts belong to partitions, which a dataset of grain `partition` has. */
export function sourceTimeOf({ sourceTime }: Pick<DatasetShape, 'sourceTime'>): string {
  if (sourceTime === null) throw new Error('a dataset of grain partition names its source time');
  return sourceTime;
}

export interface Placing {
  /** The source column by which a fact belongs to a partition, or null. */
  column: string | null;
  /** It alone decides: no row can cross an edge. */
  exact: boolean;
}

/** How facts are placed before any transform ran, from all the transforms that may run. */
export function placingOf(
  dataset: Pick<DatasetShape, 'grain' | 'sourceTime' | 'source'>,
  transforms: readonly Compiled[],
): Placing {
  if (dataset.grain === 'partition') return { column: dataset.sourceTime, exact: true };
  const copied = transforms[0]?.passthrough ?? null;
  if (copied !== null && transforms.every((t) => t.passthrough === copied)) {
    return { column: copied, exact: true };
  }
  return { column: dataset.sourceTime ?? dataset.source.eventTime, exact: false };
}

const cache = new Map<string, Promise<Compiled>>();

/**
 * Reads a stored transform and compiles it against a dataset. It was checked when it was stored,
 * and is checked again: what runs is what the check saw.
 */
export async function compiled(
  tx: Database | Tx,
  dataset: DatasetShape,
  digest: string,
): Promise<Compiled> {
  // a dataset's and a source's columns never change, and a name is never used twice
  const key = `${digest} ${dataset.source.name} ${dataset.name}`;
  const known = cache.get(key);
  if (known) return known;
  const stored = await maybeOne<{ sql: string }>(
    tx,
    sql`select sql from control.transform where digest = ${digest}`,
  );
  if (!stored) throw new Error(`there is no transform ${digest}`);
  const compiling = checkedTransform(stored.sql, dataset, '/transform').then((t) =>
    compileTransform(t, dataset),
  );
  cache.set(key, compiling);
  compiling.catch(() => cache.delete(key));
  return compiling;
}
