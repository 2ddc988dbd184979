import { setTimeout as pause } from 'node:timers/promises';

const firstPauseMs = 50;
const longestPauseMs = 500;

/**
 * Asks again and again until there is nothing left to do, the time is over, or the caller is gone.
 *
 * @param seconds 0 or undefined: asks once
 */
export async function untilIdle(
  seconds: number | undefined,
  signal: AbortSignal,
  working: () => Promise<boolean>,
): Promise<void> {
  if (!seconds) return;
  const deadline = Date.now() + seconds * 1_000;
  for (let ms = firstPauseMs; await working(); ms = Math.min(ms * 1.5, longestPauseMs)) {
    const left = deadline - Date.now();
    if (left <= 0 || signal.aborted) return;
    await pause(Math.min(ms, left), undefined, { signal }).catch(() => {});
  }
}
