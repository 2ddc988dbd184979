import type { Node } from 'libpg-query';
import type { TypedColumn } from '@/lib/digest/column-type';
import { printSelect } from '@/lib/transform/grammar';
import type { Transform } from '@/lib/transform/parse';
import { SOURCE } from '@/lib/transform/select-checker';
import { mapTree } from '@/lib/transform/tree';

export interface LateralContext {
  readonly sourceColumns: readonly TypedColumn[];
  /** The name of the facts in the surrounding FROM; they have the source's columns. */
  readonly factAlias: string;
}

/**
 * The transform as SQL text for `from <facts> f cross join lateral (<here>) t`: its relation
 * `source` is replaced in the syntax tree by `(select f.c1 as c1, …) as source`, under the alias
 * that its author gave. That makes every target row from one fact by construction, and PostgreSQL
 * flattens it into a scan of the facts.
 *
 * The text is printed from the tree and parsed again, so no bracket or comment of the author's can
 * end the sub-select. Run it with an empty `search_path` and `standard_conforming_strings` on.
 */
export function lateralSql(transform: Transform, context: LateralContext): string {
  let replaced = 0;
  const tree = mapTree(transform.tree, (node) => {
    if (!('RangeVar' in node) || node.RangeVar.relname !== SOURCE) return undefined;
    replaced += 1;
    return factRow(context, node.RangeVar.alias?.aliasname ?? SOURCE);
  });
  const text = replaced === 1 ? printSelect(tree) : null;
  if (text === null) throw new Error(`transform ${transform.digest} cannot be compiled`);
  return text;
}

function factRow({ sourceColumns, factAlias }: LateralContext, alias: string): Node {
  const targetList = sourceColumns.map(({ name }) => ({
    ResTarget: { name, val: { ColumnRef: { fields: [identifier(factAlias), identifier(name)] } } },
  }));
  const subquery: Node = {
    SelectStmt: { targetList, limitOption: 'LIMIT_OPTION_DEFAULT', op: 'SETOP_NONE' },
  };
  return { RangeSubselect: { subquery, alias: { aliasname: alias } } };
}

function identifier(name: string): Node {
  return { String: { sval: name } };
}

/** The names that a partition's facts are read by: no name in a transform may begin like them. */
export const FACTS = '_facts';
export const PART = { alias: '_part', start: '_start', upper: '_upper' } as const;

/**
 * A transform of grain `partition` as SQL text for `from <partitions> _part cross join lateral
 * (<here>) t`, beside a relation `_facts`: its relation `source` is replaced by the facts whose time
 * lies in the partition, and by nothing else of the transform's.
 */
export function partitionSql(
  transform: Transform,
  sourceColumns: readonly TypedColumn[],
  sourceTime: string,
): string {
  let replaced = 0;
  const tree = mapTree(transform.tree, (node) => {
    if (!('RangeVar' in node) || node.RangeVar.relname !== SOURCE) return undefined;
    replaced += 1;
    return partitionFacts(sourceColumns, sourceTime, node.RangeVar.alias?.aliasname ?? SOURCE);
  });
  const text = replaced === 1 ? printSelect(tree) : null;
  if (text === null) throw new Error(`transform ${transform.digest} cannot be compiled`);
  return text;
}

function partitionFacts(
  sourceColumns: readonly TypedColumn[],
  sourceTime: string,
  alias: string,
): Node {
  const column = (of: string, name: string): Node => ({
    ColumnRef: { fields: [identifier(of), identifier(name)] },
  });
  const compare = (operator: string, bound: string): Node => ({
    A_Expr: {
      kind: 'AEXPR_OP',
      name: [identifier(operator)],
      lexpr: column('f', sourceTime),
      rexpr: column(PART.alias, bound),
    },
  });
  const subquery: Node = {
    SelectStmt: {
      targetList: sourceColumns.map(({ name }) => ({
        ResTarget: { name, val: column('f', name) },
      })),
      fromClause: [
        { RangeVar: { relname: FACTS, inh: true, relpersistence: 'p', alias: { aliasname: 'f' } } },
      ],
      whereClause: {
        BoolExpr: {
          boolop: 'AND_EXPR',
          args: [compare('>=', PART.start), compare('<', PART.upper)],
        },
      },
      limitOption: 'LIMIT_OPTION_DEFAULT',
      op: 'SETOP_NONE',
    },
  };
  return { RangeSubselect: { subquery, alias: { aliasname: alias } } };
}
