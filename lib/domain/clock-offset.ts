import { epochDayOf } from './civil-date';

const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * Local minus UTC, in seconds, at an instant of whole seconds: what `offsetAt` of `time-zone` says,
 * without the polyfill of Temporal that finds a zone's transitions. It is for showing times, which
 * browsers do; plans are made from the spans.
 */
export function clockOffset(zone: string, seconds: number): number {
  const parts: Record<string, string> = {};
  for (const { type, value } of formatter(zone).formatToParts(seconds * 1000)) parts[type] = value;
  const year = Number(parts.year);
  const day = epochDayOf({
    year: parts.era === 'B' ? 1 - year : year,
    month: Number(parts.month),
    day: Number(parts.day),
  });
  const time = Number(parts.hour) * 3600 + Number(parts.minute) * 60 + Number(parts.second);
  return day * 86_400 + time - seconds;
}

function formatter(zone: string): Intl.DateTimeFormat {
  let made = formatters.get(zone);
  if (made === undefined) {
    made = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'narrow',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formatters.set(zone, made);
  }
  return made;
}
