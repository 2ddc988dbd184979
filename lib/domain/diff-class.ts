/**
 * What a row of the reconciliation is. `explained`: the transform's effect, and a declared rule
 * accounts for every changed column. `unexplained`: it does not. `control_error`: the old
 * transform raises for this row and no rule expects that. `drift`: the old generation's row is not
 * what its own transform yields. `quarantined`: the candidate has no row because it could not be
 * computed.
 */
export const DIFF_CLASSES = [
  'explained',
  'unexplained',
  'control_error',
  'drift',
  'quarantined',
] as const;
export type DiffClass = (typeof DIFF_CLASSES)[number];

/** What happened to the row, from control to new; `same` where only the old row drifts. */
export const DIFF_KINDS = ['added', 'removed', 'changed', 'same'] as const;
export type DiffKind = (typeof DIFF_KINDS)[number];

export type RowFacts = {
  kind: DiffKind;
  /** The first rule that explains it, or null. */
  rule: string | null;
  /** The old row is not the control row. */
  drifts: boolean;
  /** The old transform raised for it. */
  controlError: boolean;
  /** The candidate's row is not what the new transform yields. */
  unfaithful: boolean;
  quarantined: boolean;
};

/** The class of a row, or null for a row that is the same on all sides. */
export function classOf(row: RowFacts): DiffClass | null {
  if (row.quarantined) return 'quarantined';
  const effect = row.kind !== 'same';
  if (row.unfaithful || (effect && row.rule === null)) {
    return row.controlError ? 'control_error' : 'unexplained';
  }
  if (effect) return 'explained';
  return row.drifts ? 'drift' : null;
}

/** Whether rows of a class keep the release from moving on whatever anybody accepts. */
export function blocksAlways(rowClass: DiffClass): boolean {
  return rowClass === 'unexplained' || rowClass === 'control_error';
}

/** Whether rows of a class keep it from moving on until somebody accepts them by name. */
export function needsAcceptance(rowClass: DiffClass): boolean {
  return rowClass === 'drift' || rowClass === 'quarantined';
}

/** Whether a rule explains a row: every changed column has to be among its columns. */
export function coversColumns(rule: readonly string[], changed: readonly string[]): boolean {
  return changed.every((column) => rule.includes(column));
}

/** Names of the checks of every reconciliation. */
export const CHECKS = [
  'partition_closure',
  'row_count_buckets',
  'key_set',
  'null_distribution',
  'delete_distribution',
  'expected_diff',
  'drift',
  'duplicate_keys',
  'roots',
] as const;
export type FixedCheck = (typeof CHECKS)[number];

/** Any check's name: one of the fixed, or one per conserved sum or item of the contract. */
export type CheckName = FixedCheck | `conserved:${string}` | `contract:${string}`;

export const conservedCheck = (name: string): CheckName => `conserved:${name}`;
export const contractCheck = (name: string): CheckName => `contract:${name}`;
