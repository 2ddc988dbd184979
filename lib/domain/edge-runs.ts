import { civilOf, dateText, pad } from './civil-date';

/**
 * The edges of a plan as runs of equal lengths and of equal offsets. Fifty thousand partitions are
 * a few hundred numbers instead of megabytes of text, and the browser needs no zone database of its
 * own to write them out: what it shows is what was planned. The server packs them, by `pack-edges`.
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

/** The edges written out: `2011-10-30 00:00 BST` and `2011-10-29T23:00:00Z`. */
export function unpackEdges({ zone, first, lengths, clocks }: PackedEdges): EdgeTexts {
  const text: string[] = [];
  const utc: string[] = [];
  const local = new Writer();
  const exact = new Writer();
  let clock = 0;
  let second = first;
  const push = () => {
    while (clocks[clock + 1] && (clocks[clock + 1]?.[0] ?? 0) <= utc.length) clock += 1;
    const [, offset = 0, name = ''] = clocks[clock] ?? [];
    text.push(`${local.clock(second + offset)} ${name}`);
    utc.push(exact.instant(second));
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

/** Writes one instant after the other; the date is the same as before twenty-three times of twenty-four. */
class Writer {
  #day = Number.NaN;
  #date = '';

  /** `2011-10-30`, and the seconds of that day. */
  #split(seconds: number): [date: string, rest: number] {
    const day = Math.floor(seconds / 86_400);
    if (day !== this.#day) {
      this.#day = day;
      this.#date = dateText(civilOf(day));
    }
    return [this.#date, seconds - day * 86_400];
  }

  clock(local: number): string {
    const [date, rest] = this.#split(local);
    const minutes = `${TWO[Math.floor(rest / 3600)]}:${TWO[Math.floor((rest % 3600) / 60)]}`;
    return rest % 60 === 0 ? `${date} ${minutes}` : `${date} ${minutes}:${TWO[rest % 60]}`;
  }

  instant(seconds: number): string {
    const [date, rest] = this.#split(seconds);
    return `${date}T${TWO[Math.floor(rest / 3600)]}:${TWO[Math.floor((rest % 3600) / 60)]}:${TWO[rest % 60]}Z`;
  }
}

const TWO = Array.from({ length: 60 }, (_, n) => pad(n, 2));
