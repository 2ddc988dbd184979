/**
 * Which buckets of which groups of partitions differ, as text. A thousand groups of 64 buckets are
 * 65 kB instead of 700 kB of numbers in a page.
 */
export interface PackedHeat {
  /**
   * Rows of each bucket, group after group: one base-36 digit, or more of them in brackets. What
   * would only be zeros to the end is left out.
   */
  rows: string;
  /** Buckets with unexplained rows: place in `rows`, and how many. */
  unexplained: readonly (readonly [place: number, rows: number])[];
  buckets: number;
}

/** One bucket that differs: `[group, bucket, rows, unexplained rows]`. */
export type HeatPoint = readonly [
  group: number,
  bucket: number,
  rows: number,
  unexplained?: number,
];

/** @param points in order of group and bucket, each at most once */
export function packHeat(points: readonly HeatPoint[], buckets: number): PackedHeat {
  const parts: string[] = [];
  const unexplained: [number, number][] = [];
  let at = 0;
  for (const [group, bucket, rows, odd = 0] of points) {
    const place = group * buckets + bucket;
    parts.push('0'.repeat(place - at), rows < 36 ? rows.toString(36) : `(${rows.toString(36)})`);
    if (odd > 0) unexplained.push([place, odd]);
    at = place + 1;
  }
  return { rows: parts.join(''), unexplained, buckets };
}

/** The points that were packed, in their order. */
export function unpackHeat({ rows, unexplained, buckets }: PackedHeat): HeatPoint[] {
  const odd = new Map(unexplained);
  const points: HeatPoint[] = [];
  let place = 0;
  for (const [text] of rows.matchAll(/\([0-9a-z]+\)|[0-9a-z]/g)) {
    const count = Number.parseInt(text.replace('(', ''), 36);
    const strange = odd.get(place);
    if (count > 0 || strange !== undefined) {
      const group = Math.floor(place / buckets);
      const bucket = place % buckets;
      points.push(strange === undefined ? [group, bucket, count] : [group, bucket, count, strange]);
    }
    place += 1;
  }
  return points;
}
