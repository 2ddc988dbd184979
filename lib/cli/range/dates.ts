import {
  type CivilDate,
  civilOf,
  dateText,
  epochDayOf,
  isCivilDate,
} from '@/lib/domain/civil-date';
import { EXIT, RangeFault } from './fault';

/**
 * A date as it names a partition.
 *
 * @throws RangeFault (usage) where the text is not a day of the calendar as `YYYY-MM-DD`
 */
function parseDate(text: string): CivilDate {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const date = { year: Number(parts?.[1]), month: Number(parts?.[2]), day: Number(parts?.[3]) };
  if (parts === null || !isCivilDate(date)) {
    throw new RangeFault(`${JSON.stringify(text)} is not a date (YYYY-MM-DD)`, EXIT.usage);
  }
  return date;
}

/** The text itself, when it is a date. */
export function checkDate(text: string): string {
  return dateText(parseDate(text));
}

/**
 * Every date of a range, both ends included, in order.
 *
 * @throws RangeFault (usage) where an end is no date, or the first lies after the last
 */
export function datesOf(from: string, to: string): string[] {
  const first = epochDayOf(parseDate(from));
  const last = epochDayOf(parseDate(to));
  if (first > last) {
    throw new RangeFault(`the range is reversed: ${from} is after ${to}`, EXIT.usage);
  }
  return Array.from({ length: last - first + 1 }, (_, day) => dateText(civilOf(first + day)));
}
