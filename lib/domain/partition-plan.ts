import * as z from 'zod';
import { civilOf, epochDayOf } from './civil-date';
import { compareInstants, type Instant, instantOfSeconds, secondsOf } from './instant';
import { type Blocker, type Edges, Invalid, toFix } from './refusal';
import { type OffsetSpan, offsetAt, offsetSpans } from './time-zone';

/**
 * The one place where partition boundaries are computed. SQL looks them up in the calendar and
 * never computes them: `date_trunc` in a zone is wrong on some days of Havana, Amman, Gaza, the
 * Azores and Scoresbysund, and PostgreSQL and the browser carry other zone databases.
 *
 * The rules, for every IANA zone:
 * - A day begins at the first instant at which the local clock shows its date (or, having skipped
 *   it, a later one). So a day whose midnight does not exist begins when its date does, a midnight
 *   that comes twice counts the first time, and a date that the zone skipped has no partition.
 * - A week begins with its Monday (ISO), a month with its first day, by the same rule.
 * - An hour is a real hour that begins when the local clock shows a whole hour; the repeated hour
 *   of autumn is a partition of its own. Where an offset changes by other than whole hours (Lord
 *   Howe: 30 minutes), the clock's hours begin anew at that instant: the partition under way ends
 *   there, and the next ends at the new clock's next whole hour. No hour is longer than 60 minutes.
 *
 * Partitions of one zone and unit follow one another without gap, overlap or empty one, and every
 * boundary is a whole second.
 */
export const PARTITION_UNITS = ['hour', 'day', 'week', 'month'] as const;
export type PartitionUnit = (typeof PARTITION_UNITS)[number];
export const partitionUnitSchema = z.enum(PARTITION_UNITS);

/** Half-open `[start, end)`. A partition is named by its start instant, in UTC. */
export type Partition = { start: Instant; end: Instant };

/** Where a release may apply: half-open; `open` is "from there on". */
export type Range = { from: Instant; to: Instant | 'open' };

/** Instants outside `[CALENDAR_FIRST, CALENDAR_END)` have no partition. */
export const CALENDAR_FIRST = '1900-01-01T00:00:00Z' as Instant;
export const CALENDAR_END = '2200-01-01T00:00:00Z' as Instant;

/** More partitions than this are not planned at once: a plan is shown, stored and worked off whole. */
export const PLAN_LIMIT = 200_000;

const DAY = 86_400;
const HOUR = 3600;
/** 1970-01-05, a Monday. */
const FIRST_MONDAY = 4;
/** A local time is within 16 h of its instant, and no jump of a zone exceeds a day. */
const MARGIN = 2 * DAY;
const SHORTEST: Record<PartitionUnit, number> = {
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 28 * DAY,
};

type CalendarUnit = Exclude<PartitionUnit, 'hour'>;
/** Boundaries in whole seconds since 1970, rising, the first at or before what was asked for. */
type Boundaries = number[];

/** The partition that holds an instant; null outside the calendar's years. */
export function partitionAt(zone: string, unit: PartitionUnit, instant: Instant): Partition | null {
  if (!isInCalendar(instant)) return null;
  const second = secondsOf(instant);
  const edges = boundaries(zone, unit, second, second + 1);
  return { start: instantOfSeconds(edges[0] as number), end: instantOfSeconds(edges[1] as number) };
}

/**
 * The partitions that `[from, to)` touches, whole, in order: exactly the range where its ends lie
 * on edges, and none where it is empty. Throws `Invalid` outside the calendar's years or where
 * they would be more than `PLAN_LIMIT`.
 */
export function partitionsBetween(
  zone: string,
  unit: PartitionUnit,
  from: Instant,
  to: Instant,
): Partition[] {
  if (compareInstants(from, to) >= 0) return [];
  if (!isInCalendar(from) || compareInstants(CALENDAR_END, to) < 0) {
    const message = `[${from}, ${to}) is not within [${CALENDAR_FIRST}, ${CALENDAR_END}).`;
    throw new Invalid({ pointer: '', code: 'RANGE_OUTSIDE_CALENDAR', message });
  }
  const first = secondsOf(from);
  const last = isWhole(to) ? secondsOf(to) : secondsOf(to) + 1;
  const tooMany = planTooLarge(unit, first, last);
  if (tooMany !== null) throw new Invalid({ pointer: '', ...tooMany });
  const edges = boundaries(zone, unit, first, last);
  const partitions: Partition[] = [];
  let start = instantOfSeconds(edges[0] as number);
  for (let i = 1; i < edges.length; i += 1) {
    const end = instantOfSeconds(edges[i] as number);
    partitions.push({ start, end });
    start = end;
  }
  return partitions;
}

/**
 * The edges around an instant: the last at or before it, the first after it. Null outside the
 * calendar's years.
 */
export function nearestEdges(zone: string, unit: PartitionUnit, instant: Instant): Edges | null {
  const partition = partitionAt(zone, unit, instant);
  return partition && { before: partition.start, after: partition.end };
}

/** Whether a partition begins exactly at the instant. */
export function isEdge(zone: string, unit: PartitionUnit, instant: Instant): boolean {
  return partitionAt(zone, unit, instant)?.start === instant;
}

/**
 * What is wrong with a release's range, each with the edges nearest to the faulty end: empty, off
 * the partition edges (once per end), outside the calendar, too many partitions. An empty list is
 * a range that can be planned.
 */
export function checkRange(zone: string, unit: PartitionUnit, range: Range): Blocker[] {
  const { from, to } = range;
  const outside = outsideCalendar(range);
  if (outside.length > 0) return outside;

  const blockers: Blocker[] = [];
  if (to !== 'open' && compareInstants(from, to) >= 0) {
    const what = from === to ? 'from and to are the same instant' : 'it ends before it starts';
    const edges = {
      from: nearestEdges(zone, unit, from) as Edges,
      to: nearestEdges(zone, unit, to) as Edges,
    };
    blockers.push(
      toFix('EMPTY_RANGE', `The range [${from}, ${to}) is empty: ${what}.`, {
        pointer: '/range',
        current: { from, to },
        edges,
      }),
    );
  }
  for (const side of ['from', 'to'] as const) {
    const instant = range[side];
    if (instant === 'open') continue;
    const edges = nearestEdges(zone, unit, instant);
    if (edges === null || edges.before === instant) continue;
    blockers.push(
      toFix(
        'RANGE_NOT_ON_PARTITION_EDGE',
        `${side} ${instant} lies inside a ${unit} of ${zone}; the nearest edges are ${edges.before} and ${edges.after}.`,
        { pointer: `/range/${side}`, current: instant, edges },
      ),
    );
  }
  if (blockers.length === 0 && to !== 'open') {
    const tooMany = planTooLarge(unit, secondsOf(from), secondsOf(to));
    if (tooMany !== null)
      blockers.push(toFix(tooMany.code, tooMany.message, { pointer: '/range' }));
  }
  return blockers;
}

export function isInCalendar(instant: Instant): boolean {
  return (
    compareInstants(CALENDAR_FIRST, instant) <= 0 && compareInstants(instant, CALENDAR_END) < 0
  );
}

function outsideCalendar(range: Range): Blocker[] {
  return (['from', 'to'] as const).flatMap((side) => {
    const instant = range[side];
    if (instant === 'open' || isInCalendar(instant)) return [];
    return toFix(
      'RANGE_OUTSIDE_CALENDAR',
      `${side} ${instant} is outside the calendar, which goes from ${CALENDAR_FIRST} to ${CALENDAR_END}.`,
      { pointer: `/range/${side}`, current: instant },
    );
  });
}

function planTooLarge(unit: PartitionUnit, first: number, last: number) {
  if ((last - first) / SHORTEST[unit] <= PLAN_LIMIT) return null;
  return {
    code: 'PLAN_TOO_LARGE' as const,
    message: `The range holds more than ${PLAN_LIMIT} partitions of one ${unit}; choose a shorter one.`,
  };
}

function isWhole(instant: Instant): boolean {
  return instant.length === CALENDAR_FIRST.length;
}

/** The boundaries from the last at or before `from` to the first at or after `to`. */
function boundaries(zone: string, unit: PartitionUnit, from: number, to: number): Boundaries {
  return unit === 'hour' ? hourEdges(zone, from, to) : calendarEdges(zone, unit, from, to);
}

function calendarEdges(zone: string, unit: CalendarUnit, from: number, to: number): Boundaries {
  // One unit further back than the local date, since a clock that was put back across midnight
  // shows a date whose partition is over, and one date may have been skipped altogether.
  let index = indexOf(unit, Math.floor((from + offsetAt(zone, from)) / DAY)) - 2;
  const spans = offsetSpans(
    zone,
    dayOf(unit, index) * DAY - MARGIN,
    to + 2 * (SHORTEST[unit] + 3 * DAY) + MARGIN,
  );
  const edges: Boundaries = [];
  let at = 0;
  for (;;) {
    const midnight = dayOf(unit, index) * DAY;
    while ((spans[at] as OffsetSpan).end + (spans[at] as OffsetSpan).offset <= midnight) at += 1;
    const span = spans[at] as OffsetSpan;
    const edge = Math.max(span.start, midnight - span.offset);
    if (edge <= from) edges[0] = edge;
    else if (edge > (edges.at(-1) as number)) edges.push(edge);
    if (edge >= to) return edges;
    index += 1;
  }
}

function indexOf(unit: CalendarUnit, epochDay: number): number {
  if (unit === 'day') return epochDay;
  if (unit === 'week') return Math.floor((epochDay - FIRST_MONDAY) / 7);
  const { year, month } = civilOf(epochDay);
  return year * 12 + month - 1;
}

function dayOf(unit: CalendarUnit, index: number): number {
  if (unit === 'day') return index;
  if (unit === 'week') return index * 7 + FIRST_MONDAY;
  return epochDayOf({
    year: Math.floor(index / 12),
    month: (((index % 12) + 12) % 12) + 1,
    day: 1,
  });
}

function hourEdges(zone: string, from: number, to: number): Boundaries {
  const edges: Boundaries = [];
  let previous: OffsetSpan | undefined;
  for (const span of offsetSpans(zone, from - 2 * HOUR, to + 2 * HOUR)) {
    const phase = ((span.offset % HOUR) + HOUR) % HOUR;
    const moved = previous !== undefined && (span.offset - previous.offset) % HOUR !== 0;
    previous = span;
    const first = Math.max(span.start, from - HOUR);
    let edge = moved && span.start >= first ? span.start : ceilTo(first, phase);
    while (edge < span.end) {
      if (edge <= from) edges[0] = edge;
      else edges.push(edge);
      if (edge >= to) return edges;
      edge = ceilTo(edge + 1, phase);
    }
  }
  return edges;
}

/** The first instant at or after `second` at which a clock of this phase shows a whole hour. */
function ceilTo(second: number, phase: number): number {
  return Math.ceil((second + phase) / HOUR) * HOUR - phase;
}
