import type {
  Alias,
  CommonTableExpr,
  Node,
  RangeSubselect,
  RangeVar,
  SelectStmt,
  SubLink,
} from 'libpg-query';
import { ExpressionChecker } from '@/lib/transform/expression-checker';
import { outputName } from '@/lib/transform/output-name';
import { INVALID, NOT_ROW_WISE, type ProblemCode, type Problems } from '@/lib/transform/problem';
import { resolve, type Scope, type ScopeColumn, type ScopeRelation } from '@/lib/transform/scope';
import { locationOf, namesOf } from '@/lib/transform/tree';
import type { ValueType } from '@/lib/transform/value-type';

/** The relation that a transform reads. */
export const SOURCE = 'source';

/** An output column with the place where it is written. */
export interface OutputColumn extends ScopeColumn {
  readonly at: number | undefined;
}

/** What a FROM item yields, and whether its rows are those of `source`. */
interface Relation {
  readonly columns: readonly ScopeColumn[] | null;
  readonly isSource: boolean;
}

const CLAUSES: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  distinctClause: [NOT_ROW_WISE, 'DISTINCT compares rows'],
  groupClause: [NOT_ROW_WISE, 'GROUP BY joins rows'],
  groupDistinct: [NOT_ROW_WISE, 'GROUP BY joins rows'],
  havingClause: [NOT_ROW_WISE, 'HAVING joins rows'],
  windowClause: [NOT_ROW_WISE, 'WINDOW looks at other rows'],
  sortClause: [NOT_ROW_WISE, 'ORDER BY compares rows'],
  limitOffset: [NOT_ROW_WISE, 'OFFSET counts rows'],
  limitCount: [NOT_ROW_WISE, 'LIMIT counts rows'],
  larg: [NOT_ROW_WISE, 'UNION, INTERSECT and EXCEPT put rows together'],
  rarg: [NOT_ROW_WISE, 'UNION, INTERSECT and EXCEPT put rows together'],
  valuesLists: [INVALID, 'VALUES is not allowed'],
  intoClause: [INVALID, 'SELECT INTO writes a table'],
  lockingClause: [INVALID, 'FOR UPDATE and FOR SHARE lock rows'],
};
const MEMBERS = ['targetList', 'fromClause', 'whereClause', 'withClause', 'limitOption', 'op'];

/**
 * Checks the SELECTs of one transform: each reads from one relation, and through CTEs and
 * sub-selects of FROM exactly one chain of them reaches `source`, once. Then each row comes from
 * one source row, whatever the SELECTs compute.
 */
export class SelectChecker {
  readonly #problems: Problems;
  readonly #expressions: ExpressionChecker;
  readonly #source: Relation;
  readonly #ctes = new Map<string, Relation>();
  /** `source`, and the CTEs over it, that a FROM has named: each may be named once. */
  readonly #read = new Set<string>();

  constructor(problems: Problems, sourceColumns: readonly ScopeColumn[]) {
    this.#problems = problems;
    this.#source = { columns: sourceColumns, isSource: true };
    this.#expressions = new ExpressionChecker(problems, (link, scope) => this.#scalar(link, scope));
  }

  /** Checks the transform's statement and answers its output columns. */
  transform(select: SelectStmt): readonly OutputColumn[] {
    const { columns, isSource } = this.#select(select, null, true);
    if (!isSource && !this.#problems.any) {
      const message =
        'The outermost SELECT reads from source, or from a CTE or sub-select over it.';
      this.#problems.add(INVALID, message, 0);
    }
    return columns;
  }

  #select(
    select: SelectStmt,
    outer: Scope | null,
    outermost = false,
  ): { columns: OutputColumn[]; isSource: boolean } {
    const at = locationOf(select);
    const isSet = select.op !== undefined && select.op !== 'SETOP_NONE';
    for (const clause of Object.keys(select)) {
      if (MEMBERS.includes(clause) || (clause === 'all' && isSet)) continue;
      const member = (select as Record<string, unknown>)[clause];
      const [code, why] = CLAUSES[clause] ?? [INVALID, `The clause ${clause} is not allowed`];
      const rule = code === NOT_ROW_WISE ? '; each row is made from one source row.' : '.';
      this.#problems.add(code, why + rule, locationOf(member) ?? at);
    }
    if (select.valuesLists || isSet) return { columns: [], isSource: false };
    if (select.withClause && outermost) this.#with(select.withClause);
    else if (select.withClause) {
      this.#problems.add(INVALID, 'WITH stands at the beginning only.', select.withClause.location);
    }
    const from = this.#from(select.fromClause ?? [], at);
    const scope: Scope = { relations: from.relations, outer };
    if (select.whereClause) this.#condition(select.whereClause, scope);
    return { columns: this.#targets(select.targetList ?? [], scope), isSource: from.isSource };
  }

  #condition(node: Node, scope: Scope): void {
    const { type, at } = this.#expressions.check(node, scope);
    if (!['boolean', 'unknown', 'error'].includes(type)) {
      this.#problems.add(INVALID, `A condition is boolean, not ${type}.`, at);
    }
  }

  #with({ ctes = [], recursive }: NonNullable<SelectStmt['withClause']>): void {
    for (const node of ctes) {
      if (!('CommonTableExpr' in node)) continue;
      const { CommonTableExpr: cte } = node;
      const name = cte.ctename ?? '';
      const problem = recursive ? 'WITH RECURSIVE is not allowed.' : this.#cteProblem(cte, name);
      if (problem !== null || !cte.ctequery || !('SelectStmt' in cte.ctequery)) {
        this.#problems.add(INVALID, problem ?? 'WITH takes a SELECT only.', cte.location);
        this.#ctes.set(name, { columns: null, isSource: true });
        continue;
      }
      this.#ctes.set(name, this.#select(cte.ctequery.SelectStmt, null));
    }
  }

  #cteProblem(cte: CommonTableExpr, name: string): string | null {
    if (name === SOURCE) return 'A CTE may not be called source.';
    if (this.#ctes.has(name)) return `There are two CTEs ${name}.`;
    if (cte.aliascolnames) return 'A CTE names its columns with AS, not in a list.';
    if (cte.ctematerialized === 'CTEMaterializeAlways') return 'MATERIALIZED is not allowed.';
    if (cte.search_clause || cte.cycle_clause) return 'SEARCH and CYCLE are not allowed.';
    return null;
  }

  #from(
    nodes: readonly Node[],
    at: number | undefined,
  ): { relations: ScopeRelation[]; isSource: boolean } {
    const items = nodes.map((node) => this.#fromItem(node));
    if (nodes.length > 1) {
      const second = locationOf(nodes[1]) ?? at;
      this.#problems.add(NOT_ROW_WISE, JOINS, second);
    }
    return {
      relations: items.flatMap((item) => item.relations),
      isSource: items.some((item) => item.isSource),
    };
  }

  #fromItem(node: Node): { relations: ScopeRelation[]; isSource: boolean } {
    if ('RangeVar' in node) return this.#named(node.RangeVar);
    if ('RangeSubselect' in node) return this.#derived(node.RangeSubselect);
    const at = locationOf(node);
    if ('JoinExpr' in node) {
      this.#problems.add(NOT_ROW_WISE, JOINS, at);
      const sides = [node.JoinExpr.larg, node.JoinExpr.rarg].filter((side) => side !== undefined);
      const items = sides.map((side) => this.#fromItem(side));
      return {
        relations: items.flatMap((item) => item.relations),
        isSource: items.some((item) => item.isSource),
      };
    }
    if ('RangeFunction' in node) {
      this.#problems.add(NOT_ROW_WISE, 'A function in FROM can make several rows.', at);
    } else {
      this.#problems.add(INVALID, 'FROM takes the relation source only.', at);
    }
    return REFUSED;
  }

  #named(range: RangeVar): { relations: ScopeRelation[]; isSource: boolean } {
    const { relname = '', schemaname, catalogname, location } = range;
    const relation = this.#relation(range);
    if (relation === null) {
      const name = [catalogname, schemaname, relname].filter(Boolean).join('.');
      const message = `A transform reads from the relation source and from nothing else, not ${name}.`;
      this.#problems.add(INVALID, message, location);
      return REFUSED;
    }
    if (range.inh !== true) this.#problems.add(INVALID, 'ONLY is not allowed.', location);
    if (relation.isSource) {
      if (this.#read.has(relname)) this.#problems.add(NOT_ROW_WISE, TWICE, location);
      this.#read.add(relname);
    }
    const name = this.#alias(range.alias, location) ?? relname;
    return {
      relations: [{ name, columns: relation.columns }],
      isSource: relation.isSource,
    };
  }

  #relation({ relname = '', schemaname, catalogname }: RangeVar): Relation | null {
    if (schemaname !== undefined || catalogname !== undefined) return null;
    if (relname === SOURCE) return this.#source;
    return this.#ctes.get(relname) ?? null;
  }

  #derived(range: RangeSubselect): { relations: ScopeRelation[]; isSource: boolean } {
    const at = locationOf(range);
    if (range.lateral) this.#problems.add(INVALID, 'LATERAL is not allowed.', at);
    if (!range.subquery || !('SelectStmt' in range.subquery)) {
      this.#problems.add(INVALID, 'FROM takes a SELECT only.', at);
      return REFUSED;
    }
    const { columns, isSource } = this.#select(range.subquery.SelectStmt, null);
    return { relations: [{ name: this.#alias(range.alias, at), columns }], isSource };
  }

  #alias(alias: Alias | undefined, at: number | undefined): string | null {
    if (alias?.colnames) {
      this.#problems.add(INVALID, 'Columns are named with AS, not in a list of the alias.', at);
    }
    return alias?.aliasname ?? null;
  }

  /** A sub-select as a value: one column, and rows that are not those of `source`. */
  #scalar(link: SubLink, scope: Scope): ValueType {
    const at = link.location;
    if (!link.subselect || !('SelectStmt' in link.subselect)) return 'error';
    const before = this.#problems.count;
    const { columns, isSource } = this.#select(link.subselect.SelectStmt, scope);
    if (isSource && this.#problems.count === before) {
      this.#problems.add(NOT_ROW_WISE, 'A sub-select as a value may not read source.', at);
    }
    if (link.subLinkType !== 'EXPR_SUBLINK') {
      this.#problems.add(INVALID, 'EXISTS, IN and ARRAY over a sub-select are not allowed.', at);
      return 'error';
    }
    if (columns.length !== 1) {
      this.#problems.add(INVALID, 'A sub-select as a value has one column.', at);
      return 'error';
    }
    return columns[0]?.type ?? 'error';
  }

  #targets(nodes: readonly Node[], scope: Scope): OutputColumn[] {
    const columns: OutputColumn[] = [];
    for (const node of nodes) {
      columns.push(...this.#target(node, scope));
      if (columns.length <= MAX_COLUMNS) continue;
      const message = `A SELECT has at most ${MAX_COLUMNS} columns.`;
      this.#problems.add(INVALID, message, locationOf(node));
      return [];
    }
    return columns;
  }

  #target(node: Node, scope: Scope): OutputColumn[] {
    if (!('ResTarget' in node) || !node.ResTarget.val) return [];
    const { name, val, location, indirection } = node.ResTarget;
    if (indirection) this.#problems.add(INVALID, 'An output has a plain name.', location);
    const star = this.#star(val, scope);
    if (star !== null) return star.map((column) => ({ ...column, at: location }));
    const { type } = this.#expressions.check(val, scope);
    // PostgreSQL makes text of an output literal whose type nothing else decides.
    const output = type === 'unknown' ? 'text' : type;
    return [
      { name: name ?? outputName(val), type: output, origin: origin(val, scope), at: location },
    ];
  }

  /** The columns of `*` or `relation.*`; null for anything else. */
  #star(node: Node, scope: Scope): ScopeColumn[] | null {
    if (!('ColumnRef' in node)) return null;
    const fields = node.ColumnRef.fields ?? [];
    const final = fields.at(-1);
    if (final === undefined || !('A_Star' in final)) return null;
    const qualifiers = namesOf(fields.slice(0, -1)) ?? [];
    const relations = scope.relations.filter(
      ({ name }) => qualifiers.length === 0 || (qualifiers.length === 1 && name === qualifiers[0]),
    );
    if (relations.length === 0) {
      const message = `There is no relation ${qualifiers.join('.') || 'to take * from'}.`;
      this.#problems.add(INVALID, message, node.ColumnRef.location);
    }
    return relations.flatMap(({ columns }) => [...(columns ?? [])]);
  }
}

/** A relation that was refused, and whose problem has been noted. */
const REFUSED: { relations: ScopeRelation[]; isSource: boolean } = {
  relations: [{ name: null, columns: null }],
  isSource: true,
};

/** PostgreSQL's own limit; sub-selects of `*, *` would double the columns with each step. */
const MAX_COLUMNS = 1664;

const JOINS = 'A transform reads one relation; each row is made from one source row.';
const TWICE = 'source is read more than once; each row is made from one source row.';

function origin(node: Node, scope: Scope): string | null {
  if (!('ColumnRef' in node)) return null;
  const names = namesOf(node.ColumnRef.fields);
  const found = names === null ? null : resolve(scope, names);
  return found && 'column' in found ? found.column.origin : null;
}
