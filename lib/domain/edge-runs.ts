import { civilOf, dateText, pad } from './civil-date';
import { clockOffset } from './clock-offset';
import { type Instant, instantOfSeconds, secondsOf } from './instant';
import { zoneAbbreviation } from './partition-label';
import type { Partition } from './partition-plan';

/**
 * The edges of a plan as runs of equal lengths and of equal offsets. Fifty thousand partitions are
 * a few hundred numbers instead of megabytes of text, and the browser needs no zone database of its
 * own to write them out: what it shows is what was planned.
 */
export interface PackedEdges {
  zone: string;
  /** The first edge, in seconds since 1970. */
  first: number;
  /** Lengths in seconds, each with how often in a row. */
  lengths: readonly (readonly [seconds: number, times: number])[];
  /** From which edge on the clock is so many seconds ahead of UTC, and its short name. */
  clocks: readonly (readonly [edge: number, offset: number, name: string])[];
}

/** Both ends of each of n partitions: n + 1 texts in the zone, and n + 1 exact UTC instants. */
export interface EdgeTexts {
  text: string[];
  utc: string[];
  zone: string;
}

const NONE: PackedEdges = { zone: 'UTC', first: 0, lengths: [], clocks: [] };

/** Packs partitions that follow one another without a gap, as a plan's do. */
export function packEdges(zone: string, partitions: readonly Partition[]): PackedEdges {
  const start = partitions[0]?.start;
  if (start === undefined) return { ...NONE, zone };
  const first = secondsOf(start);
  const lengths: [number, number][] = [];
  const clocks: [number, number, string][] = [];
  const clock = (edge: number, instant: Instant) => {
    const offset = clockOffset(zone, secondsOf(instant));
    if (clocks.at(-1)?.[1] !== offset) clocks.push([edge, offset, zoneAbbreviation(zone, instant)]);
  };
  clock(0, start);
  partitions.forEach((partition, at) => {
    const length = secondsOf(partition.end) - secondsOf(partition.start);
    const last = lengths.at(-1);
    if (last?.[0] === length) last[1] += 1;
    else lengths.push([length, 1]);
    clock(at + 1, partition.end);
  });
  return { zone, first, lengths, clocks };
}

/** The edges written out: `2011-10-30 00:00 BST` and `2011-10-29T23:00:00Z`. */
export function unpackEdges({ zone, first, lengths, clocks }: PackedEdges): EdgeTexts {
  const text: string[] = [];
  const utc: string[] = [];
  let clock = 0;
  let second = first;
  const push = () => {
    while (clocks[clock + 1] && (clocks[clock + 1]?.[0] ?? 0) <= utc.length) clock += 1;
    const [, offset = 0, name = ''] = clocks[clock] ?? [];
    text.push(`${clockText(second + offset)} ${name}`);
    utc.push(instantOfSeconds(second));
  };
  if (lengths.length > 0) push();
  for (const [length, times] of lengths) {
    for (let i = 0; i < times; i += 1) {
      second += length;
      push();
    }
  }
  return { text, utc, zone };
}

export function countEdges({ lengths }: PackedEdges): number {
  return lengths.reduce((count, [, times]) => count + times, 0);
}

function clockText(local: number): string {
  const day = Math.floor(local / 86_400);
  const rest = local - day * 86_400;
  const seconds = rest % 60 === 0 ? '' : `:${pad(rest % 60, 2)}`;
  return `${dateText(civilOf(day))} ${pad(Math.floor(rest / 3600), 2)}:${pad(Math.floor((rest % 3600) / 60), 2)}${seconds}`;
}
