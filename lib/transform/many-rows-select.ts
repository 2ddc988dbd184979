import type { Node, SelectStmt, WindowDef } from 'libpg-query';
import { type ManyRows, sameNode, sortNode } from '@/lib/transform/many-rows';
import { outputName } from '@/lib/transform/output-name';
import { resolve, type Scope, type ScopeColumn } from '@/lib/transform/scope';
import { namesOf } from '@/lib/transform/tree';

/**
 * One SELECT of a transform of grain `partition`: what it groups by, and what tells its rows apart.
 * That decides where an order of rows is the only one there is.
 */
export class ManyRowsSelect implements ManyRows {
  readonly windows: ReadonlyMap<string, WindowDef>;
  /** What it groups by, with positions and names of outputs replaced by what they stand for. */
  readonly groups: readonly Node[];
  readonly #targets: readonly { name: string; value: Node }[];
  readonly #scope: Scope;
  readonly #distinct: boolean;
  #aggregates = false;

  constructor(select: SelectStmt, scope: Scope) {
    this.#scope = scope;
    this.#targets = targetsOf(select.targetList ?? []);
    this.groups = (select.groupClause ?? []).map((node) => this.#meant(node, 'input'));
    const [first] = select.distinctClause ?? [];
    this.#distinct = first !== undefined && Object.keys(first).length === 0;
    const windows = (select.windowClause ?? []).flatMap((node) =>
      'WindowDef' in node ? [node.WindowDef] : [],
    );
    this.windows = new Map(windows.map((window) => [window.name ?? '', window]));
  }

  noteAggregate(): void {
    this.#aggregates = true;
  }

  /** One row comes of it, whatever it reads. */
  get #single(): boolean {
    return this.groups.length === 0 && (this.#aggregates || this.#scope.relations.length === 0);
  }

  lacking(order: readonly Node[]): string | null {
    if (this.#single) return null;
    if (this.groups.length > 0) {
      const open = this.groups.find((group) => !order.some((node) => this.#same(node, group)));
      return open === undefined ? null : textOf(open);
    }
    const [relation] = this.#scope.relations;
    const unique = relation?.unique ?? null;
    if (unique === null) return 'columns that tell its rows apart, and none are known';
    const open = unique.find((name) => {
      const column = relation?.columns?.find((candidate) => candidate.name === name);
      return !order.some((node) => column !== undefined && this.#columnOf(node) === column);
    });
    return open ?? null;
  }

  /** The same of the statement's own ORDER BY, by which LIMIT, OFFSET and DISTINCT ON choose. */
  lackingOf(sortClause: readonly Node[]): string | null {
    const order = this.sorted(sortClause).flatMap((node) => (node === null ? [] : [node]));
    if (!this.#distinct) return this.lacking(order);
    const open = this.#targets.find(({ value }) => !order.some((node) => this.#same(node, value)));
    return open?.name ?? null;
  }

  /** The expressions of the statement's own ORDER BY; null for one that names an operator. */
  sorted(sortClause: readonly Node[]): (Node | null)[] {
    return sortClause.map((node) => {
      const inner = sortNode(node);
      return inner === null ? null : this.#meant(inner, 'output');
    });
  }

  /** The outputs that together name a row of the result; null where none are known to. */
  uniqueOf(outputs: readonly { name: string; of?: ScopeColumn | null }[]): string[] | null {
    if (this.#distinct) return outputs.map(({ name }) => name);
    if (this.#single) return [];
    if (this.groups.length > 0) {
      return allOf(
        this.groups.map(
          (group) => this.#targets.find(({ value }) => this.#same(value, group))?.name,
        ),
      );
    }
    const [relation] = this.#scope.relations;
    const names = relation?.unique?.map((name) => {
      const column = relation.columns?.find((candidate) => candidate.name === name);
      return outputs.find(({ of }) => column !== undefined && of === column)?.name;
    });
    return names === undefined ? null : allOf(names);
  }

  /**
   * What an item of GROUP BY or ORDER BY stands for, as PostgreSQL reads it: a number is a
   * position; a name is an output's before a column's in ORDER BY, and after it in GROUP BY.
   */
  #meant(node: Node, first: 'input' | 'output'): Node {
    if ('A_Const' in node && node.A_Const.ival !== undefined) {
      return this.#targets[(node.A_Const.ival.ival ?? 0) - 1]?.value ?? node;
    }
    const [name, more] = 'ColumnRef' in node ? (namesOf(node.ColumnRef.fields) ?? []) : [];
    if (name === undefined || more !== undefined) return node;
    if (first === 'input' && 'column' in resolve(this.#scope, [name])) return node;
    return this.#targets.find((target) => target.name === name)?.value ?? node;
  }

  #same(a: Node, b: Node): boolean {
    const column = this.#columnOf(a);
    return column === null ? sameNode(a, b) : column === this.#columnOf(b);
  }

  #columnOf(node: Node): ScopeColumn | null {
    const names = 'ColumnRef' in node ? namesOf(node.ColumnRef.fields) : null;
    const found = names === null ? null : resolve(this.#scope, names);
    return found !== null && 'column' in found ? found.column : null;
  }
}

function targetsOf(nodes: readonly Node[]): { name: string; value: Node }[] {
  return nodes.flatMap((node) => {
    if (!('ResTarget' in node) || node.ResTarget.val === undefined) return [];
    const { name, val } = node.ResTarget;
    return [{ name: name ?? outputName(val), value: val }];
  });
}

function allOf(names: readonly (string | undefined)[]): string[] | null {
  return names.every((name) => name !== undefined) ? (names as string[]) : null;
}

const textOf = (node: Node) =>
  'ColumnRef' in node
    ? (namesOf(node.ColumnRef.fields) ?? []).join('.')
    : 'an expression of its GROUP BY';
