/**
 * What is missing of a dataset's partitions. A gap is found, never asked for: whoever would have to
 * ask has not noticed yet.
 */

/** Why a whole past partition is a gap. */
export type Gap = 'no_rows' | 'run_missing' | 'run_failed' | 'run_skipped';

/** What a partition holds and what the newest run made of it. */
export interface Held {
  /** Whether it is over. */
  whole: boolean;
  /** Exact text; null while its figures are being recomputed. */
  rows: string | null;
  sealed: boolean;
  run: { state: RunOutcome; reason: string | null } | null;
  /** Whether rows are to be expected in it: later ones hold some, or it is run by a schedule. */
  promised: boolean;
  /** Whether a scheduled run should have taken it by now. */
  due: boolean;
}

/** Of a partition in a run. */
export type RunOutcome = 'planned' | 'done' | 'skipped' | 'failed';

/** Whether a run left the partition to whoever has claimed it. */
export const isForClaim = (reason: string | null): boolean =>
  reason?.startsWith('claimed_by:') === true;

/**
 * Why a partition is a gap; null where it is none. A sealed one never is: its figures were sent
 * out, with rows or without. Nor is one that a run is about to take. What the schedule failed to do
 * is told before the rows that are missing for it; stale figures are no proof that rows are missing.
 */
export function gapOf({ whole, rows, sealed, run, promised, due }: Held): Gap | null {
  if (!whole || sealed || run?.state === 'planned') return null;
  if (due && run?.state === 'failed') return 'run_failed';
  if (due && run?.state === 'skipped' && isForClaim(run.reason)) return 'run_skipped';
  if (rows === '0' && promised) return 'no_rows';
  return due && run === null ? 'run_missing' : null;
}

/** How a partition is shown on the dataset's calendar. */
export type CalendarState =
  | 'has_rows'
  | 'no_rows'
  | 'gap'
  | 'run_missing'
  | 'run_failed'
  | 'run_skipped'
  | 'run_planned'
  | 'claimed'
  | 'published'
  | 'corrected';

/** One character each: as many as there are partitions travel to the browser. */
export const CALENDAR_CODES: Record<CalendarState, string> = {
  has_rows: 'w',
  no_rows: 'n',
  gap: 'g',
  run_missing: 'm',
  run_failed: 'x',
  run_skipped: 'z',
  run_planned: 'y',
  claimed: 'c',
  published: 'l',
  corrected: 'd',
};

/**
 * The one state that stands for a partition where several hold: what can no longer change, then
 * what is under way, then what somebody has to do something about, then who has it.
 *
 * @param moved whether a sealed partition has pending or written corrections
 * @param warned whether a partition without rows counts as a gap of this dataset
 */
export function calendarStateOf(
  held: Held,
  { moved, claimed, warned }: { moved: boolean; claimed: boolean; warned: boolean },
): CalendarState {
  if (held.sealed) return moved ? 'corrected' : 'published';
  if (held.run?.state === 'planned') return 'run_planned';
  if (held.run?.state === 'failed') return 'run_failed';
  if (held.run?.state === 'skipped' && isForClaim(held.run.reason)) return 'run_skipped';
  const gap = gapOf(held);
  if (gap === 'no_rows' && warned) return 'gap';
  if (claimed) return 'claimed';
  if (gap === 'run_missing') return 'run_missing';
  return held.rows === '0' ? 'no_rows' : 'has_rows';
}
