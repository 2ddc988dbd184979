import {
  LINE,
  type LineState,
  RELEASE_LOOKS,
  type ReleaseStateName,
  type StateLook,
} from './states';

/** One entry of a release's history: a state that it entered, by whom, when. */
export interface RailEntry {
  state: ReleaseStateName;
  /** A person, or `runner`. Several signers are one text: "ben, cyd". */
  by?: string;
  /** Text in the dataset's zone ("09:14", "since 09:16"). */
  at?: string;
  /** The RFC 3339 instant, for the hover. */
  utc?: string;
}

export interface RailStep {
  state: ReleaseStateName;
  look: StateLook;
  phase: 'done' | 'now' | 'next' | 'off';
  by?: string;
  at?: string;
  utc?: string;
}

const isLine = (state: ReleaseStateName): state is LineState =>
  (LINE as readonly string[]).includes(state);

/**
 * The steps of the rail.
 *
 * On the line: everything before the current state is done, everything after it is next. A release
 * that fell back (sealed too long, so BUILDING again) has later states in its history: they do not
 * count as done. Of several entries of one state the last one is shown.
 *
 * Beside the line the state is one more step, after the last line state that was reached (`reached`,
 * else read from the history). After REJECTED, ABANDONED and ROLLED_BACK the rest is `off`: it will
 * not happen. After RECONCILIATION_REQUIRED it is still `next`: a retry goes on from there.
 */
export function railSteps(
  current: ReleaseStateName,
  history: readonly RailEntry[],
  reached?: LineState,
): RailStep[] {
  const latest = new Map<ReleaseStateName, RailEntry>();
  for (const entry of history) latest.set(entry.state, entry);

  const step = (state: ReleaseStateName, phase: RailStep['phase']): RailStep => {
    const entry = phase === 'done' || phase === 'now' ? latest.get(state) : undefined;
    return {
      state,
      look: RELEASE_LOOKS[state],
      phase,
      by: entry?.by,
      at: entry?.at,
      utc: entry?.utc,
    };
  };

  if (isLine(current)) {
    const now = LINE.indexOf(current);
    return LINE.map((state, at) => step(state, at < now ? 'done' : at === now ? 'now' : 'next'));
  }

  const left = LINE.indexOf(reached ?? lastReached(current, history));
  const rest = current === 'RECONCILIATION_REQUIRED' ? 'next' : 'off';
  const line = LINE.map((state, at) => step(state, at <= left ? 'done' : rest));
  line.splice(left + 1, 0, step(current, 'now'));
  return line;
}

function lastReached(current: ReleaseStateName, history: readonly RailEntry[]): LineState {
  if (current === 'ROLLED_BACK') return 'ACTIVE';
  for (let at = history.length - 1; at >= 0; at -= 1) {
    const state = history[at]?.state;
    if (state && isLine(state)) return state;
  }
  return 'DRAFT';
}

/** What the small rail says to who cannot see it: "state 6 of 9, RECONCILED". */
export function railLabel(current: ReleaseStateName, steps: readonly RailStep[]): string {
  const now = steps.findIndex((step) => step.phase === 'now');
  if (isLine(current)) return `state ${now + 1} of ${LINE.length}, ${current}`;
  return `${current} after ${steps[now - 1]?.state ?? 'DRAFT'}, state ${now} of ${LINE.length}`;
}
