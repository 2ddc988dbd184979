import { isDeepStrictEqual } from 'node:util';
import type { FuncCall, Node, WindowDef } from 'libpg-query';
import type { ExpressionChecker } from '@/lib/transform/expression-checker';
import type { Argument } from '@/lib/transform/function-catalog';
import { isAggregate, isWindowFunction } from '@/lib/transform/function-names';
import type { Outcome } from '@/lib/transform/operator';
import { INVALID, NOT_DETERMINISTIC, type ProblemCode } from '@/lib/transform/problem';
import type { Scope } from '@/lib/transform/scope';
import { namesOf, withoutPositions } from '@/lib/transform/tree';
import { arrayOf, typeLabel, type ValueType } from '@/lib/transform/value-type';

/** A SELECT of grain `partition`, as its aggregates and windows see it. */
export interface ManyRows {
  readonly windows: ReadonlyMap<string, WindowDef>;
  /** What an order by these expressions lacks to be the only one; null where it lacks nothing. */
  lacking(order: readonly Node[]): string | null;
  /** Told of each aggregate that is no window's. */
  noteAggregate(): void;
}

const refuse = (code: ProblemCode, message: string): Outcome => ({ refusal: { code, message } });

/**
 * The type of an aggregate or of a function over a window; null for any other call. The rows of a
 * partition come in any order, so only what does not depend on it is allowed: aggregates over exact
 * types, ranks, and what depends on an order where that order leaves no two rows equal.
 */
export function wideCall(
  checker: ExpressionChecker,
  call: FuncCall,
  args: readonly Argument[],
  scope: Scope,
  many: ManyRows,
): Outcome | null {
  const name = namesOf(call.funcname)?.at(-1) ?? '';
  if (call.over === undefined && isWindowFunction(name)) {
    return refuse(INVALID, `${name}() needs OVER (…).`);
  }
  if (!isAggregate(name) && !(call.over !== undefined && isWindowFunction(name))) {
    return call.over === undefined ? null : refuse(INVALID, `${name}() has no OVER (…).`);
  }
  const { many: _, ...inside } = scope;
  if (call.agg_filter !== undefined) checkCondition(checker, call.agg_filter, inside);
  const sorted = sortedBy(checker, call.agg_order ?? [], inside);
  if ('refusal' in sorted) return sorted;
  if (args.some(({ type }) => type === 'error')) return { type: 'error' };
  const window = call.over === undefined ? null : windowOf(checker, call.over, scope, many);
  if (window !== null && 'refusal' in window) return window;
  if (window === null) many.noteAggregate();
  if (isWindowFunction(name)) return windowFunction(name, args, window?.order ?? [], many);
  if (window?.byRows) {
    const lacking = orderProblem(`${name}() over ROWS`, window.order, many);
    if (lacking !== null) return lacking;
  }
  return aggregate(name, args, call, sorted.order);
}

const WHOLE: readonly ValueType[] = ['integer', 'bigint'];
const EXACT: readonly ValueType[] = [...WHOLE, 'numeric'];
const MOMENTS: readonly ValueType[] = ['date', 'timestamp', 'timestamptz', 'time'];
const COMPARABLE: readonly ValueType[] = [...EXACT, 'double precision', 'text', ...MOMENTS];
/** Types whose equal values are the same to the byte. */
const SINGULAR: readonly ValueType[] = [...WHOLE, 'text', 'boolean', 'uuid', ...MOMENTS];

const SPREADS = 'stddev stddev_pop stddev_samp var_pop var_samp variance'.split(' ');

function aggregate(
  name: string,
  args: readonly Argument[],
  call: FuncCall,
  order: readonly Node[],
): Outcome {
  const [first, second] = args;
  if (call.agg_star || first === undefined) {
    if (name === 'count' && call.agg_star) return { type: 'bigint' };
    return refuse(INVALID, `${name}() takes an argument.`);
  }
  const { type } = first;
  const plain = args.length === 1;
  const over = (types: readonly ValueType[], result: ValueType): Outcome | null =>
    plain && types.includes(type) ? { type: result } : null;
  const found = ((): Outcome | null => {
    switch (name) {
      case 'count':
        return plain ? { type: 'bigint' } : null;
      case 'sum':
        return over(['integer'], 'bigint') ?? over(EXACT, 'numeric') ?? over(['interval'], type);
      case 'avg':
        return over(EXACT, 'numeric');
      case 'min':
      case 'max':
        return over(COMPARABLE, type);
      case 'bool_and':
      case 'bool_or':
      case 'every':
        return over(['boolean'], 'boolean');
      case 'bit_and':
      case 'bit_or':
      case 'bit_xor':
        return over(WHOLE, type);
      case 'array_agg':
        return over(SINGULAR, arrayOf(type)) && inOrder(name, call, order, arrayOf(type));
      case 'string_agg':
        if (args.length !== 2 || type !== 'text' || second?.literal == null) return null;
        return inOrder(name, call, order, 'text');
      default:
        return SPREADS.includes(name) ? over(EXACT, 'numeric') : null;
    }
  })();
  if (found !== null) return found;
  if (type === 'double precision' && plain) {
    const message = `${name}() over double precision depends on the order of rows; cast to numeric.`;
    return refuse(NOT_DETERMINISTIC, message);
  }
  const form = `${name}(${args.map((arg) => typeLabel(arg.type)).join(', ')})`;
  const advice = ADVICE[name] ?? 'is not among the aggregates that no order of rows changes';
  return refuse(NOT_DETERMINISTIC, `${form} ${advice}.`);
}

const ADVICE: Readonly<Record<string, string>> = {
  any_value: 'takes whichever row comes first; use min() or max()',
  string_agg: 'is taken over text, with a literal between',
};

/** What is put together in an order is the same each time if equal neighbours are equal values. */
function inOrder(name: string, call: FuncCall, order: readonly Node[], result: ValueType): Outcome {
  const [arg] = call.args ?? [];
  if (arg !== undefined && order.some((node) => sameNode(node, arg))) return { type: result };
  const message = `${name}() depends on the order of rows: end its ORDER BY with what it puts together.`;
  return refuse(NOT_DETERMINISTIC, message);
}

const RANKS: Readonly<Record<string, ValueType>> = {
  rank: 'bigint',
  dense_rank: 'bigint',
  percent_rank: 'double precision',
  cume_dist: 'double precision',
};

function windowFunction(
  name: string,
  args: readonly Argument[],
  order: readonly Node[],
  many: ManyRows,
): Outcome {
  const rank = RANKS[name];
  if (rank !== undefined && args.length === 0) return { type: rank };
  const type = positional(name, args);
  if (type === null) {
    const form = `${name}(${args.map((arg) => typeLabel(arg.type)).join(', ')})`;
    return refuse(INVALID, `There is no ${form} over a window here.`);
  }
  return orderProblem(`${name}()`, order, many) ?? { type };
}

/** The type of a window's function that depends on which row comes before which. */
function positional(name: string, args: readonly Argument[]): ValueType | null {
  const [value, count, other] = args;
  const valueType = value?.type === 'unknown' ? 'text' : (value?.type ?? null);
  const counted = count === undefined || count.type === 'integer';
  switch (name) {
    case 'row_number':
      return args.length === 0 ? 'bigint' : null;
    case 'ntile':
      return args.length === 1 && value?.type === 'integer' ? 'integer' : null;
    case 'first_value':
    case 'last_value':
      return args.length === 1 ? valueType : null;
    case 'nth_value':
      return args.length === 2 && counted ? valueType : null;
    case 'lag':
    case 'lead': {
      const fits = other === undefined || other.type === 'unknown' || other.type === valueType;
      return args.length <= 3 && counted && fits ? valueType : null;
    }
    default:
      return null;
  }
}

function orderProblem(what: string, order: readonly Node[], many: ManyRows): Outcome | null {
  const lacking = many.lacking(order);
  if (lacking === null) return null;
  const message = `${what} needs an ORDER BY that leaves no two rows equal; it lacks ${lacking}.`;
  return refuse(NOT_DETERMINISTIC, message);
}

const FRAME_ROWS = 0x4;

/** A window's partition and order as one list, for what is equal in both has no order. */
function windowOf(
  checker: ExpressionChecker,
  over: WindowDef,
  scope: Scope,
  many: ManyRows,
):
  | { order: readonly Node[]; byRows: boolean }
  | { refusal: { code: ProblemCode; message: string } } {
  const named = over.name === undefined ? over : many.windows.get(over.name);
  const bad = (message: string) => ({ refusal: { code: INVALID as ProblemCode, message } });
  if (named === undefined) return bad(`There is no window ${over.name}.`);
  if (named.refname !== undefined) return bad('A window is not made from another one here.');
  const numbers = [named.startOffset, named.endOffset].filter((node) => node !== undefined);
  if (!numbers.every((node) => 'A_Const' in node && node.A_Const.ival !== undefined)) {
    return bad("A frame's borders are numbers here.");
  }
  for (const node of named.partitionClause ?? []) checker.check(node, scope);
  const sorted = sortedBy(checker, named.orderClause ?? [], scope);
  if ('refusal' in sorted) return bad(sorted.refusal.message);
  return {
    order: [...(named.partitionClause ?? []), ...sorted.order],
    byRows: ((named.frameOptions ?? 0) & FRAME_ROWS) !== 0,
  };
}

/** The expressions of an ORDER BY inside an expression, checked. */
function sortedBy(
  checker: ExpressionChecker,
  clause: readonly Node[],
  scope: Scope,
): { order: readonly Node[] } | { refusal: { code: ProblemCode; message: string } } {
  const order: Node[] = [];
  for (const node of clause) {
    const inner = sortNode(node);
    if (inner === null) {
      return { refusal: { code: INVALID, message: 'ORDER BY … USING is not allowed.' } };
    }
    checker.check(inner, scope);
    order.push(inner);
  }
  return { order };
}

/** The expression of one item of an ORDER BY; null where it names an operator of its own. */
export function sortNode(node: Node): Node | null {
  if (!('SortBy' in node) || node.SortBy.useOp !== undefined) return null;
  return node.SortBy.node ?? null;
}

function checkCondition(checker: ExpressionChecker, node: Node, scope: Scope): void {
  const { type, at } = checker.check(node, scope);
  if (!['boolean', 'unknown', 'error'].includes(type)) {
    checker.problems.add(INVALID, `A condition is boolean, not ${type}.`, at);
  }
}

export function sameNode(a: Node, b: Node): boolean {
  return isDeepStrictEqual(withoutPositions(a), withoutPositions(b));
}
