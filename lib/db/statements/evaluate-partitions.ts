import { sql } from 'drizzle-orm';
import { array, json, rows, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { pgError } from '@/lib/db/pg-error';
import { asTransform, keySql, microsSql, outputSql } from '@/lib/db/statements/evaluate';
import { type Fact, factsJson, recordSql } from '@/lib/db/statements/facts';
import { fromMicros } from '@/lib/db/statements/micros';
import { columnSql } from '@/lib/digest/row-encoding-sql';
import type { Interval, PartitionOutcome, PartitionRow } from '@/lib/domain/settle-partition';
import { FACTS, PART } from '@/lib/transform/compile';

/** A partition with all its facts. */
export interface PartitionFacts extends Interval {
  facts: readonly Fact[];
}

/**
 * What a transform of grain `partition` makes of whole partitions, by their start. The facts go in
 * as a parameter, so the transform's role needs no table at all. A partition without facts has no
 * rows: nothing is asked of the transform, which might count them to 0. One that errs is found by
 * halving and answers with its error; other errors than those of data are thrown.
 */
export async function evaluatePartitions(
  tx: Tx,
  dataset: DatasetShape,
  lateral: string,
  parts: readonly PartitionFacts[],
): Promise<Map<bigint, PartitionOutcome>> {
  const outcomes = new Map<bigint, PartitionOutcome>(
    parts.map(({ start }) => [start, { kind: 'rows', rows: [] }]),
  );
  const work = [parts.filter(({ facts }) => facts.length > 0)];
  for (let some = work.pop(); some; some = work.pop()) {
    const [first] = some;
    if (first === undefined) continue;
    try {
      const found = await asTransform(tx, (inner) => evaluateAll(inner, dataset, lateral, some));
      for (const [start, yielded] of found) outcomes.set(start, { kind: 'rows', rows: yielded });
    } catch (error) {
      const problem = pgError(error);
      if (!problem || !/^(22|23)/.test(problem.code)) throw error;
      if (some.length === 1) {
        const { code, message } = problem;
        outcomes.set(first.start, { kind: 'error', code, error: message });
      } else {
        const half = some.length >> 1;
        work.push(some.slice(half), some.slice(0, half));
      }
    }
  }
  return outcomes;
}

async function evaluateAll(
  tx: Tx,
  dataset: DatasetShape,
  lateral: string,
  parts: readonly PartitionFacts[],
): Promise<Map<bigint, PartitionRow[]>> {
  const facts = parts.flatMap((part) => part.facts);
  const values = dataset.columns.map((c) => `${columnSql('o', c.name)}::text`).join(', ');
  const found = await rows<{
    start: string;
    key: string | null;
    micros: string | null;
    values: (string | null)[];
  }>(
    tx,
    sql`with ${sql.raw(FACTS)} as (
        select * from jsonb_to_recordset(${json(factsJson(facts))})
          as f (_source_key text, _revision bigint, ${sql.raw(recordSql(dataset.source))})
      )
      select o._micros as start, ${sql.raw(keySql(dataset, 'o'))} as key,
        ${sql.raw(microsSql(columnSql('o', dataset.businessTime)))} as micros,
        array[${sql.raw(values)}] as values
      from (
        select ${sql.raw(PART.alias)}._micros, ${sql.raw(outputSql(dataset, 't'))}
        from (
          select p.start as _micros, ${fromMicros('p.start')} as ${sql.raw(PART.start)},
            ${fromMicros('p.upper')} as ${sql.raw(PART.upper)}
          from unnest(${array(
            parts.map((part) => part.start),
            'bigint',
          )}, ${array(
            parts.map((part) => part.end),
            'bigint',
          )}) as p (start, upper)
        ) as ${sql.raw(PART.alias)}
        cross join lateral (${sql.raw(lateral)}) t
      ) o`,
  );
  const byStart = new Map<bigint, PartitionRow[]>(parts.map(({ start }) => [start, []]));
  for (const { start, key, micros, values: texts } of found) {
    byStart.get(BigInt(start))?.push({
      key,
      micros: micros === null ? null : BigInt(micros),
      values: texts,
    });
  }
  return byStart;
}
