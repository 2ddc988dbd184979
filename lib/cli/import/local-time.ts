import { epochDayOf, isCivilDate } from '@/lib/domain/civil-date';
import { type Instant, instantOfSeconds } from '@/lib/domain/instant';
import { offsetSpans } from '@/lib/domain/time-zone';
import { BadLine } from './bad-line';

/** Which instant is meant by a local time that the clock shows twice, or never. */
export type Disambiguation = 'reject' | 'earlier' | 'later';

/** A wall clock's reading: seconds since 1970-01-01 00:00 of that clock, and microseconds. */
export interface LocalTime {
  readonly seconds: number;
  readonly micros: number;
}

export type LocalReader = (text: string) => LocalTime | null;

const DAY = 86_400;
const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?$/;
const PARTS: Record<string, { name: string; pattern: string }> = {
  YYYY: { name: 'year', pattern: '\\d{4}' },
  MM: { name: 'month', pattern: '\\d{2}' },
  M: { name: 'month', pattern: '\\d{1,2}' },
  DD: { name: 'day', pattern: '\\d{2}' },
  D: { name: 'day', pattern: '\\d{1,2}' },
  HH: { name: 'hour', pattern: '\\d{2}' },
  H: { name: 'hour', pattern: '\\d{1,2}' },
  mm: { name: 'minute', pattern: '\\d{2}' },
  ss: { name: 'second', pattern: '\\d{2}' },
  ffffff: { name: 'fraction', pattern: '\\d{1,6}' },
};
const TOKEN = /YYYY|MM?|DD?|HH?|mm|ss|ffffff|[^YMDHmsf]+|[YMDHmsf]/g;

/** ISO 8601 without an offset: `2010-12-01 08:26:00`; seconds, or the whole time, may be missing. */
export const readIsoLocal: LocalReader = (text) => {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction] = match;
  return localTime({ year, month, day, hour, minute, second, fraction });
};

/**
 * A reader for a pattern of `YYYY MM M DD D HH H mm ss ffffff` and punctuation: `D/M/YYYY H:mm`.
 *
 * @throws RangeError where the pattern names no day, or a part twice
 */
export function localReader(pattern: string): LocalReader {
  const seen = new Set<string>();
  const source = (pattern.match(TOKEN) ?? []).map((token) => {
    const part = PARTS[token];
    if (part === undefined) {
      if (/[A-Za-z]/.test(token.replaceAll('T', '')))
        throw new RangeError(`unknown part "${token}"`);
      return token.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
    }
    if (seen.has(part.name)) throw new RangeError(`the ${part.name} stands there twice`);
    seen.add(part.name);
    return `(?<${part.name}>${part.pattern})`;
  });
  for (const name of ['year', 'month', 'day']) {
    if (!seen.has(name)) throw new RangeError(`there is no ${name} in it`);
  }
  const expression = new RegExp(`^${source.join('')}$`);
  return (text) => {
    const match = expression.exec(text);
    return match === null ? null : localTime(match.groups ?? {});
  };
}

type Parts = { [part: string]: string | undefined };

function localTime(parts: Parts): LocalTime | null {
  const { year, month, day, hour = '0', minute = '0', second = '0', fraction = '' } = parts;
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  if (!isCivilDate(date)) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  return {
    seconds: epochDayOf(date) * DAY + Number(hour) * 3600 + Number(minute) * 60 + Number(second),
    micros: Number(fraction.padEnd(6, '0')),
  };
}

/**
 * The instant of a local time in a zone.
 *
 * A time in the hour that the clock skips in spring is never shown, one in the hour that it repeats
 * in autumn is shown twice; neither names one instant, and unless the mapping says which to take
 * nobody guesses. `earlier` and `later` mean the same as in Temporal.
 *
 * @throws BadLine `AMBIGUOUS_TIME`
 */
export function instantOfLocal(
  local: LocalTime,
  zone: string,
  disambiguation: Disambiguation,
  text: string,
): Instant {
  const spans = offsetSpans(zone, local.seconds - DAY, local.seconds + DAY);
  const found = spans
    .map(({ start, end, offset }) => ({ start, end, at: local.seconds - offset }))
    .filter(({ start, end, at }) => at >= start && at < end)
    .map(({ at }) => at);
  const [first] = found;
  const last = found.at(-1);
  if (first !== undefined && first === last) return instantOfSeconds(first, local.micros);
  if (disambiguation === 'reject') {
    const times = first === undefined ? 'does not exist' : 'occurs twice';
    throw new BadLine(
      'AMBIGUOUS_TIME',
      `the local time ${JSON.stringify(text)} ${times} in ${zone}`,
    );
  }
  if (first !== undefined && last !== undefined) {
    return instantOfSeconds(disambiguation === 'earlier' ? first : last, local.micros);
  }
  return instantOfSeconds(acrossGap(local, spans, disambiguation), local.micros);
}

/** A skipped time read with the offset after the gap is earlier, with the one before it later. */
function acrossGap(
  local: LocalTime,
  spans: ReturnType<typeof offsetSpans>,
  disambiguation: Disambiguation,
): number {
  for (const [i, before] of spans.entries()) {
    const after = spans[i + 1];
    if (after === undefined) break;
    const gapEnds = after.start + after.offset;
    if (local.seconds >= before.end + before.offset && local.seconds < gapEnds) {
      return local.seconds - (disambiguation === 'earlier' ? after.offset : before.offset);
    }
  }
  throw new RangeError('no gap holds this local time');
}
