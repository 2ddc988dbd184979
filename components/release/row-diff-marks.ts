export type DiffSide = 'old' | 'control' | 'new';

/** The texts of a row's compared columns on each side; a side without a row is null. */
export interface DiffSides {
  old: readonly (string | null)[] | null;
  control: readonly (string | null)[] | null;
  new: readonly (string | null)[] | null;
}

/**
 * How a cell is marked: `o` as it was, `w` as it becomes, `d` drift, or not at all.
 *
 * Drift is old against control: what is served is not what its own transform yields; both cells are
 * marked, whatever the new one is. The transform's effect is control against new (old against new
 * where there is no control): the new cell is marked, and the old one unless it drifted. A row that
 * is only on one side is marked whole there.
 */
export function cellMark(sides: DiffSides, side: DiffSide, at: number): 'o' | 'w' | 'd' | null {
  const { old, control } = sides;
  const drifted = old !== null && control !== null && old[at] !== control[at];
  const base = control ?? old;
  const changed = sides.new === null || base === null || base[at] !== sides.new[at];
  if (side === 'new') return changed ? 'w' : null;
  if (drifted) return 'd';
  return side === 'old' && changed ? 'o' : null;
}
