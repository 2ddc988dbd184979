import type { Node } from 'libpg-query';
import { stringOf } from '@/lib/transform/tree';

/**
 * The name that PostgreSQL gives to an output column without `as`, for the forms of expression that
 * a transform may have. The rule is FigureColname of its parse_target.c.
 */
export function outputName(node: Node): string {
  return figure(node)?.name ?? '?column?';
}

interface Figured {
  readonly name: string;
  /** A weak name gives way to that of a cast around it. */
  readonly weak?: boolean;
}

function figure(node: Node | undefined): Figured | null {
  if (node === undefined) return null;
  if ('ColumnRef' in node) return last(node.ColumnRef.fields);
  if ('FuncCall' in node) return last(node.FuncCall.funcname);
  if ('A_Indirection' in node) {
    return last(node.A_Indirection.indirection) ?? figure(node.A_Indirection.arg);
  }
  if ('CollateClause' in node) return figure(node.CollateClause.arg);
  if ('TypeCast' in node) {
    const inner = figure(node.TypeCast.arg);
    return inner && !inner.weak ? inner : weak(last(node.TypeCast.typeName?.names));
  }
  if ('CaseExpr' in node) {
    const inner = figure(node.CaseExpr.defresult);
    return inner && !inner.weak ? inner : { name: 'case', weak: true };
  }
  if ('CoalesceExpr' in node) return { name: 'coalesce' };
  if ('MinMaxExpr' in node) {
    return { name: node.MinMaxExpr.op === 'IS_LEAST' ? 'least' : 'greatest' };
  }
  if ('A_ArrayExpr' in node) return { name: 'array' };
  if ('A_Expr' in node && node.A_Expr.kind === 'AEXPR_NULLIF') return { name: 'nullif' };
  if ('SubLink' in node) return ofSubselect(node.SubLink.subselect);
  return null;
}

function ofSubselect(node: Node | undefined): Figured | null {
  const target = node && 'SelectStmt' in node ? node.SelectStmt.targetList?.[0] : undefined;
  if (target === undefined || !('ResTarget' in target)) return null;
  return target.ResTarget.name ? { name: target.ResTarget.name } : figure(target.ResTarget.val);
}

function last(nodes: readonly Node[] | undefined): Figured | null {
  const name = (nodes ?? []).map(stringOf).findLast((text) => text !== null);
  return name === undefined || name === null ? null : { name };
}

function weak(figured: Figured | null): Figured | null {
  return figured === null ? null : { name: figured.name, weak: true };
}
