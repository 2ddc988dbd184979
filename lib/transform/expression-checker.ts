import type { A_Const, FuncCall, Node, SubLink, TypeCast } from 'libpg-query';
import type { Grain } from '@/lib/domain/dataset';
import { formRefusal, WIDE_CALL } from '@/lib/transform/allowed-form';
import { castRefusal, hasFixedText } from '@/lib/transform/cast';
import { checkOperation } from '@/lib/transform/check-operation';
import { type Argument, isListed, resultOf } from '@/lib/transform/function-catalog';
import {
  adviceFor,
  isAggregate,
  isWindowFunction,
  rowWiseProblem,
} from '@/lib/transform/function-names';
import { literalProblem } from '@/lib/transform/literal';
import { wideCall } from '@/lib/transform/many-rows';
import { type Outcome, unify } from '@/lib/transform/operator';
import {
  INVALID,
  NOT_DETERMINISTIC,
  NOT_ROW_WISE,
  type ProblemCode,
  type Problems,
} from '@/lib/transform/problem';
import { resolve, type Scope } from '@/lib/transform/scope';
import { locationOf, namesOf, stringOf } from '@/lib/transform/tree';
import {
  arrayOf,
  elementOf,
  isArray,
  namedType,
  type Typed,
  typed,
  typeLabel,
  type ValueType,
} from '@/lib/transform/value-type';

/** Checks a sub-select that stands as a value and answers its type. */
export type SubselectCheck = (link: SubLink, scope: Scope) => ValueType;

/**
 * Walks an expression and answers its type. Everything that is not known to be deterministic is
 * noted as a problem: node kinds, their members, functions, operators, casts and literals are all
 * allowed by list, so what PostgreSQL learns tomorrow is refused until somebody has looked at it.
 */
export class ExpressionChecker {
  readonly problems: Problems;
  readonly #subselect: SubselectCheck | null;
  readonly #grain: Grain;

  constructor(problems: Problems, subselect: SubselectCheck | null, grain: Grain = 'row') {
    this.problems = problems;
    this.#subselect = subselect;
    this.#grain = grain;
  }

  /** Checks an expression and answers its type; `error` only with a problem noted. */
  check(node: Node | undefined, scope: Scope): Typed {
    const result = node === undefined ? typed('error', undefined) : this.#check(node, scope);
    if (result.type === 'error' && !this.problems.any) {
      this.problems.add(INVALID, 'This expression is not allowed.', result.at);
    }
    return result;
  }

  #check(node: Node, scope: Scope): Typed {
    const at = locationOf(node);
    if (!this.#isAllowed(node, at)) return typed('error', at);
    if ('A_Const' in node) return constant(node.A_Const, at);
    if ('ColumnRef' in node) return this.#column(node.ColumnRef.fields ?? [], scope, at);
    if ('TypeCast' in node) return this.#cast(node.TypeCast, scope, at);
    if ('A_Expr' in node) {
      return this.settle(checkOperation(this, node.A_Expr, scope), node.A_Expr.location ?? at);
    }
    if ('BoolExpr' in node) return this.#booleans(node.BoolExpr.args ?? [], scope, at);
    if ('NullTest' in node) {
      this.check(node.NullTest.arg, scope);
      return typed('boolean', at);
    }
    if ('BooleanTest' in node) return this.#booleans([node.BooleanTest.arg], scope, at);
    if ('CaseExpr' in node) return this.#case(node.CaseExpr, scope, at);
    if ('CoalesceExpr' in node) return this.#common(node.CoalesceExpr.args, scope, at);
    if ('MinMaxExpr' in node) return this.#common(node.MinMaxExpr.args, scope, at);
    if ('FuncCall' in node) return this.#call(node.FuncCall, scope, at);
    if ('A_ArrayExpr' in node) {
      const element = this.#common(node.A_ArrayExpr.elements, scope, at);
      if (isArray(element.type)) return this.#refuse(INVALID, 'An array holds no arrays here.', at);
      return typed(arrayOf(element.type), at);
    }
    if ('A_Indirection' in node) return this.#subscript(node.A_Indirection, scope, at);
    if ('CollateClause' in node) return this.#collate(node.CollateClause, scope, at);
    if ('SubLink' in node) return this.#link(node.SubLink, scope, at);
    return typed('error', at);
  }

  /** An outcome as a typed value; a refusal is noted. */
  settle(outcome: Outcome, at: number | undefined): Typed {
    if ('type' in outcome) return typed(outcome.type, at);
    return this.#refuse(outcome.refusal.code, outcome.refusal.message, outcome.at ?? at);
  }

  #refuse(code: ProblemCode, message: string, at: number | undefined): Typed {
    this.problems.add(code, message, at);
    return typed('error', at);
  }

  #isAllowed(node: Node, at: number | undefined): boolean {
    const refusal = formRefusal(node, this.#grain === 'partition');
    if (refusal !== null) this.#refuse(refusal.code, refusal.message, at);
    return refusal === null;
  }

  #column(fields: readonly Node[], scope: Scope, at: number | undefined): Typed {
    const names = namesOf(fields);
    if (names === null) return this.#refuse(INVALID, '* does not stand for a value here.', at);
    const found = resolve(scope, names);
    if ('refused' in found) return typed('error', at);
    if ('problem' in found) return this.#refuse(INVALID, found.problem, at);
    return typed(found.column.type, at);
  }

  #cast({ arg, typeName }: TypeCast, scope: Scope, at: number | undefined): Typed {
    const names = namesOf(typeName?.names) ?? [];
    const base = namedType(names);
    const bounds = typeName?.arrayBounds?.length ?? 0;
    if (base === null || bounds > 1 || typeName?.setof || typeName?.pct_type) {
      const message = `Casts to ${names.join('.')} are not allowed.`;
      return this.#refuse(NOT_DETERMINISTIC, message, typeName?.location ?? at);
    }
    const target: ValueType = bounds === 1 ? `${base}[]` : base;
    const modifiers = typeName?.typmods ?? [];
    if (!modifiers.every((node) => 'A_Const' in node && node.A_Const.ival !== undefined)) {
      return this.#refuse(INVALID, 'A type takes numbers as its modifiers.', typeName?.location);
    }
    // `array[]` has no type of its own; PostgreSQL takes the cast's.
    const isEmptyArray = arg && 'A_ArrayExpr' in arg && !arg.A_ArrayExpr.elements?.length;
    if (isEmptyArray && isArray(target)) return typed(target, at);
    const value = this.check(arg, scope);
    if (value.type === 'unknown') return this.#literal(value, target, modifiers.length > 0, at);
    const refusal = castRefusal(value.type, target);
    if (refusal !== null) return this.#refuse(refusal.code, refusal.message, value.at ?? at);
    return typed(value.type === 'error' ? 'error' : target, at);
  }

  #literal(value: Typed, target: ValueType, modified: boolean, at: number | undefined): Typed {
    if (value.literal === null) return typed(target, at);
    const problem = isArray(target)
      ? arrayLiteralProblem(target)
      : literalProblem(target, value.literal);
    const plainNumber = target === 'interval' && modified && /^\d+$/.test(value.literal);
    if (problem && !plainNumber) return this.#refuse(NOT_DETERMINISTIC, problem, value.at ?? at);
    const literal = target === 'interval' && !modified ? value.literal : null;
    return { type: target, literal, at };
  }

  #booleans(args: readonly (Node | undefined)[], scope: Scope, at: number | undefined): Typed {
    for (const arg of args) {
      const value = this.check(arg, scope);
      if (!['boolean', 'unknown', 'error'].includes(value.type)) {
        this.#refuse(INVALID, `A condition is boolean, not ${value.type}.`, value.at ?? at);
      }
    }
    return typed('boolean', at);
  }

  #common(nodes: readonly Node[] | undefined, scope: Scope, at: number | undefined): Typed {
    return this.settle(unify((nodes ?? []).map((node) => this.check(node, scope))), at);
  }

  #case(
    node: { arg?: Node; args?: Node[]; defresult?: Node },
    scope: Scope,
    at: number | undefined,
  ): Typed {
    const subject = node.arg === undefined ? null : this.check(node.arg, scope);
    const results: Typed[] = [];
    for (const branch of node.args ?? []) {
      if (!('CaseWhen' in branch) || !this.#isAllowed(branch, at)) continue;
      const { expr, result } = branch.CaseWhen;
      if (subject === null) this.#booleans([expr], scope, at);
      else this.settle(unify([subject, this.check(expr, scope)]), at);
      results.push(this.check(result, scope));
    }
    if (node.defresult !== undefined) results.push(this.check(node.defresult, scope));
    return this.settle(unify(results), at);
  }

  #call(call: FuncCall, scope: Scope, at: number | undefined): Typed {
    const names = namesOf(call.funcname) ?? [];
    const name = names.at(-1) ?? '';
    const args: Argument[] = (call.args ?? []).map((node) => ({
      ...this.check(node, scope),
      number: 'A_Const' in node && node.A_Const.ival ? (node.A_Const.ival.ival ?? 0) : null,
    }));
    if (names.length > 1 && (names.length > 2 || names[0] !== 'pg_catalog')) {
      const message = `Only PostgreSQL's own functions may be called, not ${names.join('.')}().`;
      return this.#refuse(NOT_DETERMINISTIC, message, at);
    }
    const many = scope.many ? wideCall(this, call, args, scope, scope.many) : null;
    if (many !== null) return this.settle(many, at);
    const wide = this.#wideProblem(name);
    if (wide !== null) return this.#refuse(...wide, at);
    if (WIDE_CALL.some((member) => Object.hasOwn(call, member))) {
      return this.#refuse(INVALID, `${name}() is no aggregate.`, at);
    }
    const type = resultOf(name, args);
    if (type !== null) return typed(type, at);
    const types = args.map((arg) => typeLabel(arg.type));
    if (types.includes('error') && isListed(name)) return typed('error', at);
    const form = isListed(name) ? `${name}(${types.join(', ')})` : `${name}()`;
    const advice = adviceFor(name);
    const message = `${form} is not among the deterministic functions${advice ? `: ${advice}` : ''}.`;
    return this.#refuse(NOT_DETERMINISTIC, message, at);
  }

  /** Why a function that looks at many rows, or makes them, cannot stand here. */
  #wideProblem(name: string): [ProblemCode, string] | null {
    const why = rowWiseProblem(name);
    if (why === null || this.#grain === 'row') return why === null ? null : [NOT_ROW_WISE, why];
    if (!isAggregate(name) && !isWindowFunction(name)) return null;
    return [INVALID, `${name}() stands in the SELECT list, in HAVING or in ORDER BY.`];
  }

  #subscript(
    node: { arg?: Node; indirection?: Node[] },
    scope: Scope,
    at: number | undefined,
  ): Typed {
    let { type } = this.check(node.arg, scope);
    for (const step of node.indirection ?? []) {
      if (!('A_Indices' in step)) {
        return this.#refuse(INVALID, 'A value has no fields here.', at);
      }
      if (!this.#isAllowed(step, at)) return typed('error', at);
      const index = this.check(step.A_Indices.uidx, scope).type;
      if (type === 'error' || index === 'error') return typed('error', at);
      if (isArray(type) && index === 'integer') type = elementOf(type);
      else if (type !== 'jsonb' || !['integer', 'text', 'unknown'].includes(index)) {
        return this.#refuse(INVALID, `A ${type} cannot be subscripted by ${index}.`, at);
      }
    }
    return typed(type, at);
  }

  #collate(node: { arg?: Node; collname?: Node[] }, scope: Scope, at: number | undefined): Typed {
    const names = namesOf(node.collname) ?? [];
    const value = this.check(node.arg, scope);
    if (!['C', 'pg_catalog.C'].includes(names.join('.'))) {
      return this.#refuse(NOT_DETERMINISTIC, 'The only collation that may be named is "C".', at);
    }
    return typed(value.type === 'unknown' ? 'text' : value.type, at);
  }

  #link(link: SubLink, scope: Scope, at: number | undefined): Typed {
    if (this.#subselect === null) {
      return this.#refuse(INVALID, 'An expression has no sub-select.', at);
    }
    return typed(this.#subselect(link, scope), at);
  }
}

/** The elements of an array's literal are read one by one, and only some types read all alike. */
function arrayLiteralProblem(target: ValueType): string | null {
  if (isArray(target) && hasFixedText(elementOf(target))) return null;
  return `Write array[…] instead of a literal of ${target}.`;
}

function constant(value: A_Const, at: number | undefined): Typed {
  if (value.sval !== undefined) {
    return { type: 'unknown', literal: stringOf({ String: value.sval }) ?? '', at };
  }
  if (value.isnull) return typed('unknown', at);
  if (value.boolval !== undefined) return typed('boolean', at);
  if (value.ival !== undefined) return typed('integer', at);
  const digits = value.fval?.fval ?? '';
  const isBigint = /^-?\d+$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
  return typed(isBigint ? 'bigint' : 'numeric', at);
}
