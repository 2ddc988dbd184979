import type { Node, SelectStmt } from 'libpg-query';
import { mapTree } from '@/lib/transform/tree';

/** CTEs that read one another twice can double the tree with each step; more than this is refused. */
const MAX_PARTS = 50_000;

/**
 * The SELECT with each CTE as a sub-select where it is read, as PostgreSQL would inline it; null if
 * that would grow too large. PostgreSQL does not flatten a lateral sub-select that has a WITH:
 * measured, an index scan of one day becomes a nested loop over all facts.
 */
export function inlineCtes({ withClause, ...select }: SelectStmt): SelectStmt | null {
  const queries = new Map<string, { node: Node; parts: number }>();
  const inline = <T>(tree: T): { tree: T; parts: number } => {
    let parts = 0;
    const inlined = mapTree(tree, (node) => {
      parts += 1;
      if (!('RangeVar' in node)) return undefined;
      const { relname = '', alias } = node.RangeVar;
      const query = queries.get(relname);
      if (query === undefined) return undefined;
      parts += query.parts;
      return {
        RangeSubselect: { subquery: query.node, alias: alias ?? { aliasname: relname } },
      };
    });
    return { tree: inlined, parts };
  };
  for (const node of withClause?.ctes ?? []) {
    if (!('CommonTableExpr' in node)) continue;
    const { ctename = '', ctequery } = node.CommonTableExpr;
    if (ctequery === undefined) continue;
    const { tree, parts } = inline(ctequery);
    if (parts > MAX_PARTS) return null;
    queries.set(ctename, { node: tree, parts });
  }
  const { tree, parts } = inline(select);
  return parts > MAX_PARTS ? null : tree;
}
