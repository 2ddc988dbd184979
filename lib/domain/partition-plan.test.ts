import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import {
  addMicros,
  compareInstants,
  type Instant,
  instantOfSeconds,
  parseInstant,
  secondsOf,
} from './instant';
import {
  CALENDAR_END,
  CALENDAR_FIRST,
  checkRange,
  isEdge,
  nearestEdges,
  PARTITION_UNITS,
  type Partition,
  type PartitionUnit,
  partitionAt,
  partitionsBetween,
} from './partition-plan';
import { Invalid } from './refusal';

const at = (text: string) => parseInstant(text);
const hours = (p: Partition) => (secondsOf(p.end) - secondsOf(p.start)) / 3600;
const plan = (zone: string, unit: PartitionUnit, from: string, to: string) =>
  partitionsBetween(zone, unit, at(from), at(to));
const dayOf = (zone: string, date: string) =>
  partitionAt(
    zone,
    'day',
    Temporal.PlainDate.from(date).toZonedDateTime(zone).toInstant().toString() as Instant,
  ) as Partition;

/** Zones with an odd history: half-hour shifts, midnight shifts, skipped dates, Ramadan pauses. */
const ZONES = `
  UTC Europe/London Europe/Berlin Europe/Lisbon Europe/Dublin Europe/Istanbul Europe/Moscow
  Europe/Chisinau America/New_York America/Los_Angeles America/St_Johns America/Havana
  America/Sao_Paulo America/Santiago America/Asuncion America/Caracas America/Scoresbysund
  America/Nuuk America/Mexico_City America/Toronto Asia/Amman Asia/Beirut Asia/Damascus
  Asia/Gaza Asia/Hebron Asia/Jerusalem Asia/Kathmandu Asia/Kolkata Asia/Pyongyang Asia/Tehran
  Asia/Tokyo Africa/Cairo Africa/Casablanca Africa/Monrovia Atlantic/Azores
  Australia/Lord_Howe Australia/Sydney Pacific/Apia Pacific/Chatham Pacific/Kiritimati
  Pacific/Kwajalein Antarctica/Troll
`
  .trim()
  .split(/\s+/);

describe('days that are not 24 hours', () => {
  it.each([
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-03-30', 24],
    ['Europe/Berlin', '2025-10-26', 25],
    ['Europe/London', '2011-03-27', 23],
    ['Europe/London', '2011-10-30', 25],
    ['Australia/Lord_Howe', '2025-10-05', 23.5],
    ['Australia/Lord_Howe', '2025-04-06', 24.5],
    ['America/St_Johns', '2008-11-02', 25],
    ['Pacific/Kwajalein', '1969-09-30', 47],
  ])('%s %s has %d hours', (zone, date, length) => {
    expect(hours(dayOf(zone, date))).toBe(length);
  });

  it.each([
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z'],
    ['Asia/Beirut', '2022-03-27', '2022-03-26T22:00:00Z'],
    ['Africa/Cairo', '2014-08-01', '2014-07-31T22:00:00Z'],
    ['Asia/Amman', '2022-02-25', '2022-02-24T22:00:00Z'],
    ['America/Toronto', '1919-03-31', '1919-03-31T04:30:00Z'],
  ])('%s %s has no midnight and begins with its first instant', (zone, date, start) => {
    const day = dayOf(zone, date);
    expect(day.start).toBe(start);
    expect(hours(day)).toBeLessThan(24);
    const before = addMicros(day.start, -1n);
    expect(partitionAt(zone, 'day', before)?.end).toBe(day.start);
  });

  it.each([
    ['America/Havana', '2025-11-02', '2025-11-02T04:00:00Z'],
    ['Atlantic/Azores', '2025-10-26', '2025-10-26T00:00:00Z'],
    ['America/Scoresbysund', '2023-10-29', '2023-10-29T00:00:00Z'],
    ['Asia/Amman', '2021-10-29', '2021-10-28T21:00:00Z'],
    ['Asia/Gaza', '2021-10-29', '2021-10-28T21:00:00Z'],
  ])('%s %s has two midnights and begins with the first', (zone, date, start) => {
    const day = dayOf(zone, date);
    expect(day.start).toBe(start);
    expect(hours(day)).toBe(25);
  });

  it('a row between the two midnights of Havana is in the day that has begun', () => {
    const row = at('2025-11-02T04:30:00Z');
    expect(partitionAt('America/Havana', 'day', row)?.start).toBe('2025-11-02T04:00:00Z');
  });

  it.each([
    ['Pacific/Apia', '2011-12-28', '2012-01-02', 4],
    ['Pacific/Kwajalein', '1993-08-19', '1993-08-24', 4],
  ])('%s has no partition for the date that it skipped', (zone, from, to, count) => {
    const days = plan(
      zone,
      'day',
      Temporal.PlainDate.from(from).toZonedDateTime(zone).toInstant().toString(),
      Temporal.PlainDate.from(to).toZonedDateTime(zone).toInstant().toString(),
    );
    expect(days).toHaveLength(count);
    expect(days.every((d) => hours(d) === 24)).toBe(true);
  });

  it('one day before is not 24 hours before', () => {
    const day = dayOf('Europe/Berlin', '2026-03-30');
    const before = partitionAt('Europe/Berlin', 'day', addMicros(day.start, -1n)) as Partition;
    expect(hours(before)).toBe(23);
    expect(before.end).toBe(day.start);
  });
});

describe('hours', () => {
  it('are 25 in Berlin when the clock goes back, with 25 names, in the order of instants', () => {
    const day = dayOf('Europe/Berlin', '2025-10-26');
    const list = partitionsBetween('Europe/Berlin', 'hour', day.start, day.end);
    expect(new Set(list.map((p) => p.start)).size).toBe(25);
    expect(list.every((p) => hours(p) === 1)).toBe(true);
    expect([...list].sort((a, b) => compareInstants(a.start, b.start))).toEqual(list);
  });

  it('are 23 in Berlin when the clock goes forward', () => {
    const day = dayOf('Europe/Berlin', '2026-03-29');
    expect(partitionsBetween('Europe/Berlin', 'hour', day.start, day.end)).toHaveLength(23);
  });

  it('begin anew where Lord Howe shifts by half an hour', () => {
    const zone = 'Australia/Lord_Howe';
    const autumn = dayOf(zone, '2025-04-06');
    const spring = dayOf(zone, '2025-10-05');
    const long = partitionsBetween(zone, 'hour', autumn.start, autumn.end);
    const short = partitionsBetween(zone, 'hour', spring.start, spring.end);
    expect(long.map(hours).filter((h) => h !== 1)).toEqual([0.5]);
    expect(long).toHaveLength(25);
    expect(short.map(hours).filter((h) => h !== 1)).toEqual([0.5]);
    expect(short).toHaveLength(24);
    expect(partitionAt(zone, 'hour', at('2025-04-05T15:15:00Z'))).toEqual({
      start: '2025-04-05T15:00:00Z',
      end: '2025-04-05T15:30:00Z',
    });
  });

  it('lie on the half and three-quarter hours of UTC where the zone does', () => {
    expect(partitionAt('Asia/Kolkata', 'hour', at('2025-01-01T00:29:59.999999Z'))).toEqual({
      start: '2024-12-31T23:30:00Z',
      end: '2025-01-01T00:30:00Z',
    });
    expect(partitionAt('Asia/Kathmandu', 'hour', at('2025-01-01T00:15:00Z'))?.start).toBe(
      '2025-01-01T00:15:00Z',
    );
  });
});

describe('weeks and months', () => {
  it('a week begins on Monday', () => {
    expect(partitionAt('Europe/London', 'week', at('2011-01-02T23:59:59.999999Z'))).toEqual({
      start: '2010-12-27T00:00:00Z',
      end: '2011-01-03T00:00:00Z',
    });
    expect(hours(partitionAt('Europe/London', 'week', at('2011-03-27T12:00Z')) as Partition)).toBe(
      167,
    );
  });

  it('the week of Apia’s skipped day has six', () => {
    const week = partitionAt('Pacific/Apia', 'week', at('2011-12-29T12:00Z')) as Partition;
    expect(hours(week)).toBe(144);
  });

  it('months have their own length', () => {
    const months = plan('UTC', 'month', '2012-01-01T00:00Z', '2012-04-01T00:00Z');
    expect(months.map(hours)).toEqual([744, 696, 744]);
    expect(partitionAt('Europe/Berlin', 'month', at('2025-06-30T22:00Z'))).toEqual({
      start: '2025-06-30T22:00:00Z',
      end: '2025-07-31T22:00:00Z',
    });
  });
});

describe('a range', () => {
  it('07-01 to 07-03 daily is two partitions', () => {
    expect(plan('UTC', 'day', '2025-07-01T00:00Z', '2025-07-03T00:00Z')).toEqual([
      { start: '2025-07-01T00:00:00Z', end: '2025-07-02T00:00:00Z' },
      { start: '2025-07-02T00:00:00Z', end: '2025-07-03T00:00:00Z' },
    ]);
  });

  it('does not hold its end, and holds the microsecond before it', () => {
    const range = plan('UTC', 'day', '2025-07-01T00:00Z', '2025-07-03T00:00Z');
    const end = at('2025-07-03T00:00:00Z');
    const last = range.at(-1);
    expect(partitionAt('UTC', 'day', addMicros(end, -1n))).toEqual(last);
    expect(range).not.toContainEqual(partitionAt('UTC', 'day', end));
  });

  it('is covered whole where its ends lie inside partitions', () => {
    const touched = plan(
      'UTC',
      'day',
      '2025-07-01T23:59:59.999999Z',
      '2025-07-03T00:00:00.000001Z',
    );
    expect(touched.map((p) => p.start)).toEqual([
      '2025-07-01T00:00:00Z',
      '2025-07-02T00:00:00Z',
      '2025-07-03T00:00:00Z',
    ]);
    expect(plan('UTC', 'day', '2025-07-02T00:00Z', '2025-07-02T00:00Z')).toEqual([]);
    expect(plan('UTC', 'day', '2025-07-02T00:00Z', '2025-07-01T00:00Z')).toEqual([]);
  });

  it('that is empty is refused with the nearest edges', () => {
    const from = at('2025-07-01T00:00:00Z');
    expect(checkRange('UTC', 'day', { from, to: from })).toEqual([
      {
        code: 'EMPTY_RANGE',
        kind: 'fix',
        message: expect.stringContaining('the same instant'),
        pointer: '/range',
        current: { from, to: from },
        edges: {
          from: { before: '2025-07-01T00:00:00Z', after: '2025-07-02T00:00:00Z' },
          to: { before: '2025-07-01T00:00:00Z', after: '2025-07-02T00:00:00Z' },
        },
      },
    ]);
    const backwards = checkRange('UTC', 'day', { from, to: at('2025-06-01T00:00Z') });
    expect(backwards.map((b) => b.code)).toEqual(['EMPTY_RANGE']);
    expect(backwards[0]?.message).toMatch(/ends before it starts/);
  });

  it('of UTC days is off the edges of Berlin, at both ends, each with its edges', () => {
    const blockers = checkRange('Europe/Berlin', 'day', {
      from: at('2025-07-01T00:00Z'),
      to: at('2026-01-01T00:00Z'),
    });
    expect(blockers.map((b) => [b.code, b.pointer, b.edges])).toEqual([
      [
        'RANGE_NOT_ON_PARTITION_EDGE',
        '/range/from',
        { before: '2025-06-30T22:00:00Z', after: '2025-07-01T22:00:00Z' },
      ],
      [
        'RANGE_NOT_ON_PARTITION_EDGE',
        '/range/to',
        { before: '2025-12-31T23:00:00Z', after: '2026-01-01T23:00:00Z' },
      ],
    ]);
  });

  it('a microsecond off an edge is off', () => {
    const blockers = checkRange('UTC', 'day', {
      from: at('2025-07-01T00:00:00.000001Z'),
      to: 'open',
    });
    expect(blockers.map((b) => b.code)).toEqual(['RANGE_NOT_ON_PARTITION_EDGE']);
  });

  it('open from an edge on is fine', () => {
    expect(
      checkRange('Europe/London', 'day', { from: at('2011-01-04T00:00Z'), to: 'open' }),
    ).toEqual([]);
  });

  it('lies in the calendar', () => {
    const codes = checkRange('UTC', 'day', {
      from: at('1899-12-31T00:00Z'),
      to: at('2200-01-02T00:00Z'),
    }).map((b) => `${b.code} ${b.pointer}`);
    expect(codes).toEqual([
      'RANGE_OUTSIDE_CALENDAR /range/from',
      'RANGE_OUTSIDE_CALENDAR /range/to',
    ]);
    expect(partitionAt('UTC', 'day', at('1899-12-31T23:59:59Z'))).toBeNull();
    expect(nearestEdges('UTC', 'day', CALENDAR_END)).toBeNull();
    expect(partitionAt('Europe/Berlin', 'month', CALENDAR_FIRST)).not.toBeNull();
    expect(() => plan('UTC', 'day', '1899-01-01T00:00Z', '1901-01-01T00:00Z')).toThrow(Invalid);
  });

  it('with more partitions than a plan may have is refused before it is computed', () => {
    const range = { from: at('1950-01-01T00:00Z'), to: at('2199-01-01T00:00Z') };
    expect(checkRange('UTC', 'hour', range).map((b) => b.code)).toEqual(['PLAN_TOO_LARGE']);
    expect(() => partitionsBetween('UTC', 'hour', range.from, range.to)).toThrow(Invalid);
  });

  it('of 50,000 partitions is planned whole', () => {
    const from = at('2020-01-01T00:00Z');
    const to = at('2025-09-14T08:00Z');
    const list = partitionsBetween('Europe/Berlin', 'hour', from, to);
    expect(list).toHaveLength(50_000);
    expect(list[0]?.start).toBe(from);
    expect(list.at(-1)?.end).toBe(to);
  });
});

describe('in 40 zones across ten years', () => {
  const zone = fc.constantFrom(...ZONES);
  const unit = fc.constantFrom(...PARTITION_UNITS);
  const decade = fc.constantFrom('1910', '1965', '1986', '2005', '2016', '2030', '2150');

  /** The starts that Temporal gives to the days of ten years; a skipped date has the next one's. */
  function startsByTemporal(z: string, year: number) {
    const starts: { date: Temporal.PlainDate; start: number }[] = [];
    let date = Temporal.PlainDate.from({ year, month: 1, day: 1 });
    while (date.year < year + 10) {
      starts.push({ date, start: date.toZonedDateTime(z).epochMilliseconds / 1000 });
      date = date.add({ days: 1 });
    }
    return starts;
  }

  function expectStarts(z: string, year: number) {
    const starts = startsByTemporal(z, year);
    const kept = {
      day: () => true,
      week: (date: Temporal.PlainDate) => date.dayOfWeek === 1,
      month: (date: Temporal.PlainDate) => date.day === 1,
    };
    for (const u of ['day', 'week', 'month'] as const) {
      const expected = [...new Set(starts.filter((s) => kept[u](s.date)).map((s) => s.start))];
      const [from, to] = [expected[0] as number, expected.at(-1) as number];
      const list = partitionsBetween(z, u, instantOfSeconds(from), instantOfSeconds(to));
      expect(list.map((p) => secondsOf(p.start))).toEqual(expected.slice(0, -1));
    }
  }

  it.each(ZONES)('days, weeks and months of %s begin where Temporal begins them', (z) => {
    expectStarts(z, 2008);
  });

  it('and in other decades too', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(zone, decade, (z, year) => expectStarts(z, Number(year))),
      { numRuns: 6 },
    );
  });

  it('partitions are contiguous, never empty, cover the range, and partitionAt agrees', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(
        zone,
        unit,
        decade,
        fc.integer({ min: 0, max: 315_000_000 }),
        fc.integer({ min: 1, max: 12_000_000 }),
        fc.integer({ min: 0, max: 999_999 }),
        (z, u, year, offset, length, micros) => {
          const base = addMicros(at(`${year}-01-01T00:00Z`), BigInt(offset) * 1_000_000n);
          const from = addMicros(base, BigInt(micros));
          const to = addMicros(from, BigInt(length) * 1_000_000n);
          const list = partitionsBetween(z, u, from, to);
          expect(compareInstants(list[0]?.start as Instant, from)).toBeLessThanOrEqual(0);
          expect(compareInstants(from, list[0]?.end as Instant)).toBe(-1);
          expect(compareInstants(list.at(-1)?.start as Instant, to)).toBe(-1);
          expect(compareInstants(to, list.at(-1)?.end as Instant)).toBeLessThanOrEqual(0);
          const faulty = list.filter(
            (p, i) =>
              compareInstants(p.start, p.end) !== -1 ||
              (i > 0 && p.start !== list[i - 1]?.end) ||
              (u === 'hour' && hours(p) > 1),
          );
          expect(faulty).toEqual([]);
          const sample = list.length > 10 ? [...list.slice(0, 5), ...list.slice(-5)] : list;
          for (const p of sample) {
            expect(partitionAt(z, u, p.start)).toEqual(p);
            expect(partitionAt(z, u, addMicros(p.end, -1n))).toEqual(p);
            expect(isEdge(z, u, p.start)).toBe(true);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('an hour begins when the local clock shows a whole hour, or where its minutes shift', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(zone, decade, fc.integer({ min: 0, max: 315_000_000 }), (z, year, offset) => {
        const instant = addMicros(at(`${year}-01-01T00:00Z`), BigInt(offset) * 1_000_000n);
        const { start } = partitionAt(z, 'hour', instant) as Partition;
        const local = Temporal.Instant.from(start).toZonedDateTimeISO(z);
        const before = local.subtract({ nanoseconds: 1 });
        const shift = (local.offsetNanoseconds - before.offsetNanoseconds) % 3_600_000_000_000;
        expect(shift !== 0 || (local.minute === 0 && local.second === 0)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
