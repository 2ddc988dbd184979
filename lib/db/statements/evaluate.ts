import { sql } from 'drizzle-orm';
import { json, rows, type Tx } from '@/lib/db/client';
import type { Column, DatasetShape, SourceShape } from '@/lib/db/dataset-shape';
import { pgError } from '@/lib/db/pg-error';
import { type SandboxRole, sandboxRole } from '@/lib/db/roles';
import { baseType } from '@/lib/digest/column-type';
import { columnSql, ident } from '@/lib/digest/row-encoding-sql';
import type { Outcome } from '@/lib/domain/settle';
import { type Fact, factsJson, recordSql } from './facts';

/**
 * Runs `fn` under the role that may see frozen facts and nothing else, with an empty search path.
 * In a savepoint of its own: a failing transform takes only itself with it.
 */
export const asTransform = <T>(tx: Tx, fn: (tx: Tx) => Promise<T>) => asRole(tx, 'transform', fn);

/**
 * The same under the role that reads facts and rows: for predicates and sums over them. Sides that
 * are computed have no statistics, and joined by nested loops they would cost rows × rows.
 */
export const asCompare = <T>(tx: Tx, fn: (tx: Tx) => Promise<T>) =>
  asRole(tx, 'compare', fn, { nestedLoops: false });

async function asRole<T>(
  tx: Tx,
  role: SandboxRole,
  fn: (tx: Tx) => Promise<T>,
  { nestedLoops } = { nestedLoops: true },
): Promise<T> {
  return tx.transaction(async (inner) => {
    const loops = (value: 'on' | 'off') =>
      nestedLoops ? sql`` : sql`, set_config('enable_nestloop', ${value}, true)`;
    await inner.execute(sql`select set_config('role', ${await sandboxRole(inner, role)}, true),
      set_config('search_path', '', true)${loops('off')}`);
    const result = await fn(inner);
    await inner.execute(sql`select set_config('role', 'none', true)${loops('on')}`);
    return result;
  });
}

/** Canonical text of a key column: equal values, equal text, whatever the session is set to. */
function keyPartSql(column: Column, alias: string): string {
  const value = columnSql(alias, column.name);
  switch (baseType(column.type)) {
    case 'numeric':
      return `trim_scale(${value})::text`;
    case 'date':
      return `(to_jsonb(${value}) #>> '{}')`;
    case 'timestamptz': {
      // as PostgreSQL writes it in UTC; JSON's form of a time depends on no setting of the session
      const utc = `replace(to_jsonb(timezone('UTC', ${value})) #>> '{}', 'T', ' ')`;
      return `regexp_replace(${utc}, '([0-9])( BC)?$', '\\1+00\\2')`;
    }
    default:
      return `${value}::text`;
  }
}

/** The row's `_key`: the key column's text, or with several a JSON array; NULL if one is NULL. */
export function keySql(dataset: DatasetShape, alias: string): string {
  const parts = dataset.key.map((name) => {
    const column = dataset.columns.find((c) => c.name === name);
    if (!column) throw new Error(`key column ${name} is not a column`);
    return keyPartSql(column, alias);
  });
  if (parts.length === 1) return parts[0] as string;
  const none = parts.map((p) => `${p} is null`).join(' or ');
  return `case when ${none} then null else jsonb_build_array(${parts.join(', ')})::text end`;
}

/** The output columns, assignment-cast to the declared types, named as the dataset's. */
export function outputSql(dataset: DatasetShape, alias: string): string {
  return dataset.columns
    .map((c) => `${columnSql(alias, c.name)}::${c.type} as ${ident(c.name)}`)
    .join(', ');
}

/** Microseconds since 1970, or NULL for a time that is NULL or infinite. */
export function microsSql(expression: string): string {
  return `case when isfinite(${expression}) then (extract(epoch from ${expression}) * 1000000)::bigint end`;
}

interface EvaluatedRow {
  sourceKey: string;
  key: string | null;
  micros: string | null;
  values: (string | null)[];
}

/**
 * What a transform makes of each fact. The facts go in as a parameter, so the transform's role
 * needs no table at all. A fact that errs is found by halving and answers with its error; other
 * errors than those of data (a timeout, a lost connection) are thrown.
 */
export async function evaluate(
  tx: Tx,
  dataset: DatasetShape,
  lateral: string,
  facts: readonly Fact[],
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const work: (readonly Fact[])[] = [facts];
  for (let part = work.pop(); part; part = work.pop()) {
    if (part.length === 0) continue;
    try {
      const found = await asTransform(tx, (inner) => evaluateAll(inner, dataset, lateral, part));
      for (const fact of part) outcomes.set(fact.key, { kind: 'filtered' });
      for (const row of found) {
        outcomes.set(row.sourceKey, {
          kind: 'row',
          key: row.key,
          micros: row.micros === null ? null : BigInt(row.micros),
          values: row.values,
        });
      }
    } catch (error) {
      const problem = pgError(error);
      if (!problem || !/^(22|23)/.test(problem.code)) throw error;
      const [only] = part;
      if (part.length === 1 && only) {
        outcomes.set(only.key, { kind: 'error', code: problem.code, error: problem.message });
      } else {
        const half = part.length >> 1;
        work.push(part.slice(half), part.slice(0, half));
      }
    }
  }
  return outcomes;
}

function evaluateAll(tx: Tx, dataset: DatasetShape, lateral: string, facts: readonly Fact[]) {
  const time = columnSql('o', dataset.businessTime);
  const values = dataset.columns.map((c) => `${columnSql('o', c.name)}::text`).join(', ');
  return rows<EvaluatedRow>(
    tx,
    sql`select o._source_key as "sourceKey", ${sql.raw(keySql(dataset, 'o'))} as key,
        ${sql.raw(microsSql(time))} as micros, array[${sql.raw(values)}] as values
      from (
        select f._source_key, ${sql.raw(outputSql(dataset, 't'))}
        from ${jsonFacts(dataset.source, facts)}
        cross join lateral (${sql.raw(lateral)}) t
      ) o`,
  );
}

function jsonFacts(source: SourceShape, facts: readonly Fact[]) {
  return sql`jsonb_to_recordset(${json(factsJson(facts))})
    as f (_source_key text, _revision bigint, ${sql.raw(recordSql(source))})`;
}
