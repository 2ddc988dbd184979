import type { Node } from 'libpg-query';
import type { Refusal } from '@/lib/transform/cast';
import {
  INVALID,
  NOT_DETERMINISTIC,
  NOT_ROW_WISE,
  type ProblemCode,
} from '@/lib/transform/problem';
import { unwrap } from '@/lib/transform/tree';

/** The members of each kind of node that may be there; any other member is refused unseen. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  A_Const: ['ival', 'fval', 'boolval', 'sval', 'isnull'],
  ColumnRef: ['fields'],
  TypeCast: ['arg', 'typeName'],
  A_Expr: ['kind', 'name', 'lexpr', 'rexpr', 'rexpr_list_start', 'rexpr_list_end'],
  BoolExpr: ['boolop', 'args'],
  NullTest: ['arg', 'nulltesttype'],
  BooleanTest: ['arg', 'booltesttype'],
  CaseExpr: ['arg', 'args', 'defresult'],
  CaseWhen: ['expr', 'result'],
  CoalesceExpr: ['args'],
  MinMaxExpr: ['op', 'args'],
  FuncCall: ['funcname', 'args', 'funcformat'],
  A_ArrayExpr: ['elements', 'list_start', 'list_end'],
  A_Indirection: ['arg', 'indirection'],
  A_Indices: ['uidx'],
  CollateClause: ['arg', 'collname'],
  SubLink: ['subLinkType', 'subselect', 'testexpr', 'operName'],
};

/** What a call may have besides where it may look at many rows. */
export const WIDE_CALL = ['agg_star', 'agg_distinct', 'agg_filter', 'agg_order', 'over'];

/**
 * Null where the node is of a kind, and has only members, that an expression may have.
 *
 * @param wide of grain `partition`, where aggregates and windows may be
 */
export function formRefusal(node: Node, wide: boolean): Refusal | null {
  const { kind, fields } = unwrap(node);
  const known = Object.hasOwn(MEMBERS, kind) ? MEMBERS[kind] : undefined;
  if (known === undefined) return refusal(unknownKind(kind, fields, wide));
  const more = wide && kind === 'FuncCall' ? WIDE_CALL : [];
  const other = Object.keys(fields).find(
    (name) => name !== 'location' && !known.includes(name) && !more.includes(name),
  );
  return other === undefined ? null : refusal(unknownMember(kind, other, wide));
}

function refusal([code, message]: [ProblemCode, string]): Refusal {
  return { code, message };
}

function unknownKind(
  kind: string,
  fields: Readonly<Record<string, unknown>>,
  wide: boolean,
): [ProblemCode, string] {
  switch (kind) {
    case 'SQLValueFunction': {
      const name = String(fields.op)
        .replace(/^SVFOP_/, '')
        .replace(/_N$/, '')
        .toLowerCase();
      return [NOT_DETERMINISTIC, `${name} is not deterministic; take it from the source.`];
    }
    case 'ParamRef':
      return [INVALID, 'A transform has no parameters.'];
    case 'GroupingFunc':
      if (wide) return [INVALID, 'GROUPING() is not allowed.'];
      return [NOT_ROW_WISE, 'GROUPING() belongs to groups; each row is made from one source row.'];
    case 'RowExpr':
      return [INVALID, 'Row values are not allowed.'];
    default:
      return [INVALID, `This form of expression is not allowed (${kind}).`];
  }
}

function unknownMember(kind: string, member: string, wide: boolean): [ProblemCode, string] {
  if (kind === 'FuncCall' && wide && member.startsWith('agg_')) {
    return [INVALID, 'WITHIN GROUP is not allowed.'];
  }
  if (kind === 'FuncCall') {
    if (member === 'over') {
      return [NOT_ROW_WISE, 'A window looks at other rows; each row is made from one source row.'];
    }
    if (member.startsWith('agg_')) {
      return [NOT_ROW_WISE, 'An aggregate sees many rows; each row is made from one source row.'];
    }
    return [INVALID, 'VARIADIC is not allowed.'];
  }
  if (kind === 'A_Indices') return [INVALID, 'A slice of an array is not allowed.'];
  if (kind === 'A_Const') return [INVALID, 'Bit strings are not allowed.'];
  return [INVALID, `This form of expression is not allowed (${kind}.${member}).`];
}
