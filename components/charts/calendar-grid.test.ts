import { describe, expect, it } from 'vitest';
import { civilOf, epochDayOf } from '@/lib/domain/civil-date';
import { calendarGrid, labelledStretch, neighbour, partitionAt } from './calendar-grid';

const two = (n: number) => n.toString().padStart(2, '0');
const dayText = (epochDay: number, hour = 0) => {
  const { year, month, day } = civilOf(epochDay);
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:00 GMT`;
};
const days = (from: string, count: number) => {
  const [year = 0, month = 0, day = 0] = from.split('-').map(Number);
  const start = epochDayOf({ year, month, day });
  return Array.from({ length: count }, (_, at) => dayText(start + at));
};

describe('days', () => {
  const texts = days('2011-01-04', 340);
  const across = calendarGrid('day', texts, 340, 'across');
  const down = calendarGrid('day', texts, 340, 'down');

  it('stand in weeks and weekdays', () => {
    expect([across.majors, across.minors]).toEqual([49, 7]);
    expect([across.major[0], across.minor[0]]).toEqual([0, 1]); // Tuesday
    expect([across.major[6], across.minor[6]]).toEqual([1, 0]); // the Monday after
    expect([across.major[339], across.minor[339]]).toEqual([48, 4]); // Friday, 9 December
  });

  it('stand in months and days on a phone', () => {
    expect([down.majors, down.minors]).toEqual([12, 31]);
    expect([down.major[0], down.minor[0]]).toEqual([0, 3]);
    expect([down.major[339], down.minor[339]]).toEqual([11, 8]);
    expect(down.majorLabels.map((label) => label.text).join(' ')).toBe(
      'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec',
    );
  });

  it('have every partition once, and find it again by its place', () => {
    for (const grid of [across, down]) {
      for (let at = 0; at < 340; at += 1) {
        expect(partitionAt(grid, grid.major[at] ?? -1, grid.minor[at] ?? -1)).toBe(at);
      }
    }
    expect(partitionAt(across, 0, 0)).toBe(-1);
    expect(partitionAt(across, 99, 0)).toBe(-1);
  });

  it('name each month over its first whole week, and no year within one', () => {
    expect(across.majorLabels.slice(0, 3)).toEqual([
      { at: 0, text: 'Jan', rank: 0, from: 0 },
      { at: 5, text: 'Feb', rank: 0, from: 28 },
      { at: 9, text: 'Mar', rank: 0, from: 56 },
    ]);
    const longer = calendarGrid('day', days('2011-12-20', 30), 30, 'across');
    expect(longer.majorLabels.map((label) => label.text)).toEqual(['Dec|2011', 'Jan|2012']);
  });

  it('leave the place of a day that the zone skipped empty', () => {
    // Apia went from 29 to 31 December 2011.
    const apia = ['2011-12-29 00:00 -10', '2011-12-31 00:00 +14', '2012-01-01 00:00 +14'];
    const grid = calendarGrid('day', apia, 3, 'down');
    expect([...grid.minor]).toEqual([28, 30, 0]);
    expect(partitionAt(grid, 0, 29)).toBe(-1);
  });
});

describe('hours', () => {
  it('an hour that comes twice stands in a 25th place, the others on their own lines', () => {
    const texts = ['00:00 BST', '01:00 BST', '01:00 GMT', '02:00 GMT', '03:00 GMT'].map(
      (time) => `2011-10-30 ${time}`,
    );
    const grid = calendarGrid('hour', texts, 5, 'across');
    expect(grid.minors).toBe(25);
    expect([...grid.minor]).toEqual([0, 1, 24, 2, 3]);
    expect(partitionAt(grid, 0, 24)).toBe(2);
  });

  it('an hour that is skipped leaves its place empty', () => {
    const texts = ['00:00 GMT', '02:00 BST', '03:00 BST'].map((time) => `2011-03-27 ${time}`);
    const grid = calendarGrid('hour', texts, 3, 'across');
    expect(grid.minors).toBe(24);
    expect([...grid.minor]).toEqual([0, 2, 3]);
  });

  it('a year of them is 365 columns', () => {
    const start = epochDayOf({ year: 2011, month: 1, day: 1 });
    const texts = Array.from({ length: 8760 }, (_, at) =>
      dayText(start + Math.floor(at / 24), at % 24),
    );
    const grid = calendarGrid('hour', texts, 8760, 'across');
    expect([grid.majors, grid.minors]).toEqual([365, 24]);
    expect(grid.majorLabels.filter((label) => label.rank === 0)).toHaveLength(12);
  });
});

it('weeks stand in ISO years, whatever the date says', () => {
  const texts = [
    '2010-12-27 00:00 GMT',
    '2011-01-03 00:00 GMT',
    '2011-12-26 00:00 GMT',
    '2012-01-02 00:00 GMT',
  ];
  const grid = calendarGrid('week', texts, 4, 'across');
  expect([...grid.major]).toEqual([0, 1, 1, 2]);
  expect([...grid.minor]).toEqual([51, 0, 51, 0]);
  expect(grid.majorLabels.map((label) => label.text)).toEqual(['2010', '2011', '2012']);
  const narrow = calendarGrid('week', texts, 4, 'down');
  expect([...narrow.major]).toEqual([0, 1, 4, 5]);
  expect([...narrow.minor]).toEqual([12, 0, 12, 0]);
});

it('months stand in years', () => {
  const texts = ['2010-11-01 00:00 GMT', '2010-12-01 00:00 GMT', '2011-01-01 00:00 GMT'];
  const grid = calendarGrid('month', texts, 3, 'across');
  expect(grid.direction).toBe('down');
  expect([...grid.major]).toEqual([0, 0, 1]);
  expect([...grid.minor]).toEqual([10, 11, 0]);
});

describe('neighbour', () => {
  const across = calendarGrid('day', days('2011-01-04', 340), 340, 'across');
  it('goes to the same weekday of the next week, and to the next day', () => {
    expect(neighbour(across, 10, 'ArrowRight')).toBe(17);
    expect(neighbour(across, 10, 'ArrowLeft')).toBe(3);
    expect(neighbour(across, 10, 'ArrowDown')).toBe(11);
    expect(neighbour(across, 10, 'ArrowUp')).toBe(9);
  });
  it('stops at the ends', () => {
    expect(neighbour(across, 0, 'ArrowUp')).toBe(0);
    expect(neighbour(across, 339, 'ArrowDown')).toBe(339);
    expect(neighbour(across, 339, 'ArrowRight')).toBe(339);
  });
  it('goes to the nearest where the same place is empty', () => {
    const down = calendarGrid('day', days('2011-01-31', 40), 40, 'down');
    expect(neighbour(down, 0, 'ArrowDown')).toBe(28); // 31 January to 28 February
  });
  it('passes over an empty row', () => {
    const grid = calendarGrid('hour', ['2011-12-29 05:00 x', '2011-12-31 05:00 x'], 2, 'down');
    expect(neighbour(grid, 0, 'ArrowDown')).toBe(1);
  });
});

describe('labelledStretch', () => {
  it('is the whole month, also its days in the week before the label', () => {
    const across = calendarGrid('day', days('2011-01-04', 340), 340, 'across');
    const stretch = labelledStretch(across, 9);
    expect(stretch).toEqual([56, 87]);
    expect(days('2011-01-04', 340)[56]).toBe('2011-03-01 00:00 GMT');
    expect(days('2011-01-04', 340)[87]).toBe('2011-04-01 00:00 GMT');
  });
  it('ends with the calendar', () => {
    const down = calendarGrid('day', days('2011-01-04', 340), 340, 'down');
    expect(labelledStretch(down, 11)).toEqual([331, 340]);
    expect(labelledStretch(down, 12)).toBeNull();
  });
});

it('an empty calendar has no place', () => {
  const grid = calendarGrid('day', ['2011-01-04 00:00 GMT'], 0, 'across');
  expect(grid.majors).toBe(0);
  expect(partitionAt(grid, 0, 0)).toBe(-1);
});

it('50,000 days are placed in one pass', () => {
  const grid = calendarGrid('day', days('1950-01-01', 50_000), 50_000, 'across');
  expect(grid.majors).toBe(7144);
  expect(partitionAt(grid, grid.major[49_999] ?? 0, grid.minor[49_999] ?? 0)).toBe(49_999);
});
