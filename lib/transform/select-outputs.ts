import type { Node, SelectStmt } from 'libpg-query';
import type { ExpressionChecker } from '@/lib/transform/expression-checker';
import { outputName } from '@/lib/transform/output-name';
import { INVALID, type Problems } from '@/lib/transform/problem';
import { resolve, type Scope, type ScopeColumn } from '@/lib/transform/scope';
import { locationOf, namesOf } from '@/lib/transform/tree';

/** An output column with the place where it is written. */
export interface OutputColumn extends ScopeColumn {
  readonly at: number | undefined;
  /** The column of a relation that it is, unchanged. */
  readonly of?: ScopeColumn | null;
}

/** PostgreSQL's own limit; sub-selects of `*, *` would double the columns with each step. */
const MAX_COLUMNS = 1664;

/** The output columns of a SELECT; a star stands for those of its relations. */
export function outputsOf(
  { targetList = [] }: SelectStmt,
  scope: Scope,
  problems: Problems,
  expressions: ExpressionChecker,
): OutputColumn[] {
  const columns: OutputColumn[] = [];
  for (const node of targetList) {
    columns.push(...outputOf(node, scope, problems, expressions));
    if (columns.length <= MAX_COLUMNS) continue;
    const message = `A SELECT has at most ${MAX_COLUMNS} columns.`;
    problems.add(INVALID, message, locationOf(node));
    return [];
  }
  return columns;
}

function outputOf(
  node: Node,
  scope: Scope,
  problems: Problems,
  expressions: ExpressionChecker,
): OutputColumn[] {
  if (!('ResTarget' in node) || !node.ResTarget.val) return [];
  const { name, val, location, indirection } = node.ResTarget;
  if (indirection) problems.add(INVALID, 'An output has a plain name.', location);
  const star = starOf(val, scope, problems);
  if (star !== null) return star.map((column) => ({ ...column, at: location, of: column }));
  const { type } = expressions.check(val, scope);
  // PostgreSQL makes text of an output literal whose type nothing else decides.
  const output = type === 'unknown' ? 'text' : type;
  const of = columnOf(val, scope);
  const origin = of?.origin ?? null;
  return [{ name: name ?? outputName(val), type: output, origin, at: location, of }];
}

/** The columns of `*` or `relation.*`; null for anything else. */
function starOf(node: Node, scope: Scope, problems: Problems): ScopeColumn[] | null {
  if (!('ColumnRef' in node)) return null;
  const fields = node.ColumnRef.fields ?? [];
  const final = fields.at(-1);
  if (final === undefined || !('A_Star' in final)) return null;
  const qualifiers = namesOf(fields.slice(0, -1)) ?? [];
  const relations = scope.relations.filter(
    ({ name }) => qualifiers.length === 0 || (qualifiers.length === 1 && name === qualifiers[0]),
  );
  if (relations.length === 0) {
    const message = `There is no relation ${qualifiers.join('.') || 'to take * from'}.`;
    problems.add(INVALID, message, node.ColumnRef.location);
  }
  return relations.flatMap(({ columns }) => [...(columns ?? [])]);
}

function columnOf(node: Node, scope: Scope): ScopeColumn | null {
  if (!('ColumnRef' in node)) return null;
  const names = namesOf(node.ColumnRef.fields);
  const found = names === null ? null : resolve(scope, names);
  return found && 'column' in found ? found.column : null;
}
