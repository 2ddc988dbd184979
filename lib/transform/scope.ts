import type { ManyRows } from '@/lib/transform/many-rows';
import type { ValueType } from '@/lib/transform/value-type';

/** A column that a name can mean. */
export interface ScopeColumn {
  readonly name: string;
  readonly type: ValueType;
  /** The column of `source` that it passes through unchanged, if it does. */
  readonly origin: string | null;
}

/** A relation of a FROM with the name that it is known by, if it has one. */
export interface ScopeRelation {
  readonly name: string | null;
  /** Null where the relation was refused, so that its columns are no further problem. */
  readonly columns: readonly ScopeColumn[] | null;
  /** Columns that together name a row of it; none: it has one row; null or absent: not known. */
  readonly unique?: readonly string[] | null;
}

/** The relations of one SELECT and, for a sub-select, those around it. */
export interface Scope {
  readonly relations: readonly ScopeRelation[];
  readonly outer: Scope | null;
  /** There where aggregates and windows may stand: in the outputs and the order of grain partition. */
  readonly many?: ManyRows;
}

export type Resolution =
  | { readonly column: ScopeColumn; readonly relation: ScopeRelation }
  | { readonly refused: true }
  | { readonly problem: string };

/**
 * What a column reference means, as PostgreSQL resolves it: the innermost SELECT that has it. A
 * name that is no column is refused, so that neither whole rows, system columns nor functions in
 * the form `source.f` can be meant.
 */
export function resolve(scope: Scope, fields: readonly string[]): Resolution {
  const [first = '', second] = fields;
  if (fields.length > 2) return { problem: `${fields.join('.')} is not a column of source.` };
  for (let level: Scope | null = scope; level !== null; level = level.outer) {
    const found = second === undefined ? byColumn(level, first) : byRelation(level, first, second);
    if (found !== null) return found;
    if (level.relations.some(({ columns }) => columns === null)) return { refused: true };
  }
  const known = scope.relations.flatMap(({ columns }) => (columns ?? []).map(({ name }) => name));
  const list = [...new Set(known)].slice(0, 20).join(', ');
  return { problem: `There is no column ${fields.join('.')}; there are: ${list || 'none'}.` };
}

function byColumn(level: Scope, name: string): Resolution | null {
  const found = level.relations.flatMap((relation) =>
    (relation.columns ?? [])
      .filter((column) => column.name === name)
      .map((column) => ({ column, relation })),
  );
  if (found.length > 1) {
    const choice = found.map(({ relation }) => `${relation.name ?? ''}.${name}`).join(' or ');
    return { problem: `${name} is ambiguous; write ${choice}.` };
  }
  return found[0] ?? null;
}

function byRelation(level: Scope, qualifier: string, name: string): Resolution | null {
  const relation = level.relations.find((candidate) => candidate.name === qualifier);
  const column = relation?.columns?.find((candidate) => candidate.name === name);
  return relation && column ? { column, relation } : null;
}
