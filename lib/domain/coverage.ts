import type { ReleaseState } from './lifecycle';

/** How far a planned partition is, for people: what its row says, and what its release proved since. */
export type CoverageState =
  | 'planned'
  | 'building'
  | 'built'
  | 'built_empty'
  | 'caught_up'
  | 'reconciled'
  | 'failed'
  | 'claimed'
  | 'sealed';

/** One character each: as many as there are partitions travel to the browser. */
export const COVERAGE_CODES: Record<CoverageState, string> = {
  planned: 'p',
  building: 'u',
  built: 'b',
  built_empty: 'e',
  caught_up: 'k',
  reconciled: 'r',
  failed: 'f',
  claimed: 'c',
  sealed: 's',
};

const PROVEN: readonly ReleaseState[] = [
  'RECONCILED',
  'APPROVED',
  'ACTIVE',
  'RETIRED',
  'ROLLED_BACK',
];

/**
 * The state of a partition as the calendar shows it. One that was published stays as it is served
 * whatever the candidate has of it, which counts as soon as that is there.
 *
 * @param rows rows of its receipt; null where it has none
 */
export function coverageOf(
  release: ReleaseState,
  {
    state,
    rows,
    sealed,
  }: {
    state: 'planned' | 'building' | 'built' | 'failed';
    rows: number | null;
    sealed: boolean;
  },
): CoverageState {
  if (state !== 'built') return state;
  if (sealed) return 'sealed';
  if (PROVEN.includes(release)) return 'reconciled';
  if (release === 'CAUGHT_UP') return 'caught_up';
  return rows === 0 ? 'built_empty' : 'built';
}
