import { epochDayOf } from '@/lib/domain/civil-date';

export type CalendarUnit = 'hour' | 'day' | 'week' | 'month';

/**
 * `across`: time flows to the right, a column per day or week. `down`: time flows down, a row per
 * day, month or year; for phones, and for weeks and months always.
 */
export type Direction = 'across' | 'down';

export interface GridLabel {
  at: number;
  text: string;
  /** 0 is drawn first; 1 only where there is room left. */
  rank: 0 | 1;
  /** The first partition that it names: of the month, the day, the year; 0 on the other axis. */
  from: number;
}

/** Where every partition stands: `major` along time, `minor` across it. */
export interface CalendarGrid {
  direction: Direction;
  majors: number;
  minors: number;
  major: Int32Array;
  minor: Uint8Array;
  /** first[m] to first[m + 1]: the partitions of major m, in order. */
  first: Int32Array;
  majorLabels: GridLabel[];
  minorLabels: GridLabel[];
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const WEEK_BLOCK = 13;

interface Wall {
  /** `2011-10-30` */
  date: string;
  year: number;
  month: number;
  day: number;
  hour: number;
  epochDay: number;
}

/** Reads the wall clock of an edge's text, `2011-10-30 00:00 BST`. */
export function wallOf(text: string): Wall {
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8, 10));
  return {
    date: text.slice(0, 10),
    year,
    month,
    day,
    hour: Number(text.slice(11, 13)),
    epochDay: epochDayOf({ year, month, day }),
  };
}

/** The same, of the edge after another: mostly on the same day. */
function wallAfter(before: Wall | null, text: string): Wall {
  if (before === null || !text.startsWith(before.date)) return wallOf(text);
  return { ...before, hour: Number(text.slice(11, 13)) };
}

/** Monday is 0. 1970-01-01 was a Thursday. */
const weekdayOf = (epochDay: number) => (((epochDay + 3) % 7) + 7) % 7;
const weekOf = (epochDay: number) => Math.floor((epochDay + 3) / 7);

/** ISO week: it belongs to the year of its Thursday. `week` counts from 0. */
function isoWeek(epochDay: number): { year: number; week: number } {
  const thursday = epochDay - weekdayOf(epochDay) + 3;
  let year = 1970 + Math.floor(thursday / 365.2425);
  while (epochDayOf({ year: year + 1, month: 1, day: 1 }) <= thursday) year += 1;
  while (epochDayOf({ year, month: 1, day: 1 }) > thursday) year -= 1;
  return { year, week: Math.floor((thursday - epochDayOf({ year, month: 1, day: 1 })) / 7) };
}

/**
 * Places n partitions on a calendar by the wall-clock texts of their starts (in order; a last edge
 * too many is ignored by `count`).
 *
 * An hour that the clock gives twice stands in a 25th place, an hour or a day that it skips leaves
 * its place empty: every other hour stays on its own line.
 */
export function calendarGrid(
  unit: CalendarUnit,
  texts: readonly string[],
  count: number,
  wish: Direction,
): CalendarGrid {
  const direction: Direction = unit === 'week' || unit === 'month' ? 'down' : wish;
  const major = new Int32Array(count);
  const minor = new Uint8Array(count);
  const majorLabels: GridLabel[] = [];
  let origin = 0;
  let twice = false;
  let before: Wall | null = null;
  const years = new Set<number>();

  for (let at = 0; at < count; at += 1) {
    const wall = wallAfter(before, texts[at] ?? '');
    if (wall.year !== before?.year) years.add(wall.year);
    const [place, across] = placeOf(unit, direction, wish, wall);
    if (at === 0) origin = place;
    major[at] = place - origin;
    minor[at] = across;
    const repeated = at > 0 && major[at] === major[at - 1] && minor[at] === minor[at - 1];
    if (unit === 'hour' && repeated) {
      minor[at] = 24;
      twice = true;
    }
    const label = labelOf(unit, direction, wish, wall, before);
    const on = major[at] ?? 0;
    // A month that begins inside a week is named over the first week that is all its own.
    const shifted = direction === 'across' && unit === 'day' && (minor[at] ?? 0) > 0 && at > 0;
    if (label) majorLabels.push({ ...label, at: on + (shifted ? 1 : 0), from: at });
    before = wall;
  }

  const majors = count === 0 ? 0 : (major[count - 1] ?? 0) + 1;
  return {
    direction,
    majors,
    minors: minorsOf(unit, direction, wish, twice),
    major,
    minor,
    first: firstOf(major, majors),
    majorLabels: years.size > 1 ? majorLabels : majorLabels.map(withoutYear),
    minorLabels: minorLabelsOf(unit, direction, wish, twice),
  };
}

function placeOf(
  unit: CalendarUnit,
  direction: Direction,
  wish: Direction,
  wall: Wall,
): [major: number, minor: number] {
  switch (unit) {
    case 'hour':
      return [wall.epochDay, wall.hour];
    case 'day':
      return direction === 'across'
        ? [weekOf(wall.epochDay), weekdayOf(wall.epochDay)]
        : [wall.year * 12 + wall.month, wall.day - 1];
    case 'week': {
      const { year, week } = isoWeek(wall.epochDay);
      if (wish === 'across') return [year, week];
      const block = Math.min(3, Math.floor(week / WEEK_BLOCK));
      return [year * 4 + block, week - block * WEEK_BLOCK];
    }
    case 'month':
      return [wall.year, wall.month - 1];
  }
}

function minorsOf(unit: CalendarUnit, direction: Direction, wish: Direction, twice: boolean) {
  switch (unit) {
    case 'hour':
      return twice ? 25 : 24;
    case 'day':
      return direction === 'across' ? 7 : 31;
    case 'week':
      return wish === 'across' ? 53 : WEEK_BLOCK + 1;
    case 'month':
      return 12;
  }
}

/** `Jan|2011` where the year may be left out, see `withoutYear`. */
const monthText = (wall: Wall) => `${MONTHS[wall.month - 1]}|${wall.year}`;

function labelOf(
  unit: CalendarUnit,
  direction: Direction,
  wish: Direction,
  wall: Wall,
  before: Wall | null,
): Omit<GridLabel, 'at' | 'from'> | null {
  const newYear = before?.year !== wall.year;
  const newMonth = newYear || before?.month !== wall.month;
  const newDay = newMonth || before?.day !== wall.day;
  const month = MONTHS[wall.month - 1] ?? '';
  if (unit === 'week') {
    if (wish === 'across') {
      const { year } = isoWeek(wall.epochDay);
      const fresh = before === null || isoWeek(before.epochDay).year !== year;
      return fresh ? { text: `${year}`, rank: 0 } : null;
    }
    const { week } = isoWeek(wall.epochDay);
    const fresh = before === null || (week < 52 && week % WEEK_BLOCK === 0);
    return fresh ? { text: month, rank: 0 } : null;
  }
  if (unit === 'month') return newYear ? { text: `${wall.year}`, rank: 0 } : null;
  if (direction === 'across') {
    if (newMonth) {
      const named = before === null || newYear;
      return { text: named ? monthText(wall) : month, rank: 0 };
    }
    return unit === 'hour' && newDay ? { text: `${wall.day}`, rank: 1 } : null;
  }
  if (unit === 'day') {
    if (!newMonth) return null;
    return { text: newYear && before !== null ? `${wall.year}` : month, rank: 0 };
  }
  if (!newDay) return null;
  const monday = weekdayOf(wall.epochDay) === 0;
  return { text: `${wall.day} ${month}`, rank: newMonth || monday ? 0 : 1 };
}

function withoutYear(label: GridLabel): GridLabel {
  return { ...label, text: label.text.replace(/\|.*/, '') };
}

function minorLabelsOf(
  unit: CalendarUnit,
  direction: Direction,
  wish: Direction,
  twice: boolean,
): GridLabel[] {
  const label = (at: number, text: string): GridLabel => ({ at, text, rank: 0, from: 0 });
  switch (unit) {
    case 'hour': {
      const hours = [0, 6, 12, 18].map((hour) => label(hour, hour.toString().padStart(2, '0')));
      return twice ? [...hours, label(24, '2×')] : hours;
    }
    case 'day':
      return direction === 'across'
        ? [label(0, 'Mon'), label(2, 'Wed'), label(4, 'Fri'), label(6, 'Sun')]
        : [1, 8, 15, 22, 29].map((day) => label(day - 1, `${day}`));
    case 'week':
      return (wish === 'across' ? [1, 10, 20, 30, 40, 50] : [1, 5, 9, 13]).map((week) =>
        label(week - 1, `${week}`),
      );
    case 'month':
      return MONTHS.map((month, at) => label(at, month));
  }
}

function firstOf(major: Int32Array, majors: number): Int32Array {
  const first = new Int32Array(majors + 1).fill(major.length);
  for (let at = major.length - 1; at >= 0; at -= 1) first[major[at] ?? 0] = at;
  for (let m = majors - 1; m >= 0; m -= 1) {
    first[m] = Math.min(first[m] ?? 0, first[m + 1] ?? 0);
  }
  return first;
}

/** The partition at a place, or -1 where the calendar is empty. */
export function partitionAt(grid: CalendarGrid, major: number, minor: number): number {
  if (major < 0 || major >= grid.majors) return -1;
  for (let at = grid.first[major] ?? 0; at < (grid.first[major + 1] ?? 0); at += 1) {
    if (grid.minor[at] === minor) return at;
  }
  return -1;
}

/**
 * Where an arrow key leads. Along the minor axis it is the partition before or after; along the
 * major axis the one in the same place of the next row or column, or the nearest to it.
 */
export function neighbour(
  grid: CalendarGrid,
  at: number,
  key: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown',
): number {
  const count = grid.major.length;
  const alongMajor =
    grid.direction === 'across'
      ? key === 'ArrowLeft' || key === 'ArrowRight'
      : key === 'ArrowUp' || key === 'ArrowDown';
  const step = key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1;
  if (!alongMajor) return Math.min(count - 1, Math.max(0, at + step));
  let major = (grid.major[at] ?? 0) + step;
  // A skipped day leaves a whole row of hours empty: go on to the next that has any.
  while (major >= 0 && major < grid.majors && grid.first[major] === grid.first[major + 1]) {
    major += step;
  }
  if (major < 0 || major >= grid.majors) return at;
  const minor = grid.minor[at] ?? 0;
  let best = at;
  let distance = Number.POSITIVE_INFINITY;
  for (let p = grid.first[major] ?? 0; p < (grid.first[major + 1] ?? 0); p += 1) {
    const away = Math.abs((grid.minor[p] ?? 0) - minor);
    if (away < distance) {
      best = p;
      distance = away;
    }
  }
  return best;
}

/**
 * The partitions under the label at a major: all of the month, day or year that it names, also
 * those that stand in the week before the label.
 */
export function labelledStretch(
  grid: CalendarGrid,
  major: number,
): [from: number, to: number] | null {
  if (major < 0 || major >= grid.majors) return null;
  const labels = grid.majorLabels.filter((label) => label.rank === 0);
  const own = Math.max(
    0,
    labels.findLastIndex((label) => label.at <= major),
  );
  const label = labels[own];
  if (!label) return null;
  return [label.from, labels[own + 1]?.from ?? grid.major.length];
}
