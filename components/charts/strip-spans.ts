import { isAlarm, precedence } from './partition-cells';

/** Equal neighbours merged: partitions from…to (half-open) have one state. */
export interface Span {
  code: string;
  from: number;
  to: number;
}

/** Equal neighbours merge into spans. */
export function mergeSpans(states: string): Span[] {
  const spans: Span[] = [];
  for (let at = 0; at < states.length; at += 1) {
    const code = states[at] ?? '';
    const last = spans.at(-1);
    if (last && last.code === code) last.to = at + 1;
    else spans.push({ code, from: at, to: at + 1 });
  }
  return spans;
}

/**
 * At most about `most` spans for the screen. Where there are more, the strip is cut into `most`
 * equal pieces and each shows what in it needs somebody most: a lone failure is never lost.
 * Failures come apart, so that they can be drawn over the rest and never thinner than 2 px.
 */
export function stripSpans(states: string, most = 600): { band: Span[]; failures: Span[] } {
  const spans = mergeSpans(states);
  const failures = spans.filter((span) => isAlarm(span.code));
  if (spans.length <= most) return { band: spans, failures };
  const size = states.length / most;
  let pieces = '';
  for (let piece = 0; piece < most; piece += 1) {
    const to = Math.floor((piece + 1) * size);
    let shown = '';
    for (let at = Math.floor(piece * size); at < to; at += 1) {
      const code = states[at] ?? '';
      if (shown === '' || precedence(code) > precedence(shown)) shown = code;
    }
    pieces += shown;
  }
  const back = (piece: number) => Math.floor(piece * size);
  const scaled = (span: Span) => ({ code: span.code, from: back(span.from), to: back(span.to) });
  const band = mergeSpans(pieces).map(scaled);
  return { band, failures: band.filter((span) => isAlarm(span.code)) };
}

/** How many partitions of a range have each state. */
export function countsIn(states: string, from: number, to: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let at = from; at < to; at += 1) {
    const code = states[at] ?? '';
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return counts;
}

/** The span that holds a partition. */
export function spanAt(spans: readonly Span[], at: number): Span | undefined {
  return spans.find((span) => at >= span.from && at < span.to);
}
