import { pad } from './civil-date';
import type { Instant } from './instant';
import { formatMoment, localTime, zoneAbbreviation } from './partition-label';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * A moment beside others, as short as it can be understood now: `14:03:05` on the same day in the
 * zone, `12 Dec 14:03` in the same year, `12 Dec 2010 14:03` else. The zone is the page's.
 */
export function formatWhen(zone: string, instant: Instant, now: Instant): string {
  const at = localTime(zone, instant);
  const today = localTime(zone, now);
  const clock = `${pad(at.hour, 2)}:${pad(at.minute, 2)}`;
  if (at.year === today.year && at.month === today.month && at.day === today.day) {
    return `${clock}:${pad(at.second, 2)}`;
  }
  const day = `${at.day} ${MONTHS[at.month - 1]}`;
  return at.year === today.year ? `${day} ${clock}` : `${day} ${at.year} ${clock}`;
}

/** `14:03:05 GMT` on the same day, else the whole moment: for who reads it alone. */
export function formatWhenZoned(zone: string, instant: Instant, now: Instant): string {
  const short = formatWhen(zone, instant, now);
  return /^\d\d:/.test(short)
    ? `${short} ${zoneAbbreviation(zone, instant)}`
    : formatMoment(zone, instant);
}
