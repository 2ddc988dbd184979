/** Within how many seconds of its request a rollback has to be done. */
export const ROLLBACK_LIMIT_SECONDS = 900;

export type RollbackState = 'requested' | 'replaying' | 'sealed' | 'done' | 'called_off' | 'failed';

/** Whether its clock runs. */
export function isRollbackRunning(state: RollbackState): boolean {
  return state === 'requested' || state === 'replaying' || state === 'sealed';
}

/**
 * How long a rollback will take in all, from its request; null where nothing was measured.
 *
 * While it runs, its own rate counts as soon as it has replayed anything for a second; before that,
 * and before it begins, the rate of an earlier rollback of the dataset does.
 *
 * @param rate events per second, measured before
 * @param run of the rollback under way: events in all, events replayed, seconds since the request
 */
export function rollbackEstimateSeconds(
  events: number,
  rate: number | null,
  run: { replayed: number; elapsedSeconds: number } | null = null,
): number | null {
  if (run !== null && run.replayed > 0 && run.elapsedSeconds >= 1) {
    const left = Math.max(0, events - run.replayed);
    return run.elapsedSeconds + left / (run.replayed / run.elapsedSeconds);
  }
  if (events === 0) return run?.elapsedSeconds ?? 0;
  return rate === null || rate <= 0 ? null : (run?.elapsedSeconds ?? 0) + events / rate;
}
