import { civilOf, dateText, daysInMonth, pad, weekdayOf } from './civil-date';
import { clockOffset } from './clock-offset';
import { type Instant, secondsOf } from './instant';
import type { Partition, PartitionUnit } from './partition-plan';

/**
 * Times for people: in the dataset's zone, intervals with both ends and the zone, never a bare
 * date. The UTC instant beside it (on hover) is the canonical text itself.
 */

export type LocalTime = {
  year: number;
  month: number;
  day: number;
  /** Monday 1 to Sunday 7. */
  weekday: number;
  hour: number;
  minute: number;
  second: number;
  /** Local minus UTC, in seconds. */
  offset: number;
};

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Each locale knows the short zone names of its own region only, and writes GMT+1 for the rest. */
const NAMING_LOCALES = ['en-GB', 'en-US', 'en-AU', 'en-NZ', 'en-IN', 'en-ZA'];
const formatters = new Map<string, Intl.DateTimeFormat>();

/** What the clocks of the zone show at an instant (the fraction of the second left aside). */
export function localTime(zone: string, instant: Instant): LocalTime {
  const seconds = secondsOf(instant);
  const offset = clockOffset(zone, seconds);
  const local = seconds + offset;
  const epochDay = Math.floor(local / 86_400);
  const rest = local - epochDay * 86_400;
  return {
    ...civilOf(epochDay),
    weekday: weekdayOf(epochDay),
    hour: Math.floor(rest / 3600),
    minute: Math.floor((rest % 3600) / 60),
    second: rest % 60,
    offset,
  };
}

/** Short name of the zone's time at an instant: `GMT`, `BST`, `EDT`, else `UTC+10:30`. */
export function zoneAbbreviation(zone: string, instant: Instant): string {
  if (zone === 'UTC' || zone === 'Etc/UTC') return 'UTC';
  const seconds = secondsOf(instant);
  for (const locale of NAMING_LOCALES) {
    const name = formatter(locale, zone)
      .formatToParts(seconds * 1000)
      .find((part) => part.type === 'timeZoneName')?.value;
    if (name !== undefined && /^[A-Z]{2,5}$/.test(name)) return name;
  }
  return offsetText(clockOffset(zone, seconds));
}

function formatter(locale: string, zone: string): Intl.DateTimeFormat {
  const key = `${locale} ${zone}`;
  let cached = formatters.get(key);
  if (cached === undefined) {
    cached = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' });
    formatters.set(key, cached);
  }
  return cached;
}

function offsetText(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60);
  if (minutes === 0) return 'UTC';
  const rest = minutes % 60 === 0 ? '' : `:${pad(minutes % 60, 2)}`;
  return `UTC${offset < 0 ? '−' : '+'}${Math.floor(minutes / 60)}${rest}`;
}

function clockText(local: LocalTime, instant: Instant, always: boolean): string {
  const fraction = instant.slice(19, -1);
  const seconds = always || local.second !== 0 || fraction !== '';
  const tail = seconds ? `:${pad(local.second, 2)}${fraction}` : '';
  return `${pad(local.hour, 2)}:${pad(local.minute, 2)}${tail}`;
}

/** One end of an interval: `2011-10-30 00:00 BST`; seconds only where they are not zero. */
export function formatEdge(zone: string, instant: Instant): string {
  const local = localTime(zone, instant);
  return `${dateText(local)} ${clockText(local, instant, false)} ${zoneAbbreviation(zone, instant)}`;
}

/** `[2011-10-30 00:00 BST, 2011-10-31 00:00 GMT) Europe/London`; `open` ends in `open)`. */
export function formatInterval(zone: string, from: Instant, to: Instant | 'open'): string {
  const end = to === 'open' ? 'open' : formatEdge(zone, to);
  return `[${formatEdge(zone, from)}, ${end}) ${zone}`;
}

/** `12 Dec 2011 14:03:05 GMT`, the moment at which something happened. */
export function formatMoment(zone: string, instant: Instant): string {
  const local = localTime(zone, instant);
  const whole = `${instant.slice(0, 19)}Z` as Instant;
  const clock = clockText(local, whole, true);
  return `${local.day} ${MONTHS[local.month - 1]} ${local.year} ${clock} ${zoneAbbreviation(zone, instant)}`;
}

/** `14:03:05 GMT`, for a live page where the day is plain. */
export function formatTimeOfDay(zone: string, instant: Instant): string {
  const whole = `${instant.slice(0, 19)}Z` as Instant;
  return `${clockText(localTime(zone, whole), whole, true)} ${zoneAbbreviation(zone, instant)}`;
}

/** Length of a partition in hours: 24, 23, 25, 23.5… */
export function lengthInHours({ start, end }: Partition): number {
  return (secondsOf(end) - secondsOf(start)) / 3600;
}

/**
 * The length of a partition that is not as long as its unit usually is, else null: `23 h`, `25 h`,
 * `23.5 h` for days, `30 min` for a cut hour, `167 h` for a week, `743 h` for a month.
 */
export function lengthNote(zone: string, unit: PartitionUnit, partition: Partition): string | null {
  const hours = lengthInHours(partition);
  if (hours === usualHours(zone, unit, partition)) return null;
  if (hours < 1) return `${Math.round(hours * 600) / 10} min`;
  return `${Math.round(hours * 100) / 100} h`;
}

function usualHours(zone: string, unit: PartitionUnit, { start }: Partition): number {
  switch (unit) {
    case 'hour':
      return 1;
    case 'day':
      return 24;
    case 'week':
      return 168;
    case 'month': {
      const { year, month } = localTime(zone, start);
      return daysInMonth(year, month) * 24;
    }
  }
}
