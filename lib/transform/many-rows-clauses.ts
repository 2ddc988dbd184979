import type { Node, SelectStmt } from 'libpg-query';
import type { ExpressionChecker } from '@/lib/transform/expression-checker';
import { ManyRowsSelect } from '@/lib/transform/many-rows-select';
import { unify } from '@/lib/transform/operator';
import { INVALID, NOT_DETERMINISTIC, type Problems } from '@/lib/transform/problem';
import type { Scope } from '@/lib/transform/scope';
import type { OutputColumn } from '@/lib/transform/select-outputs';
import { locationOf } from '@/lib/transform/tree';
import { typed } from '@/lib/transform/value-type';

interface ManyOutputs {
  columns: OutputColumn[];
  /** The outputs that together name a row; none: there is one row; null: not known. */
  unique: readonly string[] | null;
}

/** Checks the clauses of grain `partition`, by which a SELECT looks at all rows. */
export class ManyRowsClauses {
  readonly #problems: Problems;
  readonly #expressions: ExpressionChecker;

  constructor(problems: Problems, expressions: ExpressionChecker) {
    this.#problems = problems;
    this.#expressions = expressions;
  }

  /** The outputs of a SELECT that may look at all rows, with all the clauses that do. */
  outputs(
    select: SelectStmt,
    plain: Scope,
    targets: (scope: Scope) => OutputColumn[],
  ): ManyOutputs & { many: ManyRowsSelect } {
    const many = new ManyRowsSelect(select, plain);
    const scope: Scope = { ...plain, many };
    this.#positions(select);
    for (const node of many.groups) this.#oneOfEquals(this.#expressions.check(node, plain));
    const columns = targets(scope);
    const [first] = select.distinctClause ?? [];
    if (first !== undefined && Object.keys(first).length === 0) {
      for (const column of columns) this.#oneOfEquals(column);
    }
    this.#ordered(select, many, scope);
    return { columns, unique: many.uniqueOf(columns), many };
  }

  /** Of equal values one is taken, whichever comes first: it must not matter which. */
  #oneOfEquals({ type, at }: Pick<OutputColumn, 'type' | 'at'>): void {
    if (type !== 'jsonb' && type !== 'interval') return;
    const message = `Equal values of ${type} can differ in their text; group by what is taken out of it.`;
    this.#problems.add(NOT_DETERMINISTIC, message, at);
  }

  /** ORDER BY, and that whatever takes some of the rows by it takes the same ones each time. */
  #ordered(select: SelectStmt, many: ManyRowsSelect, scope: Scope): void {
    const order = select.sortClause ?? [];
    for (const [i, node] of many.sorted(order).entries()) {
      if (node === null) {
        const at = locationOf(order[i]);
        this.#problems.add(INVALID, 'ORDER BY … USING is not allowed.', at);
      } else this.#expressions.check(node, scope);
    }
    const distinct = select.distinctClause?.filter((node) => Object.keys(node).length > 0) ?? [];
    for (const node of distinct) this.#expressions.check(node, scope);
    for (const node of [select.limitCount, select.limitOffset]) {
      if (node === undefined || ('A_Const' in node && (node.A_Const.ival || node.A_Const.isnull))) {
        continue;
      }
      this.#problems.add(INVALID, 'LIMIT and OFFSET take a number.', locationOf(node));
    }
    if (select.limitOption === 'LIMIT_OPTION_WITH_TIES') {
      this.#problems.add(INVALID, 'WITH TIES is not allowed.', locationOf(select.limitCount));
    }
    const taking = [
      ...(select.limitCount ? ['LIMIT'] : []),
      ...(select.limitOffset ? ['OFFSET'] : []),
      ...(distinct.length > 0 ? ['DISTINCT ON'] : []),
    ];
    const lacking = taking.length === 0 ? null : many.lackingOf(order);
    if (lacking === null) return;
    const message = `${taking.join(', ')} needs an ORDER BY that leaves no two rows equal; it lacks ${lacking}.`;
    this.#problems.add(NOT_DETERMINISTIC, message, locationOf(select.limitCount ?? order));
  }

  /** A position counts outputs, and beside a star nobody sees how many there are. */
  #positions({ targetList = [], groupClause = [], sortClause = [] }: SelectStmt): void {
    const star = targetList.some(
      (node) =>
        'ResTarget' in node &&
        node.ResTarget.val !== undefined &&
        'ColumnRef' in node.ResTarget.val &&
        node.ResTarget.val.ColumnRef.fields?.some((field) => 'A_Star' in field),
    );
    if (!star) return;
    const items = sortClause.flatMap((node) => ('SortBy' in node ? [node.SortBy.node] : []));
    for (const node of [...groupClause, ...items]) {
      if (node === undefined || !('A_Const' in node)) continue;
      this.#problems.add(INVALID, 'Name the column; * leaves no positions.', locationOf(node));
    }
  }

  /** The outputs of UNION, INTERSECT or EXCEPT: named as the left side's. */
  setOperation(
    select: SelectStmt,
    left: { columns: readonly OutputColumn[] },
    right: { columns: readonly OutputColumn[] },
    { outer, at }: { outer: Scope | null; at: number | undefined },
  ): ManyOutputs {
    if (left.columns.length !== right.columns.length) {
      this.#problems.add(INVALID, 'The sides of a set operation have as many columns.', at);
      return { columns: [], unique: null };
    }
    const columns = left.columns.map((column, i): OutputColumn => {
      const other = right.columns[i];
      const both = unify([typed(column.type, column.at), typed(other?.type ?? 'error', other?.at)]);
      const { type } = this.#expressions.settle(both, column.at);
      return { name: column.name, type, origin: null, at: column.at };
    });
    if (!select.all) for (const column of columns) this.#oneOfEquals(column);
    const unique = select.all ? null : columns.map(({ name }) => name);
    const scope: Scope = { relations: [{ name: null, columns, unique }], outer };
    const targetList = columns.map(({ name }): Node => {
      const val: Node = { ColumnRef: { fields: [{ String: { sval: name } }] } };
      return { ResTarget: { val } };
    });
    const many = new ManyRowsSelect({ targetList }, scope);
    this.#ordered(select, many, { ...scope, many });
    return { columns, unique };
  }
}
