import type { SelectStmt } from 'libpg-query';
import { type Digest, formatDigest, sha256Bytes, tagBytes } from '@/lib/digest/canonical';
import type { TypedColumn } from '@/lib/digest/column-type';
import { loadGrammar, parseSelect, printSelect } from '@/lib/transform/grammar';
import { INVALID, type Problem, Problems } from '@/lib/transform/problem';
import { SelectChecker } from '@/lib/transform/select-checker';
import { mapTree } from '@/lib/transform/tree';
import { columnValueType, type ValueType } from '@/lib/transform/value-type';

export interface ReportContext {
  /** The dataset's name, which is the only relation that a report reads. */
  readonly dataset: string;
  readonly columns: readonly TypedColumn[];
  /** The columns that tell its rows apart. */
  readonly key: readonly string[];
}

export interface Report {
  readonly digest: Digest;
  /** In the order of the output. */
  readonly columns: readonly { readonly name: string; readonly type: ValueType }[];
  /** The outputs that together name a row of the result; none: it is one row; null: not known. */
  readonly key: readonly string[] | null;
  /** Reads the relation `_rows` in the place of the dataset. */
  readonly text: string;
}

export type ReportCheck =
  | { readonly ok: true; readonly report: Report }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The relation that a report's text reads; no name in a report may begin with an underscore. */
export const REPORT_ROWS = '_rows';

const REPORT_TAG = 'interlock.report.v1';

/**
 * Parses a report with PostgreSQL's grammar and checks that it is one SELECT over the dataset's rows
 * whose result depends on these alone: by the rules of a transform of grain `partition`, so that the
 * same rows give the same figures whenever, and in whatever order, they are read. Of two generations
 * its figures differ where their rows do, and nowhere else.
 */
export async function checkReport(sql: string, context: ReportContext): Promise<ReportCheck> {
  await loadGrammar();
  const problems = new Problems(sql);
  const tree = parseSelect(sql, problems);
  if (tree === null) return { ok: false, problems: problems.list() };
  const source = context.columns.map(({ name, type }) => ({
    name,
    type: columnValueType(type),
    origin: name,
  }));
  const { key, dataset } = context;
  const checker = new SelectChecker(problems, source, 'partition', key, dataset);
  const found = statement(checker, tree, problems);
  if (!problems.any) checkNames(found.columns, problems);
  const normal = problems.any ? null : printSelect(tree);
  const text = normal === null ? null : printSelect(overRows(tree, dataset));
  if (normal === null || text === null) {
    if (!problems.any) problems.add(INVALID, 'The statement has a form that is not supported.', 0);
    return { ok: false, problems: problems.list() };
  }
  return {
    ok: true,
    report: {
      digest: formatDigest(sha256Bytes(tagBytes(REPORT_TAG), normal)),
      columns: found.columns.map(({ name, type }) => ({ name, type })),
      key: found.unique,
      text,
    },
  };
}

function statement(checker: SelectChecker, tree: SelectStmt, problems: Problems) {
  try {
    return checker.statement(tree);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.add(INVALID, 'The text is nested too deeply.', 0);
    return { columns: [], unique: null };
  }
}

function checkNames(
  columns: readonly { name: string; at: number | undefined }[],
  problems: Problems,
): void {
  const seen = new Set<string>();
  for (const { name, at } of columns) {
    if (name === '?column?') problems.add(INVALID, 'Name this column with AS.', at);
    else if (seen.has(name)) problems.add(INVALID, `There are two columns ${name}.`, at);
    seen.add(name);
  }
  if (columns.length === 0) problems.add(INVALID, 'A report has a column at least.', 0);
}

/** The statement with the rows in the place of the dataset, under the name that it gave them. */
function overRows(tree: SelectStmt, dataset: string): SelectStmt {
  return mapTree(tree, (node) => {
    if (!('RangeVar' in node) || node.RangeVar.relname !== dataset) return undefined;
    const aliasname = node.RangeVar.alias?.aliasname ?? dataset;
    return { RangeVar: { ...node.RangeVar, relname: REPORT_ROWS, alias: { aliasname } } };
  });
}
