import { epochDayOf, isCivilDate } from './civil-date';
import { type Instant, instantOfSeconds, readInstant } from './instant';
import { formatEdge, zoneAbbreviation } from './partition-label';
import { partitionAt } from './partition-plan';
import type { Read } from './refusal';
import { offsetSpans } from './time-zone';

/**
 * An edge as people type it, in the dataset's zone: `2011-01-04` (when that day begins),
 * `2011-01-04 00:00`, `2011-10-30 01:30 BST`, or an instant with an offset.
 */
const LOCAL =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?(?: +([A-Za-z0-9+:−-]+))?$/;

const DAY = 86_400;
/** A local time is within 16 h of its instant, and no jump of a zone exceeds a day. */
const MARGIN = 2 * DAY;

export type EdgeRead =
  | Read<Instant>
  | (Extract<Read<Instant>, { ok: false }> & {
      /** The instants that it may mean, where it means two. */
      choices: Instant[];
    });

/** Reads an edge; where the clock shows the time twice, both instants are offered, none is guessed. */
export function readEdge(zone: string, text: string): EdgeRead {
  const trimmed = text.trim();
  const match = LOCAL.exec(trimmed);
  if (match === null || /[Zz]$/.test(trimmed)) return readInstant(trimmed);
  const [, y, mo, d, h, mi = '00', s = '00', name] = match;
  if (name !== undefined && /^[+-]\d/.test(name))
    return readInstant(trimmed.replace(' ', 'T').replace(' ', ''));
  const date = { year: Number(y), month: Number(mo), day: Number(d) };
  if (!isCivilDate(date)) return refuse(`${trimmed} names a day that does not exist.`);
  if (h === undefined) return dayStart(zone, trimmed, epochDayOf(date));
  if (Number(h) > 23 || Number(mi) > 59 || Number(s) > 59) {
    return refuse(`${trimmed} names a time of day that does not exist.`);
  }
  const local = epochDayOf(date) * DAY + Number(h) * 3600 + Number(mi) * 60 + Number(s);
  return named(zone, trimmed, instantsShowing(zone, local), name);
}

function named(zone: string, text: string, found: Instant[], name: string | undefined): EdgeRead {
  const wanted =
    name === undefined
      ? found
      : found.filter((instant) => zoneAbbreviation(zone, instant) === name);
  const [only, second] = wanted;
  if (only === undefined) {
    return found.length === 0
      ? refuse(`No clock in ${zone} shows ${text}: it was put forward over it.`, 'AMBIGUOUS_TIME')
      : refuse(`At ${text} the clock in ${zone} is not ${name}.`, 'AMBIGUOUS_TIME', found);
  }
  if (second === undefined) return { ok: true, value: only };
  const both = wanted.map((instant) => formatEdge(zone, instant)).join(' or ');
  return refuse(`The clock in ${zone} shows ${text} twice: say ${both}.`, 'AMBIGUOUS_TIME', wanted);
}

function refuse(
  message: string,
  code: 'INVALID_INPUT' | 'AMBIGUOUS_TIME' = 'INVALID_INPUT',
  choices: Instant[] = [],
): EdgeRead {
  return { ok: false, code, message, choices };
}

/** Every instant at which the clocks of the zone show a local time; rising. */
function instantsShowing(zone: string, local: number): Instant[] {
  return offsetSpans(zone, local - MARGIN, local + MARGIN)
    .map(({ start, end, offset }) => ({ start, end, at: local - offset }))
    .filter(({ start, end, at }) => at >= start && at < end)
    .map(({ at }) => at)
    .filter((at, i, all) => all.indexOf(at) === i)
    .sort((a, b) => a - b)
    .map((at) => instantOfSeconds(at));
}

/** When the day begins: its first instant, which need not be midnight. */
function dayStart(zone: string, text: string, epochDay: number): EdgeRead {
  // a day without any noon is one that the zone skipped
  const noon = instantsShowing(zone, epochDay * DAY + DAY / 2)[0];
  const day = noon === undefined ? null : partitionAt(zone, 'day', noon);
  return day === null
    ? refuse(`There is no ${text} in ${zone}: the zone skipped it.`, 'AMBIGUOUS_TIME')
    : { ok: true, value: day.start };
}
