import { epochDayOf, weekdayOf } from '@/lib/domain/civil-date';
import { type Instant, instantOfSeconds } from '@/lib/domain/instant';
import { offsetAt } from '@/lib/domain/time-zone';

export const zone = 'Europe/London';

/** Days since 1970-01-01 of `YYYY-MM-DD`. */
export function dayOf(date: string): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return epochDayOf({ year, month, day });
}

/** Stock-taking and holidays: first and last day that the shop is closed. */
const CLOSED: readonly (readonly [first: string, last: string])[] = [
  ['2010-12-24', '2011-01-03'],
  ['2011-04-22', '2011-04-25'],
  ['2011-04-29', '2011-04-29'],
  ['2011-05-02', '2011-05-02'],
  ['2011-05-30', '2011-05-30'],
  ['2011-08-29', '2011-08-29'],
  ['2011-12-24', '2011-12-28'],
  ['2012-01-01', '2012-01-02'],
];
const closed = new Set(
  CLOSED.flatMap(([first, last]) => {
    const days: number[] = [];
    for (let day = dayOf(first); day <= dayOf(last); day++) days.push(day);
    return days;
  }),
);

/** Never on Saturdays, never on holidays. */
export function isOpen(day: number): boolean {
  return weekdayOf(day) !== 6 && !closed.has(day);
}

/** Opening hours in local minutes of the day. */
export function openingHours(day: number): { from: number; to: number } {
  return weekdayOf(day) === 7 ? { from: 10 * 60, to: 16 * 60 } : { from: 8 * 60, to: 18 * 60 };
}

const BY_WEEKDAY = [0, 1, 1.1, 1.1, 1.25, 0.95, 0, 0.6];
const BY_MONTH = [0, 0.75, 0.75, 0.85, 0.85, 0.95, 0.95, 0.9, 0.9, 1.15, 1.2, 1.4, 1.1];

/** How busy a day is, 1 being the average: slow after Christmas, busy before it. */
export function busyness(day: number, month: number): number {
  return (BY_WEEKDAY[weekdayOf(day)] as number) * (BY_MONTH[month] as number);
}

/** The instant of a local minute; the shop is never open at night, when clocks change. */
export function londonInstant(day: number, minute: number, second = 0): Instant {
  const local = day * 86_400 + minute * 60 + second;
  return instantOfSeconds(local - offsetAt(zone, local));
}
