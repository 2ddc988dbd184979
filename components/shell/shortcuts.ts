/** What a shortcut does; who shows it words it. */
export type Deed =
  | { kind: 'go'; href: string }
  | { kind: 'find' | 'list' | 'next-row' | 'previous-row' };

export interface Shortcut {
  /** Pressed one after the other. */
  keys: readonly string[];
  what: string;
  group: 'Go to' | 'In a table' | 'Anywhere';
  /** Left out where the browser does it by itself, and the list only tells of it. */
  deed?: Deed;
}

const goTo = (letter: string, what: string, href: string): Shortcut => ({
  keys: ['g', letter],
  what,
  group: 'Go to',
  deed: { kind: 'go', href },
});

/** Every shortcut of single keys, in the order of the list. ⌘K is the palette's own. */
export const SHORTCUTS: readonly Shortcut[] = [
  goTo('o', 'Overview', '/'),
  goTo('r', 'Releases', '/releases'),
  goTo('d', 'Datasets', '/datasets'),
  goTo('n', 'Runs', '/runs'),
  goTo('c', 'Corrections', '/corrections'),
  goTo('l', 'On-call', '/oncall'),
  goTo('a', 'Audit', '/audit'),
  { keys: ['j'], what: 'Next row', group: 'In a table', deed: { kind: 'next-row' } },
  { keys: ['k'], what: 'Row before', group: 'In a table', deed: { kind: 'previous-row' } },
  { keys: ['Enter'], what: 'Open the row', group: 'In a table' },
  { keys: ['/'], what: 'Find', group: 'Anywhere', deed: { kind: 'find' } },
  { keys: ['?'], what: 'This list', group: 'Anywhere', deed: { kind: 'list' } },
  { keys: ['Esc'], what: 'Close what is open', group: 'Anywhere' },
];

/** A key that begins a longer shortcut, and when it was pressed. */
export interface Begun {
  key: string;
  at: number;
}

const SEQUENCE_MS = 1500;

/**
 * One more key: what it does together with the one before, or that it begins something. A first key
 * that is not followed in time is forgotten; a second one that fits nothing counts as a first.
 */
export function press(
  key: string,
  at: number,
  begun: Begun | null,
): { deed: Deed | null; begun: Begun | null } {
  if (begun && at - begun.at <= SEQUENCE_MS) {
    const whole = SHORTCUTS.find(({ keys }) => keys[0] === begun.key && keys[1] === key);
    if (whole?.deed) return { deed: whole.deed, begun: null };
  }
  const single = SHORTCUTS.find(({ keys }) => keys.length === 1 && keys[0] === key);
  if (single?.deed) return { deed: single.deed, begun: null };
  const begins = SHORTCUTS.some(({ keys }) => keys.length > 1 && keys[0] === key);
  return { deed: null, begun: begins ? { key, at } : null };
}
