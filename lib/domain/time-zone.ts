import { Temporal } from 'temporal-polyfill';
import { quoted } from './json';
import type { Read } from './refusal';
import { textSchema } from './zod-issues';

/**
 * A stretch of time in which a zone keeps one offset from UTC, half-open, in whole seconds since
 * 1970-01-01T00:00:00Z. `offset` is local minus UTC, in seconds.
 */
export type OffsetSpan = { start: number; end: number; offset: number };

const CHUNK_SECONDS = 315_576_000;
const PROBE_SECONDS = 63_115_200;
/** Spans by zone and chunk of ten years: they are facts of the zone database and never change. */
const known = new Map<string, OffsetSpan[]>();

/**
 * Reads the name of an IANA time zone into its usual spelling. Bare offsets are refused: `+01:00`
 * has no summer time, and whoever writes it for a dataset rarely means that.
 */
export function readZone(value: unknown): Read<string> {
  const refuse = (message: string) => ({
    ok: false as const,
    code: 'INVALID_INPUT' as const,
    message,
  });
  if (typeof value !== 'string' || !/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(value)) {
    return refuse(`${quoted(value)} is not the name of a time zone such as Europe/London or UTC.`);
  }
  try {
    return { ok: true, value: zoned(value, 0).timeZoneId };
  } catch {
    return refuse(
      `There is no time zone ${quoted(value)}; names are such as Europe/London or UTC.`,
    );
  }
}

/** zod schema of a time zone's name. */
export const zoneSchema = textSchema(readZone, { description: 'IANA time zone' });

/**
 * The zone's offset spans from the one that holds `from` to the one before `to`, in order and
 * without gaps; the first and the last may reach beyond. Neighbours may have equal offsets.
 */
export function offsetSpans(zone: string, from: number, to: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  for (let chunk = Math.floor(from / CHUNK_SECONDS); chunk * CHUNK_SECONDS < to; chunk += 1) {
    for (const span of chunkOf(zone, chunk)) {
      if (span.end > from && span.start < to) spans.push(span);
    }
  }
  return spans;
}

/** Local minus UTC, in seconds, at an instant of whole seconds. */
export function offsetAt(zone: string, seconds: number): number {
  const span = offsetSpans(zone, seconds, seconds + 1)[0];
  if (span === undefined) throw new RangeError(`no offset of ${zone} at ${seconds}`);
  return span.offset;
}

function chunkOf(zone: string, chunk: number): OffsetSpan[] {
  const key = `${zone} ${chunk}`;
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const end = (chunk + 1) * CHUNK_SECONDS;
  const spans: OffsetSpan[] = [];
  let start = chunk * CHUNK_SECONDS;
  let cursor = start;
  while (cursor < end) {
    const next = zoned(zone, cursor).getTimeZoneTransition('next');
    const at = next === null ? Infinity : Math.floor(next.epochMilliseconds / 1000);
    // The polyfill gives up after about three years without a transition, and counts them from
    // the present clock: so "none" is believed for two years only.
    const stop = at === Infinity ? cursor + PROBE_SECONDS : at;
    if (at < end) {
      spans.push({ start, end: at, offset: offsetOf(zone, start) });
      start = at;
    }
    cursor = stop;
  }
  spans.push({ start, end, offset: offsetOf(zone, start) });
  known.set(key, spans);
  return spans;
}

function offsetOf(zone: string, seconds: number): number {
  return Math.round(zoned(zone, seconds).offsetNanoseconds / 1e9);
}

function zoned(zone: string, seconds: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(zone);
}
