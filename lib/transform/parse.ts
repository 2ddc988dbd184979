import type { SelectStmt } from 'libpg-query';
import { type Digest, formatDigest, sha256Bytes, tagBytes } from '@/lib/digest/canonical';
import type { TypedColumn } from '@/lib/digest/column-type';
import type { Grain } from '@/lib/domain/dataset';
import { castRefusal } from '@/lib/transform/cast';
import { loadGrammar, parseSelect, printSelect } from '@/lib/transform/grammar';
import { inlineCtes } from '@/lib/transform/inline-ctes';
import { INVALID, type Problem, Problems } from '@/lib/transform/problem';
import { SelectChecker } from '@/lib/transform/select-checker';
import type { OutputColumn } from '@/lib/transform/select-outputs';
import { hasMember } from '@/lib/transform/tree';
import { columnValueType, isNumber, typeLabel, type ValueType } from '@/lib/transform/value-type';

export interface TransformContext {
  /** The declared columns of the source, which are the columns of the relation `source`. */
  readonly sourceColumns: readonly TypedColumn[];
  /** The declared columns of the dataset, which the output must have, in any order. */
  readonly targetColumns: readonly TypedColumn[];
  /** Names of the dataset's key columns, where they are to be checked, and its business time. */
  readonly key?: readonly string[];
  readonly businessTime: string;
  /** `partition`: it sees all facts of one partition. `row` unless given. */
  readonly grain?: Grain;
  /** The source's key columns: by them rows of `source` are told apart in grain `partition`. */
  readonly sourceKey?: readonly string[];
}

export interface TransformColumn {
  readonly name: string;
  /** What the expression yields, by our own rules; PostgreSQL has the last word when it prepares. */
  readonly type: ValueType;
  /** The source column that it passes through unchanged, or null. */
  readonly passThrough: string | null;
}

export interface Transform {
  readonly digest: Digest;
  /** The text as its author wrote it, for people. */
  readonly sql: string;
  /** The normal form that the digest is taken over. */
  readonly normal: string;
  /** In the order of the output. */
  readonly columns: readonly TransformColumn[];
  /** The source column that the business time passes through, so that a filter may use it. */
  readonly businessTimeSource: string | null;
  /** Whether it has a WHERE, and so may yield no row for a fact. */
  readonly filters: boolean;
  /** The checked tree for `lateralSql`, in grain `row` without WITH. */
  readonly tree: SelectStmt;
}

export type TransformCheck =
  | { readonly ok: true; readonly transform: Transform }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const TRANSFORM_TAG = 'interlock.transform.v1';

/**
 * The digest of a transform: SHA-256(tag ‖ 0x00 ‖ normal form). The normal form is the text that is
 * printed from the syntax tree, so white space, comments, the case of keywords and needless
 * parentheses do not matter. Stored beside the author's text it can be digested again by anybody,
 * without a parser, whatever later versions of the printer do.
 */
export function transformDigest(normal: string): Digest {
  return formatDigest(sha256Bytes(tagBytes(TRANSFORM_TAG), normal));
}

/**
 * Parses a transform with PostgreSQL's grammar and checks that it is one deterministic SELECT which
 * makes each row from one row of `source`, or in grain `partition` a partition's rows from all of
 * its facts, and whose output is the dataset's columns. All problems
 * are answered at once, in order of position.
 */
export async function checkTransform(
  sql: string,
  context: TransformContext,
): Promise<TransformCheck> {
  await loadGrammar();
  const problems = new Problems(sql);
  const tree = parseSelect(sql, problems);
  if (tree === null) return { ok: false, problems: problems.list() };
  const source = context.sourceColumns.map(({ name, type }) => ({
    name,
    type: columnValueType(type),
    origin: name,
  }));
  const grain = context.grain ?? 'row';
  const checker = new SelectChecker(problems, source, grain, context.sourceKey ?? null);
  const outputs = select(tree, checker, problems);
  if (!problems.any) checkOutputs(outputs, context, problems);
  const normal = problems.any ? null : printSelect(tree);
  // in grain partition a CTE may be read twice, and source, inside it, still is there once
  const inlined = normal === null || grain === 'partition' ? tree : inlineCtes(tree);
  if (normal === null || inlined === null || printSelect(inlined) === null) {
    if (!problems.any) problems.add(INVALID, 'The statement has a form that is not supported.', 0);
    return { ok: false, problems: problems.list() };
  }
  const columns = outputs.map(({ name, type, origin }) => ({ name, type, passThrough: origin }));
  const time = columns.find(({ name }) => name === context.businessTime);
  const transform: Transform = {
    digest: transformDigest(normal),
    sql,
    normal,
    columns,
    businessTimeSource: time?.passThrough ?? null,
    filters: hasMember(tree, 'whereClause'),
    tree: inlined,
  };
  return { ok: true, transform };
}

function select(
  tree: SelectStmt,
  checker: SelectChecker,
  problems: Problems,
): readonly OutputColumn[] {
  try {
    return checker.transform(tree);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.add(INVALID, 'The text is nested too deeply.', 0);
    return [];
  }
}

function checkOutputs(
  outputs: readonly OutputColumn[],
  { targetColumns, key = [], businessTime }: TransformContext,
  problems: Problems,
): void {
  const seen = new Set<string>();
  for (const output of outputs) {
    const target = targetColumns.find(({ name }) => name === output.name);
    if (seen.has(output.name)) {
      problems.add(INVALID, `The output has two columns ${output.name}.`, output.at);
    } else if (target === undefined) {
      problems.add(INVALID, `The dataset has no column ${output.name}.`, output.at);
    } else {
      checkType(output, columnValueType(target.type), problems);
    }
    seen.add(output.name);
  }
  const names = targetColumns.map(({ name }) => name);
  const missing = names.filter((name) => !seen.has(name));
  if (missing.length > 0) {
    const what = missing.length === 1 ? 'column' : 'columns';
    problems.add(INVALID, `The output lacks the dataset's ${what} ${missing.join(', ')}.`, 0);
  }
  for (const name of [...key, businessTime].filter((each) => !names.includes(each))) {
    problems.add(INVALID, `The dataset's columns lack ${name}.`, 0);
  }
}

/** An output has the declared base type; among numbers PostgreSQL casts when the row is stored. */
function checkType({ name, type, at }: OutputColumn, declared: ValueType, problems: Problems) {
  if (type === declared || (isNumber(type) && isNumber(declared))) return;
  const refusal = castRefusal(type, declared);
  const advice = refusal === null ? '; cast it' : `. ${refusal.message}`;
  problems.add(
    refusal?.code ?? INVALID,
    `${name} is ${typeLabel(type)}, and the dataset declares ${declared}${advice}`.replace(
      /\.?$/,
      '.',
    ),
    at,
  );
}
