import { setTimeout as wait } from 'node:timers/promises';
import { pathOf } from './api-client';
import { startProgress } from './progress';
import { progressText, type Release, stateText } from './release-text';
import type { Session } from './session';

const EVERY_MS = 1_000;

/**
 * Follows a release until the runner has nothing left to do for it, or the time is over: with a bar
 * where somebody watches, else with a line on stderr at each change.
 *
 * @param until when to stop, by `performance.now()`
 * @returns whether the runner was through
 */
export async function watchRelease(
  session: Session,
  reference: string,
  until = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const bar = startProgress(session.io, 1_000);
  let last = '';
  try {
    for (;;) {
      const answer = await session.api.get(pathOf('releases', reference));
      const release = answer.body as Release;
      const { planned, receipts } = release.progress;
      const words = `${stateText(release)} · ${progressText(release.progress)}`;
      bar.at(planned === 0 ? 0 : Math.floor((1_000 * receipts) / planned), words);
      if (!session.io.watched && !session.json && words !== last) session.io.say(words);
      last = words;
      if (!release.flags.working) return true;
      const left = until - performance.now();
      if (left <= 0) return false;
      await wait(Math.min(EVERY_MS, left));
    }
  } finally {
    bar.end();
  }
}
