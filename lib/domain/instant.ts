import { civilOf, epochDayOf, isCivilDate, pad } from './civil-date';
import { quoted } from './json';
import { Invalid, type Read } from './refusal';

declare const instantBrand: unique symbol;

/**
 * An exact instant in canonical text: RFC 3339 in UTC, microseconds at most, the fraction only if
 * it is not zero and without trailing zeros (`2011-01-04T00:00:00Z`, `2011-01-04T00:00:00.5Z`).
 * Equal instants are equal strings. Years 1 to 9999, as far as PostgreSQL and RFC 3339 agree.
 */
export type Instant = string & { readonly [instantBrand]: true };

const MICROS_PER_SECOND = 1_000_000n;
const SECONDS_PER_DAY = 86_400;
const FIRST_SECOND = epochDayOf({ year: 1, month: 1, day: 1 }) * SECONDS_PER_DAY;
const END_SECOND = epochDayOf({ year: 10_000, month: 1, day: 1 }) * SECONDS_PER_DAY;

const WRITTEN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?([Zz]|[+-]\d{2}:\d{2})?)?$/;
const CANONICAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{0,5}[1-9])?Z$/;
const POSTGRES =
  /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,6}))?([+-]\d{2})(?::(\d{2})(?::(\d{2}))?)?$/;

/** Instant of whole seconds since 1970-01-01T00:00:00Z and a part of `micros` (0 to 999,999). */
export function instantOfSeconds(seconds: number, micros = 0): Instant {
  const day = Math.floor(seconds / SECONDS_PER_DAY);
  const rest = seconds - day * SECONDS_PER_DAY;
  const { year, month, day: dayOfMonth } = civilOf(day);
  const hour = Math.floor(rest / 3600);
  const minute = Math.floor((rest % 3600) / 60);
  const fraction = micros === 0 ? '' : `.${pad(micros, 6).replace(/0+$/, '')}`;
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(dayOfMonth, 2)}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(rest % 60, 2)}${fraction}Z` as Instant;
}

/** Whole seconds since 1970-01-01T00:00:00Z, rounded down. */
export function secondsOf(instant: Instant): number {
  return (
    epochDayOf({
      year: Number(instant.slice(0, 4)),
      month: Number(instant.slice(5, 7)),
      day: Number(instant.slice(8, 10)),
    }) *
      SECONDS_PER_DAY +
    Number(instant.slice(11, 13)) * 3600 +
    Number(instant.slice(14, 16)) * 60 +
    Number(instant.slice(17, 19))
  );
}

function microsPart(instant: Instant): number {
  return Number(instant.slice(20, -1).padEnd(6, '0'));
}

/** Microseconds since 1970-01-01T00:00:00Z: PostgreSQL's own resolution. */
export function microsOf(instant: Instant): bigint {
  return BigInt(secondsOf(instant)) * MICROS_PER_SECOND + BigInt(microsPart(instant));
}

/** The instant so many microseconds after 1970-01-01T00:00:00Z. RangeError outside years 1–9999. */
export function instantOf(micros: bigint): Instant {
  const rest = ((micros % MICROS_PER_SECOND) + MICROS_PER_SECOND) % MICROS_PER_SECOND;
  const seconds = Number((micros - rest) / MICROS_PER_SECOND);
  if (seconds < FIRST_SECOND || seconds >= END_SECOND) {
    throw new RangeError('an instant lies in the years 1 to 9999');
  }
  return instantOfSeconds(seconds, Number(rest));
}

/** The instant so many microseconds later; negative for earlier. */
export function addMicros(instant: Instant, micros: bigint): Instant {
  return instantOf(microsOf(instant) + micros);
}

/** The instant so many whole seconds later; negative for earlier. */
export function addSeconds(instant: Instant, seconds: number): Instant {
  return addMicros(instant, BigInt(seconds) * MICROS_PER_SECOND);
}

/** −1, 0 or 1. Without its `Z` the canonical text sorts as the instants do, fraction or not. */
export function compareInstants(a: Instant, b: Instant): -1 | 0 | 1 {
  // nearly always both are whole seconds, and then the `Z` stands at the same place
  if (a.length === b.length) return a < b ? -1 : a > b ? 1 : 0;
  const left = a.slice(0, -1);
  const right = b.slice(0, -1);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function isBefore(a: Instant, b: Instant): boolean {
  return compareInstants(a, b) < 0;
}

function refuse(message: string, code: 'AMBIGUOUS_TIME' | 'INVALID_INPUT' = 'INVALID_INPUT') {
  return { ok: false as const, code, message };
}

/**
 * Reads an RFC 3339 instant. An offset is required: without one the text names a different
 * instant in each zone, and whoever reads it next would guess (`AMBIGUOUS_TIME`). More than
 * microseconds, a leap second, a date without a time, and days that do not exist are refused;
 * nothing is rounded. Seconds may be left out; a blank may stand for the `T`.
 */
export function readInstant(value: unknown): Read<Instant> {
  if (typeof value !== 'string') {
    return refuse(`An instant is a text such as 2011-01-04T00:00:00Z, not ${quoted(value)}.`);
  }
  const match = WRITTEN.exec(value);
  if (match === null) {
    return refuse(
      `${quoted(value)} is not an instant; write it as 2011-01-04T00:00:00Z or 2011-01-04T00:00:00+01:00.`,
    );
  }
  const [, y, mo, d, h, mi, s = '00', fraction = '', offset] = match;
  const date = { year: Number(y), month: Number(mo), day: Number(d) };
  if (!isCivilDate(date)) return refuse(`${quoted(value)} names a day that does not exist.`);
  if (h === undefined) {
    return refuse(
      `${quoted(value)} is a date, not an instant; write the time and its offset, such as ${value}T00:00:00Z.`,
      'AMBIGUOUS_TIME',
    );
  }
  if (Number(h) > 23 || Number(mi) > 59 || Number(s) > 59) {
    return refuse(`${quoted(value)} names a time of day that does not exist.`);
  }
  if (offset === undefined) {
    return refuse(
      `${quoted(value)} has no offset from UTC; write Z or an offset such as +01:00 after it.`,
      'AMBIGUOUS_TIME',
    );
  }
  if (/[1-9]/.test(fraction.slice(6))) {
    return refuse(`${quoted(value)} is finer than a microsecond; give at most 6 decimals.`);
  }
  const shift = offsetSeconds(offset);
  if (shift === null) return refuse(`${quoted(value)} has an offset that does not exist.`);
  const seconds =
    epochDayOf(date) * SECONDS_PER_DAY + Number(h) * 3600 + Number(mi) * 60 + Number(s) - shift;
  if (seconds < FIRST_SECOND || seconds >= END_SECOND) {
    return refuse(`${quoted(value)} is outside the years 1 to 9999 in UTC.`);
  }
  return {
    ok: true,
    value: instantOfSeconds(seconds, Number(fraction.slice(0, 6).padEnd(6, '0'))),
  };
}

function offsetSeconds(offset: string): number | null {
  if (offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  if (hours > 23 || minutes > 59) return null;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** Reads an instant or throws `Invalid` at the given JSON pointer. */
export function parseInstant(value: unknown, pointer = ''): Instant {
  const read = readInstant(value);
  if (!read.ok) throw new Invalid({ pointer, code: read.code, message: read.message });
  return read.value;
}

/** Whether a text is an instant in canonical form already. */
export function isInstant(value: unknown): value is Instant {
  if (typeof value !== 'string' || !CANONICAL.test(value)) return false;
  const read = readInstant(value);
  return read.ok && read.value === value;
}

/**
 * From PostgreSQL's output of a `timestamptz` with DateStyle ISO, in whatever session zone
 * (`2011-01-04 00:00:00.5+00`, `1850-01-01 00:00:00+00:53:28`). Throws RangeError for what has no
 * canonical form: infinity, years before 1 and after 9999.
 */
export function instantFromPostgres(text: string): Instant {
  const match = POSTGRES.exec(text);
  if (match === null) throw new RangeError(`not a finite timestamptz of years 1 to 9999: ${text}`);
  const [, y, mo, d, h, mi, s, fraction = '', zh = '+00', zm = '00', zs = '00'] = match;
  const shift = Math.abs(Number(zh)) * 3600 + Number(zm) * 60 + Number(zs);
  const local =
    epochDayOf({ year: Number(y), month: Number(mo), day: Number(d) }) * SECONDS_PER_DAY +
    Number(h) * 3600 +
    Number(mi) * 60 +
    Number(s);
  const seconds = zh.startsWith('-') ? local + shift : local - shift;
  return instantOf(BigInt(seconds) * MICROS_PER_SECOND + BigInt(fraction.padEnd(6, '0') || '0'));
}
