import { formatCount, plural } from './figures';
import { type MapRange, normalise, overlay, type Span } from './range-map';
import { type Blocker, toFix } from './refusal';

/** A span of business time with both ends. */
export interface ClosedSpan {
  from: bigint;
  to: bigint;
}

/** Partitions in order of time as spans: neighbours are one. */
export function spansOf(partitions: readonly { start: bigint; end: bigint }[]): ClosedSpan[] {
  const spans: ClosedSpan[] = [];
  for (const { start, end } of partitions) {
    const last = spans.at(-1);
    if (last?.to === start) last.to = end;
    else spans.push({ from: start, to: end });
  }
  return spans;
}

/**
 * The map of a generation that is to serve, with every sealed partition where the generation in use
 * has it: what was published goes on being served, by reference. The transform stays the map's own:
 * it says what the partition's facts would become, which is what corrections are made of.
 *
 * @param sealed in order of time
 */
export function keepSealed(
  map: readonly MapRange[],
  served: readonly MapRange[],
  sealed: readonly { start: bigint; end: bigint }[],
): MapRange[] {
  let kept = [...map];
  for (const span of spansOf(sealed)) {
    for (const range of served) {
      const part = intersection(span, range);
      if (part) kept = overlay(kept, part, (own) => ({ ...own, segment: range.segment }));
    }
  }
  return kept;
}

/**
 * The map that a candidate serves by from its cutover on: its own range, and outside it, and of what
 * was published within it, what the generation in use has, by reference.
 *
 * @param sealed in order of time
 */
export function afterCutover(
  candidate: readonly MapRange[],
  served: readonly MapRange[],
  sealed: readonly { start: bigint; end: bigint }[],
): MapRange[] {
  const inherited = candidate
    .filter((range) => range.segment !== null)
    .reduce<MapRange[]>(
      (map, range) =>
        overlay(map, range, () => ({ segment: range.segment, transform: range.transform })),
      normalise(served),
    );
  return keepSealed(inherited, served, sealed);
}

function intersection(span: ClosedSpan, range: Span): ClosedSpan | null {
  const from = range.from === null || range.from < span.from ? span.from : range.from;
  const to = range.to === null || range.to > span.to ? span.to : range.to;
  return from < to ? { from, to } : null;
}

/** Sealed partitions that a release which is to leave them alone would recompute. */
export interface SealedInWay {
  count: number;
  /** Starts of the first few, in order of time. */
  first: readonly string[];
}

/** Why a release that says `sealedPartitions: REFUSE` may not go on over published partitions. */
export function sealedBlockers({ count, first }: SealedInWay): Blocker[] {
  if (count === 0) return [];
  const more = count > first.length ? ` and ${formatCount(count - first.length)} more` : '';
  return [
    toFix(
      'PARTITION_SEALED',
      `${plural(count, 'partition')} of the range ${count === 1 ? 'was' : 'were'} published: ${first.join(', ')}${more}. Leave them out of the range, or let the release correct them (sealedPartitions: CORRECT).`,
      { pointer: '/sealedPartitions', expected: '0', current: String(count) },
    ),
  ];
}
