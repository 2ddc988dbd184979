/** Rows of `control.setting` that the demo has; without the first one there is no demo here. */
export const demoSettings = {
  /** Written last: the demo is there, whole. */
  seeded: 'demo.seeded',
  /** `{on}`: whether live events flow; who switched it, and when. */
  stream: 'demo.stream',
  /** `{next, left}`: number of the next turn, and how many are left; when the last one was. */
  turn: 'demo.stream.turn',
} as const;

/** Turns of one switching on, two seconds each: nearly a day, then it switches itself off. */
export const turnsOfOneSwitch = 40_000;
