/**
 * A generation's map: for every instant of business time, which segment holds it and which
 * transform made it. Bounds are microseconds since 1970, null where the map is unbounded.
 */
export interface MapRange {
  from: bigint | null;
  to: bigint | null;
  /** Null in a candidate outside its release's range: filled in at the cutover. */
  segment: string | null;
  transform: string;
}

export interface Span {
  from: bigint | null;
  to: bigint | null;
}

const startsBefore = (a: bigint | null, b: bigint | null) => b !== null && (a === null || a < b);
const endsAfter = (a: bigint | null, b: bigint | null) => b !== null && (a === null || a > b);

/** True if `instant` lies in `[span.from, span.to)`. */
export function within(span: Span, instant: bigint): boolean {
  return (span.from === null || span.from <= instant) && (span.to === null || instant < span.to);
}

/**
 * The range that holds an instant.
 *
 * @throws where the map has a gap, which the database forbids
 */
export function locate(map: readonly MapRange[], instant: bigint): MapRange {
  let low = 0;
  let high = map.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = map[middle] as MapRange;
    if (range.from !== null && instant < range.from) high = middle - 1;
    else if (range.to !== null && instant >= range.to) low = middle + 1;
    else return range;
  }
  throw new Error(`the map has a gap at ${instant}`);
}

/** Ordered, whole, and with equal neighbours as one: the only form in which a map is stored. */
export function normalise(ranges: readonly MapRange[]): MapRange[] {
  const ordered = [...ranges].sort((a, b) =>
    a.from === b.from ? 0 : a.from === null ? -1 : b.from === null ? 1 : a.from < b.from ? -1 : 1,
  );
  const merged: MapRange[] = [];
  for (const range of ordered) {
    const last = merged.at(-1);
    if (
      last &&
      last.to === range.from &&
      last.segment === range.segment &&
      last.transform === range.transform
    ) {
      last.to = range.to;
    } else {
      merged.push({ ...range });
    }
  }
  return merged;
}

/**
 * The map with `change` laid over `span`, e.g. partitions that were copied into a write segment.
 * `change` may keep what stood there by reading its argument.
 */
export function overlay(
  map: readonly MapRange[],
  span: Span,
  change: (range: MapRange) => Pick<MapRange, 'segment' | 'transform'>,
): MapRange[] {
  const result: MapRange[] = [];
  for (const range of map) {
    const from = startsBefore(range.from, span.from) ? span.from : range.from;
    const to = endsAfter(range.to, span.to) ? span.to : range.to;
    if (from !== null && to !== null && from >= to) {
      result.push(range);
      continue;
    }
    if (startsBefore(range.from, span.from)) result.push({ ...range, to: span.from });
    const { segment, transform } = change(range);
    result.push({ from, to, segment, transform });
    if (endsAfter(range.to, span.to)) result.push({ ...range, from: span.to });
  }
  return normalise(result);
}

/** The map with spans of it, e.g. partitions that were copied, turned over to another segment. */
export function turnTo(
  map: readonly MapRange[],
  spans: readonly Span[],
  segment: string,
): MapRange[] {
  return spans.reduce<MapRange[]>(
    (turned, span) => overlay(turned, span, (range) => ({ ...range, segment })),
    [...map],
  );
}

/** True if the ranges cover every instant once. */
export function isWhole(map: readonly MapRange[]): boolean {
  return (
    map.length > 0 &&
    map[0]?.from === null &&
    map.at(-1)?.to === null &&
    map.every((range, i) => i === 0 || (range.from !== null && range.from === map[i - 1]?.to))
  );
}
