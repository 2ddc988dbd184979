import type { ActionProblem } from '@/components/release/blockers';

/** An action that throws has an unknown outcome: it is said, never guessed. */
export const noAnswer = (): { ok: false; problem: ActionProblem } => ({
  ok: false,
  problem: {
    code: 'NO_ANSWER',
    title: 'No answer came back.',
    detail: 'Press again: if it was recorded, it is not recorded twice.',
  },
});
