import type { AsOf } from '@/components/hooks/live-store';
import type { Instant } from '@/lib/domain/instant';
import { formatEdge, formatMoment } from '@/lib/domain/partition-label';
import { formatWhen, formatWhenZoned } from '@/lib/domain/when-label';

/** A moment as text in a zone, with the instant for the hover. */
export interface Told {
  text: string;
  utc: string;
}

/** Read models give instants of the database, which are canonical. */
const instant = (utc: string) => utc as Instant;

/** `12 Dec 2011 14:03:05 GMT` */
export function moment(zone: string, utc: string): Told {
  return { text: formatMoment(zone, instant(utc)), utc };
}

/** `14:03:05` today, `12 Dec 14:03` before. */
export function when(zone: string, utc: string, now: string): Told {
  return { text: formatWhen(zone, instant(utc), instant(now)), utc };
}

/** `14:03:05 GMT` today, the whole moment before. */
export function whenZoned(zone: string, utc: string, now: string): Told {
  return { text: formatWhenZoned(zone, instant(utc), instant(now)), utc };
}

export function asOf(zone: string, now: string): AsOf {
  return moment(zone, now);
}

/** Both ends of an interval for `<Interval>`; an open one ends in `open`. */
export function ends(zone: string, from: string, to: string | null) {
  return {
    from: formatEdge(zone, instant(from)),
    to: to === null ? 'open' : formatEdge(zone, instant(to)),
    zone,
    fromUtc: from,
    toUtc: to ?? 'open',
  };
}

/** The zone of a page that shows several datasets: theirs, where they have one, else UTC. */
export function commonZone(zones: readonly string[]): string {
  const [first, ...others] = new Set(zones);
  return first !== undefined && others.length === 0 ? first : 'UTC';
}
