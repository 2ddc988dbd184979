import type { FuncCall, Node, SelectStmt } from 'libpg-query';
import type { TypedColumn } from '@/lib/digest/column-type';
import { ExpressionChecker } from '@/lib/transform/expression-checker';
import { loadGrammar, parseSelect, printSelect } from '@/lib/transform/grammar';
import { INVALID, NOT_DETERMINISTIC, type Problem, Problems } from '@/lib/transform/problem';
import { resolve, type Scope, type ScopeRelation } from '@/lib/transform/scope';
import { locationOf, mapTree, namesOf } from '@/lib/transform/tree';
import { columnValueType, isNumber, type ValueType } from '@/lib/transform/value-type';

/** A relation whose columns an expression may name. */
export interface ExpressionRelation {
  /** What authors call it (`old`, `new`, `source`); null where columns stand without a qualifier. */
  readonly name: string | null;
  /** What the SQL text is to call it. */
  readonly alias: string;
  readonly columns: readonly TypedColumn[];
}

interface Checked {
  /** The normal form under the author's names: to digest, and to show. */
  readonly normal: string;
  /** Which columns it reads, each once, in order of appearance; `relation` is the author's name. */
  readonly reads: readonly { readonly relation: string | null; readonly column: string }[];
}

export interface Predicate extends Checked {
  /** SQL text in brackets, its columns qualified by the aliases; boolean, and NULL possible. */
  readonly sql: string;
}

export interface Aggregate extends Checked {
  readonly fn: 'sum' | 'count' | 'min' | 'max';
  /** SQL text in brackets, its columns qualified by the aliases; null is `count(*)`. */
  readonly argSql: string | null;
  /** SQL text of its FILTER likewise, or null. */
  readonly filterSql: string | null;
  /** What it yields. */
  readonly type: ValueType;
}

export type ExpressionCheck<T> =
  | { readonly ok: true; readonly expression: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const PREFIX = 'select ';

/**
 * Checks a condition: a rule's `where` over `old` and `new`, or a contract's `where_bad` over the
 * dataset's columns. The same allow-list holds as in a transform; there are no sub-selects.
 */
export function checkPredicate(
  sql: string,
  relations: readonly ExpressionRelation[],
): Promise<ExpressionCheck<Predicate>> {
  return checkExpression(sql, relations, (node, { checker, scope, problems }) => {
    checkCondition(node, checker, scope, problems);
    return (print) => ({ sql: print(node) });
  });
}

/**
 * Checks an aggregate that can be put together from parts: exactly one `sum`, `count`, `min` or
 * `max`, FILTER allowed, nothing around it. So totals derive from partitions and are never added
 * up row by row; `avg` is a sum and a count. `sum` over double precision depends on the order of
 * the rows and is refused.
 */
export function checkAggregate(
  sql: string,
  relations: readonly ExpressionRelation[],
): Promise<ExpressionCheck<Aggregate>> {
  return checkExpression(sql, relations, (node, { checker, scope, problems }) => {
    const call = aggregateCall(node);
    if (call === null) {
      const message = 'One aggregate stands here, and nothing around it: sum, count, min or max.';
      problems.add(INVALID, message, locationOf(node));
      return () => null;
    }
    const { fn, arg, filter } = call;
    const argType = arg === null ? null : checker.check(arg, scope).type;
    if (filter !== null) checkCondition(filter, checker, scope, problems);
    const type = aggregateType(fn, argType, problems, arg ?? node);
    return (print) => ({
      fn,
      argSql: arg === null ? null : print(arg),
      filterSql: filter === null ? null : print(filter),
      type,
    });
  });
}

interface Tools {
  readonly checker: ExpressionChecker;
  readonly scope: Scope;
  readonly problems: Problems;
}

type Print = (node: Node) => string;

async function checkExpression<T>(
  sql: string,
  relations: readonly ExpressionRelation[],
  check: (node: Node, tools: Tools) => (print: Print) => T | null,
): Promise<ExpressionCheck<T & Checked>> {
  await loadGrammar();
  const problems = new Problems(PREFIX + sql, PREFIX.length);
  const node = singleTarget(parseSelect(PREFIX + sql, problems), problems);
  const names = new Map<ScopeRelation, ExpressionRelation>();
  for (const relation of relations) names.set(scopeOf(relation), relation);
  const scope: Scope = { relations: [...names.keys()], outer: null };
  const checker = new ExpressionChecker(problems, null);
  if (node !== null) {
    try {
      const build = check(node, { checker, scope, problems });
      if (!problems.any) {
        const result = build((part) => printNode(qualified(part, scope, names)));
        const checked = { normal: printNode(node, false), reads: readsOf(node, scope, names) };
        if (result !== null) return { ok: true, expression: { ...result, ...checked } };
      }
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof UnprintableError)) throw error;
      problems.add(INVALID, 'This form of expression is not supported.', PREFIX.length);
    }
  }
  return { ok: false, problems: problems.list() };
}

/** The one expression of `select <text>`; any clause that the text brings along is refused. */
function singleTarget(select: SelectStmt | null, problems: Problems): Node | null {
  if (select === null) return null;
  const clauses = Object.keys(select).filter(
    (clause) => !['targetList', 'limitOption', 'op'].includes(clause),
  );
  const isPlain = clauses.length === 0 && select.op === 'SETOP_NONE';
  const [target, another] = select.targetList ?? [];
  if (target === undefined && isPlain) {
    problems.add(INVALID, 'There is no expression.', PREFIX.length);
    return null;
  }
  const inside = target && 'ResTarget' in target ? target.ResTarget : undefined;
  if (!isPlain || another !== undefined || inside?.name !== undefined || inside?.indirection) {
    problems.add(INVALID, 'One expression stands here, and nothing else.', PREFIX.length);
    return null;
  }
  return inside?.val ?? null;
}

function scopeOf({ name, columns }: ExpressionRelation): ScopeRelation {
  return {
    name,
    columns: columns.map((column) => ({
      name: column.name,
      type: columnValueType(column.type),
      origin: column.name,
    })),
  };
}

function checkCondition(
  node: Node,
  checker: ExpressionChecker,
  scope: Scope,
  problems: Problems,
): void {
  const { type, at } = checker.check(node, scope);
  if (!['boolean', 'unknown', 'error'].includes(type)) {
    problems.add(INVALID, `A condition is boolean, not ${type}.`, at);
  }
}

const AGGREGATES: readonly string[] = ['sum', 'count', 'min', 'max'];

function aggregateCall(
  node: Node,
): { fn: Aggregate['fn']; arg: Node | null; filter: Node | null } | null {
  if (!('FuncCall' in node)) return null;
  const call: FuncCall = node.FuncCall;
  const allowed = ['funcname', 'args', 'agg_star', 'agg_filter', 'funcformat', 'location'];
  const names = namesOf(call.funcname) ?? [];
  const fn = names.at(-1) ?? '';
  const isOurs = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
  const [arg, another] = call.args ?? [];
  if (!isOurs || !AGGREGATES.includes(fn) || another !== undefined) return null;
  if (Object.keys(call).some((member) => !allowed.includes(member))) return null;
  const isStar = call.agg_star === true;
  if (isStar ? fn !== 'count' : arg === undefined) return null;
  return { fn: fn as Aggregate['fn'], arg: arg ?? null, filter: call.agg_filter ?? null };
}

const ORDERED: readonly ValueType[] = ['text', 'date', 'timestamp', 'timestamptz', 'time'];

function aggregateType(
  fn: Aggregate['fn'],
  arg: ValueType | null,
  problems: Problems,
  node: Node,
): ValueType {
  if (fn === 'count') return 'bigint';
  if (arg === null || arg === 'error') return 'error';
  if (fn === 'sum' && arg === 'double precision') {
    const message = 'A sum over double precision depends on the order of rows; cast to numeric.';
    problems.add(NOT_DETERMINISTIC, message, locationOf(node));
  } else if (!isNumber(arg) && (fn === 'sum' || !ORDERED.includes(arg))) {
    problems.add(INVALID, `There is no ${fn} over ${arg}; cast it.`, locationOf(node));
  }
  if (fn !== 'sum') return arg;
  return arg === 'integer' ? 'bigint' : 'numeric';
}

function readsOf(
  node: Node,
  scope: Scope,
  names: ReadonlyMap<ScopeRelation, ExpressionRelation>,
): Checked['reads'] {
  const found = new Map<string, Checked['reads'][number]>();
  mapTree(node, (part) => {
    const column = columnOf(part, scope, names);
    if (column === null) return undefined;
    const read = { relation: column.relation.name, column: column.name };
    found.set(JSON.stringify(read), read);
    return part;
  });
  return [...found.values()];
}

/** The expression with every column under its relation's alias. */
function qualified(
  node: Node,
  scope: Scope,
  names: ReadonlyMap<ScopeRelation, ExpressionRelation>,
): Node {
  return mapTree(node, (part) => {
    const column = columnOf(part, scope, names);
    if (column === null) return undefined;
    const fields = [column.relation.alias, column.name].map((sval) => ({ String: { sval } }));
    return { ColumnRef: { fields } };
  });
}

function columnOf(
  node: Node,
  scope: Scope,
  names: ReadonlyMap<ScopeRelation, ExpressionRelation>,
): { relation: ExpressionRelation; name: string } | null {
  if (!('ColumnRef' in node)) return null;
  const found = resolve(scope, namesOf(node.ColumnRef.fields) ?? []);
  const relation = 'column' in found ? names.get(found.relation) : undefined;
  if (!('column' in found) || relation === undefined) return null;
  return { relation, name: found.column.name };
}

class UnprintableError extends Error {}

function printNode(node: Node, bracketed = true): string {
  const select: SelectStmt = {
    targetList: [{ ResTarget: { val: node } }],
    limitOption: 'LIMIT_OPTION_DEFAULT',
    op: 'SETOP_NONE',
  };
  const text = printSelect(select);
  if (text === null || !/^select\s/i.test(text)) throw new UnprintableError();
  const expression = text.slice(PREFIX.length).trim();
  return bracketed ? `(${expression})` : expression;
}
