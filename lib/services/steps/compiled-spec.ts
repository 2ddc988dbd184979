import type { DatasetShape } from '@/lib/db/dataset-shape';
import type { CompareAggregates } from '@/lib/db/statements/compare';
import type { Rule } from '@/lib/db/statements/compare-sides';
import type { DatasetAggregates } from '@/lib/db/statements/figures';
import { ident } from '@/lib/digest/row-encoding-sql';
import { Invalid, type Issue } from '@/lib/domain/refusal';
import { contractName, type ReleaseSpec } from '@/lib/domain/release';
import type { FrozenSpec } from '@/lib/domain/release-freeze';
import { aggregatesOf, compileConserved, compilePredicate } from '@/lib/services/apply/aggregates';
import type { ReleaseShape } from './release-shape';

export interface CompiledSpec {
  frozen: FrozenSpec;
  rules: Rule[];
  aggregates: CompareAggregates;
  datasetAggregates: DatasetAggregates;
}

type Expressions = Pick<ReleaseSpec, 'expectedDiff' | 'contract'> & {
  conserved?: ReleaseSpec['conserved'] | undefined;
};

/**
 * Compiles every expression of a spec against its dataset.
 *
 * @throws Invalid with every fault at its pointer, line and column
 */
export async function compileExpressions(
  spec: Expressions,
  dataset: DatasetShape,
): Promise<{ rules: Rule[]; aggregates: CompareAggregates }> {
  const issues: Issue[] = [];
  const attempt = async <T>(promise: Promise<T>): Promise<T | null> => {
    try {
      return await promise;
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      issues.push(...error.issues);
      return null;
    }
  };
  const { columns } = dataset;
  const both = [
    { name: 'old', alias: 'old', columns },
    { name: 'new', alias: 'new', columns },
  ];
  const rules: Rule[] = [];
  for (const [i, rule] of spec.expectedDiff.entries()) {
    const whereSql = await attempt(compilePredicate(rule.where, both, `/expectedDiff/${i}/where`));
    if (whereSql !== null) rules.push({ name: rule.rule, whereSql, columns: rule.columns });
  }
  const conserved: CompareAggregates['conserved'] = [];
  for (const [i, item] of (spec.conserved ?? dataset.conserved).entries()) {
    const at = `/conserved/${i}`;
    const old = await attempt(compileConserved(item.old, { alias: 'old', columns }, `${at}/old`));
    const now = await attempt(compileConserved(item.new, { alias: 'new', columns }, `${at}/new`));
    const source = item.source
      ? await attempt(
          compileConserved(
            item.source,
            { alias: 'f', columns: dataset.source.columns },
            `${at}/source`,
          ),
        )
      : null;
    if (old && now) conserved.push({ name: item.name, old, new: now, source });
  }
  const contract: CompareAggregates['contract'] = [];
  for (const [i, item] of spec.contract.entries()) {
    const badSql =
      item.check === 'sql'
        ? await attempt(
            compilePredicate(
              item.where_bad,
              [{ name: null, alias: 'new', columns }],
              `/contract/${i}/where_bad`,
            ),
          )
        : `("new".${ident(item.column)} is null)`;
    if (badSql !== null) contract.push({ name: contractName(item), badSql });
  }
  if (issues.length > 0) throw new Invalid(issues);
  return { rules, aggregates: { conserved, contract } };
}

/** A pinned release's spec, compiled: what its reconciliation runs. */
export async function compileSpec(shape: ReleaseShape): Promise<CompiledSpec> {
  const frozen = shape.release.spec as FrozenSpec;
  const filled = {
    ...frozen,
    contract: frozen.contract ?? [],
    expectedDiff: frozen.expectedDiff ?? [],
  };
  return {
    frozen: filled,
    ...(await compileExpressions(filled, shape.dataset)),
    datasetAggregates: await aggregatesOf(shape.dataset),
  };
}
