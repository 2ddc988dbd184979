import { RELEASE_LOOKS, type ReleaseStateName } from '@/components/release/states';

/** A release that a mark can be linked to, by its name. */
export interface Repairer {
  name: string;
  /** Its newest revision and that one's state. */
  text: string;
}

/** A release's state as a word in a sentence. */
export const stateWord = (state: string): string =>
  (RELEASE_LOOKS[state as ReleaseStateName]?.label ?? state).toLowerCase();

const OVER = ['ACTIVE', 'RETIRED'];
const ENDED = ['REJECTED', 'ABANDONED', 'ROLLED_BACK'];

/**
 * Of releases, newest first: those whose newest revision has its cutover still to come, then those
 * of which it takes another revision.
 */
export function repairersOf(releases: readonly { release: string; state: string }[]): Repairer[] {
  const newest = new Map<string, { release: string; state: string }>();
  for (const each of releases) {
    const name = each.release.replace(/@\d+$/, '');
    if (!newest.has(name)) newest.set(name, each);
  }
  const offered = [...newest].filter(([, { state }]) => !OVER.includes(state));
  const isEnded = ([, { state }]: (typeof offered)[number]) => ENDED.includes(state);
  return [...offered.filter((each) => !isEnded(each)), ...offered.filter(isEnded)].map(
    ([name, { release, state }]) => ({ name, text: `${release}, ${stateWord(state)}` }),
  );
}
