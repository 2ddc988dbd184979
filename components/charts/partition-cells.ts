import { PARTITION_LOOKS, type PartitionStateName } from '@/components/release/states';

/**
 * Partition states as one character each. 50,000 of them are one string of 50 kB instead of an
 * array of half a megabyte, and travel as such from the server.
 */
const CODES = {
  planned: 'p',
  building: 'u',
  built: 'b',
  built_empty: 'e',
  caught_up: 'k',
  reconciled: 'r',
  failed: 'f',
  claimed: 'c',
  sealed: 's',
  inherited: 'i',
  has_rows: 'w',
  no_rows: 'n',
  gap: 'g',
  run_missing: 'm',
  run_failed: 'x',
  run_skipped: 'z',
  run_planned: 'y',
  published: 'l',
  corrected: 'd',
} as const satisfies Record<PartitionStateName, string>;

export type CellCode = (typeof CODES)[PartitionStateName];

/** The states of the legend, in the order in which a partition goes through them. */
export const CELL_STATES = Object.keys(CODES) as PartitionStateName[];

const STATES = new Map<string, PartitionStateName>(
  CELL_STATES.map((state) => [CODES[state], state]),
);

export function cellCode(state: PartitionStateName): CellCode {
  return CODES[state];
}

/** States of partitions in order, as the string that the calendar and the strip take. */
export function cellCodes(states: readonly PartitionStateName[]): string {
  return states.map((state) => CODES[state]).join('');
}

export function cellState(code: string | undefined): PartitionStateName {
  return STATES.get(code ?? '') ?? 'planned';
}

export function cellLabel(code: string | undefined): string {
  return PARTITION_LOOKS[cellState(code)].label;
}

/** How many partitions there are of each code. */
export function cellCounts(states: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const code of states) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

/**
 * Which of several partitions that share a pixel is shown: what needs somebody first, then what is
 * least far on. Never the other way round, or a failure among thousands would be painted over.
 */
const PRECEDENCE = 'fxgmzuycpnbewkrdlsi';

/** What must be seen wherever it is: drawn last, and never thinner than 2 px. */
const ALARMS = 'fxg';

export const isAlarm = (code: string): boolean => code !== '' && ALARMS.includes(code);

export function precedence(code: string): number {
  const at = PRECEDENCE.indexOf(code);
  return at < 0 ? 0 : PRECEDENCE.length - at;
}

/** Both ends of each of n partitions: n + 1 texts in the zone, and n + 1 exact UTC instants. */
export interface Edges {
  /** `2011-10-30 00:00 BST`: wall-clock time in the dataset's zone with the offset's name. */
  text: readonly string[];
  /** `2011-10-29T23:00:00Z` */
  utc: readonly string[];
  zone: string;
}

/** `[2011-10-30 00:00 BST, 2011-10-31 00:00 GMT) Europe/London` for partitions from…to, half-open. */
export function intervalText(edges: Edges, from: number, to = from + 1): string {
  return `[${edges.text[from] ?? ''}, ${edges.text[to] ?? ''}) ${edges.zone}`;
}

export function intervalUtc(edges: Edges, from: number, to = from + 1): string {
  return `[${edges.utc[from] ?? ''}, ${edges.utc[to] ?? ''})`;
}

/** A partition of unusual length: a day of 23 or 25 hours. */
export interface OddPartition {
  index: number;
  /** Its length in words: "23 h". */
  text: string;
}

/** Partitions from…to by place, half-open. */
export interface Stretch {
  from: number;
  to: number;
}

/** Two partitions and all between them, whichever comes first. */
export const stretchOf = (a: number, b: number): Stretch => ({
  from: Math.min(a, b),
  to: Math.max(a, b) + 1,
});

/**
 * A stretch with one end moved by the keyboard, from `here` to `there`: the other end stays. What
 * does not end at `here` begins there anew.
 */
export function extended(
  range: Stretch | null | undefined,
  here: Stretch,
  there: Stretch,
): Stretch {
  const begins = range?.from === here.from;
  const ends = range?.to === here.to;
  let kept = here;
  if (range && begins && !ends) kept = stretchOf(range.to - 1, range.to - 1);
  else if (range && ends && !begins) kept = stretchOf(range.from, range.from);
  return { from: Math.min(kept.from, there.from), to: Math.max(kept.to, there.to) };
}
