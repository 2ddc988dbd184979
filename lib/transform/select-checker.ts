import type {
  Alias,
  CommonTableExpr,
  Node,
  RangeSubselect,
  RangeVar,
  SelectStmt,
  SubLink,
} from 'libpg-query';
import type { Grain } from '@/lib/domain/dataset';
import { ExpressionChecker } from '@/lib/transform/expression-checker';
import { ManyRowsClauses } from '@/lib/transform/many-rows-clauses';
import { INVALID, NOT_ROW_WISE, type ProblemCode, type Problems } from '@/lib/transform/problem';
import type { Scope, ScopeColumn, ScopeRelation } from '@/lib/transform/scope';
import { type OutputColumn, outputsOf } from '@/lib/transform/select-outputs';
import { locationOf } from '@/lib/transform/tree';
import type { ValueType } from '@/lib/transform/value-type';

/** The relation that a transform reads. */
export const SOURCE = 'source';

/** What a FROM item yields, whether its rows come from `source`, and what tells them apart. */
interface Relation {
  readonly columns: readonly ScopeColumn[] | null;
  readonly isSource: boolean;
  readonly unique?: readonly string[] | null;
}

/** What one SELECT yields. */
interface Selected extends Relation {
  readonly columns: OutputColumn[];
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
/** Clauses of grain `partition` that grain `row` has not. */
const WIDE = [
  ...['distinctClause', 'groupClause', 'havingClause', 'windowClause', 'sortClause'],
  ...['limitOffset', 'limitCount', 'larg', 'rarg', 'all'],
];

/**
 * Checks the SELECTs of one transform: each reads from one relation, and through CTEs and
 * sub-selects of FROM they reach `source`, which is named once.
 *
 * In grain `row` exactly one chain of them does: then each row comes from one source row, whatever
 * the SELECTs compute. In grain `partition` a SELECT may look at all rows, and what is refused is
 * what would depend on the order in which they come.
 */
export class SelectChecker {
  readonly #problems: Problems;
  readonly #expressions: ExpressionChecker;
  readonly #source: Relation;
  readonly #wide: boolean;
  readonly #clausesOfMany: ManyRowsClauses;
  readonly #ctes = new Map<string, Relation>();
  /** `source`, and the CTEs over it, that a FROM has named: each may be named once. */
  readonly #read = new Set<string>();

  readonly #name: string;

  /**
   * @param sourceKey columns that tell the rows of `source` apart; asked of grain `partition`
   * @param name what the one relation is called that may be read
   */
  constructor(
    problems: Problems,
    sourceColumns: readonly ScopeColumn[],
    grain: Grain = 'row',
    sourceKey: readonly string[] | null = null,
    name = SOURCE,
  ) {
    this.#problems = problems;
    this.#name = name;
    this.#source = { columns: sourceColumns, isSource: true, unique: sourceKey };
    this.#wide = grain === 'partition';
    this.#expressions = new ExpressionChecker(
      problems,
      (link, scope) => this.#scalar(link, scope),
      grain,
    );
    this.#clausesOfMany = new ManyRowsClauses(problems, this.#expressions);
  }

  get #who(): string {
    return this.#name === SOURCE ? 'A transform' : 'A report';
  }

  /** Checks the transform's statement and answers its output columns. */
  transform(select: SelectStmt): readonly OutputColumn[] {
    return this.statement(select).columns;
  }

  /** The same, with the outputs that together name a row; null where none are known to. */
  statement(select: SelectStmt): {
    columns: readonly OutputColumn[];
    unique: readonly string[] | null;
  } {
    const { columns, isSource, unique = null } = this.#select(select, null, true);
    if (!isSource && !this.#problems.any) {
      const message = `The outermost SELECT reads from ${this.#name}, or from a CTE or sub-select over it.`;
      this.#problems.add(INVALID, message, 0);
    }
    return { columns, unique };
  }

  #select(select: SelectStmt, outer: Scope | null, outermost = false): Selected {
    const at = locationOf(select);
    const isSet = select.op !== undefined && select.op !== 'SETOP_NONE';
    this.#clauses(select, isSet, at);
    if (select.valuesLists || (isSet && !this.#wide)) return { columns: [], isSource: false };
    if (select.withClause && outermost) this.#with(select.withClause);
    else if (select.withClause) {
      this.#problems.add(INVALID, 'WITH stands at the beginning only.', select.withClause.location);
    }
    if (isSet) return this.#setOperation(select, outer, at);
    const from = this.#from(select.fromClause ?? [], at);
    const scope: Scope = { relations: from.relations, outer };
    if (select.whereClause) this.#condition(select.whereClause, scope);
    if (this.#wide) {
      const targets = (within: Scope) =>
        outputsOf(select, within, this.#problems, this.#expressions);
      const { columns, unique, many } = this.#clausesOfMany.outputs(select, scope, targets);
      if (select.havingClause) this.#condition(select.havingClause, { ...scope, many });
      return { columns, unique, isSource: from.isSource };
    }
    return {
      columns: outputsOf(select, scope, this.#problems, this.#expressions),
      isSource: from.isSource,
    };
  }

  #clauses(select: SelectStmt, isSet: boolean, at: number | undefined): void {
    for (const clause of Object.keys(select)) {
      if (MEMBERS.includes(clause) || (clause === 'all' && isSet)) continue;
      if (this.#wide && WIDE.includes(clause)) continue;
      const member = (select as Record<string, unknown>)[clause];
      const [code, why] = CLAUSES[clause] ?? [INVALID, `The clause ${clause} is not allowed`];
      if (code === NOT_ROW_WISE && this.#wide) {
        this.#problems.add(INVALID, `${clause} is not allowed.`, locationOf(member) ?? at);
        continue;
      }
      const rule = code === NOT_ROW_WISE ? '; each row is made from one source row.' : '.';
      this.#problems.add(code, why + rule, locationOf(member) ?? at);
    }
  }

  #setOperation(select: SelectStmt, outer: Scope | null, at: number | undefined): Selected {
    const { larg, rarg } = select;
    if (!larg || !rarg) return { columns: [], isSource: false };
    const left = this.#select(larg, outer);
    const right = this.#select(rarg, outer);
    const isSource = left.isSource || right.isSource;
    return { ...this.#clausesOfMany.setOperation(select, left, right, { outer, at }), isSource };
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
    if (name === this.#name) return `A CTE may not be called ${name}.`;
    if (this.#isOurs(name)) return OURS;
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
      this.#refuseWide(`${this.#who} reads one relation`, second);
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
      this.#refuseWide(`${this.#who} reads one relation`, at);
      const sides = [node.JoinExpr.larg, node.JoinExpr.rarg].filter((side) => side !== undefined);
      const items = sides.map((side) => this.#fromItem(side));
      return {
        relations: items.flatMap((item) => item.relations),
        isSource: items.some((item) => item.isSource),
      };
    }
    if ('RangeFunction' in node) {
      this.#refuseWide('A function in FROM can make several rows', at);
    } else {
      this.#problems.add(INVALID, `FROM takes the relation ${this.#name} only.`, at);
    }
    return REFUSED;
  }

  #named(range: RangeVar): { relations: ScopeRelation[]; isSource: boolean } {
    const { relname = '', schemaname, catalogname, location } = range;
    const relation = this.#relation(range);
    if (relation === null) {
      const name = [catalogname, schemaname, relname].filter(Boolean).join('.');
      const message = `${this.#who} reads from the relation ${this.#name} and from nothing else, not ${name}.`;
      this.#problems.add(INVALID, message, location);
      return REFUSED;
    }
    if (range.inh !== true) this.#problems.add(INVALID, 'ONLY is not allowed.', location);
    if (relation.isSource && (!this.#wide || relname === this.#name)) {
      if (this.#read.has(relname)) this.#twice(location);
      this.#read.add(relname);
    }
    const name = this.#alias(range.alias, location) ?? relname;
    const { columns, unique, isSource } = relation;
    return { relations: [{ name, columns, unique: unique ?? null }], isSource };
  }

  #twice(at: number | undefined): void {
    if (!this.#wide) this.#problems.add(NOT_ROW_WISE, TWICE, at);
    else
      this.#problems.add(
        INVALID,
        `${this.#name} is named once; read it in a WITH to read it twice.`,
        at,
      );
  }

  /** What puts several rows together in FROM: refused in both grains, in grain row as not row-wise. */
  #refuseWide(message: string, at: number | undefined): void {
    const rule = this.#wide ? '.' : '; each row is made from one source row.';
    this.#problems.add(this.#wide ? INVALID : NOT_ROW_WISE, message + rule, at);
  }

  /** Beside the facts of grain `partition` stand names of ours, which no name of theirs may hide. */
  #isOurs(name: string): boolean {
    return this.#wide && name.startsWith('_');
  }

  #relation({ relname = '', schemaname, catalogname }: RangeVar): Relation | null {
    if (schemaname !== undefined || catalogname !== undefined) return null;
    if (relname === this.#name) return this.#source;
    return this.#ctes.get(relname) ?? null;
  }

  #derived(range: RangeSubselect): { relations: ScopeRelation[]; isSource: boolean } {
    const at = locationOf(range);
    if (range.lateral) this.#problems.add(INVALID, 'LATERAL is not allowed.', at);
    if (!range.subquery || !('SelectStmt' in range.subquery)) {
      this.#problems.add(INVALID, 'FROM takes a SELECT only.', at);
      return REFUSED;
    }
    const { columns, isSource, unique } = this.#select(range.subquery.SelectStmt, null);
    const name = this.#alias(range.alias, at);
    return { relations: [{ name, columns, unique: unique ?? null }], isSource };
  }

  #alias(alias: Alias | undefined, at: number | undefined): string | null {
    if (alias?.colnames) {
      this.#problems.add(INVALID, 'Columns are named with AS, not in a list of the alias.', at);
    }
    if (alias?.aliasname && this.#isOurs(alias.aliasname)) this.#problems.add(INVALID, OURS, at);
    return alias?.aliasname ?? null;
  }

  /** A sub-select as a value: one column, and rows that are not those of `source`. */
  #scalar(link: SubLink, scope: Scope): ValueType {
    const at = link.location;
    if (!link.subselect || !('SelectStmt' in link.subselect)) return 'error';
    const before = this.#problems.count;
    const { many: _, ...around } = scope;
    const { columns, isSource, unique } = this.#select(link.subselect.SelectStmt, around);
    if (this.#problems.count === before && this.#wide && unique?.length !== 0) {
      const message = 'A sub-select as a value has one row: it is an aggregate without GROUP BY.';
      this.#problems.add(INVALID, message, at);
    } else if (isSource && !this.#wide && this.#problems.count === before) {
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
}

/** A relation that was refused, and whose problem has been noted. */
const REFUSED: { relations: ScopeRelation[]; isSource: boolean } = {
  relations: [{ name: null, columns: null }],
  isSource: true,
};

const OURS = 'A name that begins with an underscore is not a name of yours here.';
const TWICE = 'source is read more than once; each row is made from one source row.';
