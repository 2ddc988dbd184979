import { daysInMonth, epochDayOf } from '@/lib/domain/civil-date';

const DATE = /^(\d{4,7})-(\d\d)-(\d\d)( BC)?$/;
const INSTANT =
  /^(\d{4,6})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:Z|([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?)( BC)?$/i;
const SECOND = 1_000_000n;
const DAY = 86_400n * SECOND;

/** 1970-01-01 to 2000-01-01: PostgreSQL counts dates and instants from the latter. */
const EPOCH_DAYS = 10_957n;

/** What PostgreSQL stores for the infinite dates and instants. */
const INFINITY = { date: 2n ** 31n - 1n, instant: 2n ** 63n - 1n } as const;

/**
 * Days since 2000-01-01, from `YYYY-MM-DD` in the proleptic Gregorian calendar (years of up to
 * seven digits, ` BC` behind years before 1). `infinity` and `-infinity` are the ends of int32.
 */
export function dateDays(text: string): bigint {
  if (text === 'infinity') return INFINITY.date;
  if (text === '-infinity') return -INFINITY.date - 1n;
  const match = DATE.exec(text);
  if (!match) throw new RangeError(`not a date: ${JSON.stringify(text)}`);
  const [, year = '', month = '', day = '', era] = match;
  return daysOf(text, year, month, day, era);
}

/**
 * Microseconds since 2000-01-01T00:00:00Z, from RFC 3339 or PostgreSQL's ISO output; an offset is
 * required, since an instant without one names no instant. At most six fractional digits;
 * `infinity` and `-infinity` are the ends of int64.
 */
export function instantMicros(text: string): bigint {
  if (text === 'infinity') return INFINITY.instant;
  if (text === '-infinity') return -INFINITY.instant - 1n;
  const match = INSTANT.exec(text);
  if (!match) throw new RangeError(`not an instant with offset: ${JSON.stringify(text)}`);
  const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] = match;
  const [fraction = '', sign = '+', oh = '0', om = '0', os = '0', era] = match.slice(7);
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    throw new RangeError(`no such time of day: ${JSON.stringify(text)}`);
  }
  const offset = seconds(oh, om, os) * (sign === '-' ? -1n : 1n);
  const time = (seconds(hour, minute, second) - offset) * SECOND + BigInt(fraction.padEnd(6, '0'));
  return daysOf(text, year, month, day, era) * DAY + time;
}

function seconds(hours: string, minutes: string, rest: string): bigint {
  return BigInt(hours) * 3600n + BigInt(minutes) * 60n + BigInt(rest);
}

function daysOf(text: string, digits: string, month: string, day: string, era?: string): bigint {
  const written = Number(digits);
  // The year before 1 is written `0001 BC`; there is no year 0.
  const year = era === undefined ? written : 1 - written;
  const date = { year, month: Number(month), day: Number(day) };
  const exists =
    written > 0 &&
    date.month >= 1 &&
    date.month <= 12 &&
    date.day >= 1 &&
    date.day <= daysInMonth(year, date.month);
  if (!exists) throw new RangeError(`no such day: ${JSON.stringify(text)}`);
  return BigInt(epochDayOf(date)) - EPOCH_DAYS;
}
