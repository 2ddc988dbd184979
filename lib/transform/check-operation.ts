import type { A_Expr, Node } from 'libpg-query';
import type { ExpressionChecker } from '@/lib/transform/expression-checker';
import { binary, type Outcome, prefix, unify } from '@/lib/transform/operator';
import { INVALID, NOT_DETERMINISTIC } from '@/lib/transform/problem';
import type { Scope } from '@/lib/transform/scope';
import { namesOf } from '@/lib/transform/tree';
import { elementOf, isArray, isMoment, type Typed, typed } from '@/lib/transform/value-type';

/** Checks an operator in any of its forms: `a + b`, `in`, `between`, `like`, `= any`, `nullif`… */
export function checkOperation(checker: ExpressionChecker, node: A_Expr, scope: Scope): Outcome {
  const names = namesOf(node.name) ?? [];
  const operator = names.at(-1) ?? '';
  if (names.length > 2 || (names.length === 2 && names[0] !== 'pg_catalog')) {
    const message = `Only PostgreSQL's own operators may be used, not ${names.join('.')}.`;
    return { refusal: { code: NOT_DETERMINISTIC, message } };
  }
  const left = node.lexpr === undefined ? null : checker.check(node.lexpr, scope);
  const items = listItems(node.rexpr);
  const rights = items.map((item) => checker.check(item, scope));
  const right = rights[0] ?? typed('error', undefined);
  if (left === null) {
    if (node.kind === 'AEXPR_OP') return prefix(operator, right);
    return { refusal: { code: INVALID, message: 'An operand is missing.' } };
  }
  switch (node.kind) {
    case 'AEXPR_OP':
    case 'AEXPR_LIKE':
    case 'AEXPR_ILIKE':
    case 'AEXPR_SIMILAR':
      return binary(operator, left, right);
    case 'AEXPR_DISTINCT':
    case 'AEXPR_NOT_DISTINCT':
      return binary('=', left, right);
    case 'AEXPR_IN':
    case 'AEXPR_BETWEEN':
    case 'AEXPR_NOT_BETWEEN':
    case 'AEXPR_BETWEEN_SYM':
    case 'AEXPR_NOT_BETWEEN_SYM':
      return first(rights.map((each) => binary('=', left, each)));
    case 'AEXPR_NULLIF':
      return nullif(left, right);
    case 'AEXPR_OP_ANY':
    case 'AEXPR_OP_ALL':
      return overArray(operator, left, right);
    default:
      return { refusal: { code: INVALID, message: 'This operator is not allowed.' } };
  }
}

function listItems(node: Node | undefined): readonly Node[] {
  if (node === undefined) return [];
  return 'List' in node ? (node.List.items ?? []) : [node];
}

/** The first refusal, or a boolean. */
function first(outcomes: readonly Outcome[]): Outcome {
  return outcomes.find((outcome) => 'refusal' in outcome) ?? { type: 'boolean' };
}

function nullif(left: Typed, right: Typed): Outcome {
  const both = unify([left, right]);
  if ('refusal' in both || both.type === 'error') return both;
  return { type: left.type === 'unknown' ? 'text' : left.type };
}

function overArray(operator: string, left: Typed, right: Typed): Outcome {
  if (left.type === 'error' || right.type === 'error') return { type: 'error' };
  if (isArray(right.type)) {
    return binary(operator, left, typed(elementOf(right.type), right.at));
  }
  if (right.type === 'unknown' && !isMoment(left.type)) {
    return binary(operator, left, { ...right, literal: null });
  }
  const message = 'The right side of any or all is an array here: array[…].';
  return { refusal: { code: isMoment(left.type) ? NOT_DETERMINISTIC : INVALID, message } };
}
