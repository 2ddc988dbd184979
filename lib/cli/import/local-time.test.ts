import * as fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { BadLine } from '@/lib/cli/import/bad-line';
import {
  type Disambiguation,
  instantOfLocal,
  localReader,
  readIsoLocal,
} from '@/lib/cli/import/local-time';

function at(text: string, zone: string, disambiguation: Disambiguation = 'reject'): string {
  const local = readIsoLocal(text);
  if (local === null) throw new Error(`not a local time: ${text}`);
  return instantOfLocal(local, zone, disambiguation, text);
}

describe('local times', () => {
  it('are instants of their zone', () => {
    expect(at('2010-12-01 08:26:00', 'Europe/London')).toBe('2010-12-01T08:26:00Z');
    expect(at('2011-06-30 20:08', 'Europe/London')).toBe('2011-06-30T19:08:00Z');
    expect(at('2011-06-30T20:08:00.000125', 'Asia/Kolkata')).toBe('2011-06-30T14:38:00.000125Z');
    expect(at('2011-01-04', 'Europe/London')).toBe('2011-01-04T00:00:00Z');
  });

  it('are refused where the clock shows them never or twice, unless it is said which is meant', () => {
    const never = '2011-03-27 01:30:00';
    expect(() => at(never, 'Europe/London')).toThrow(BadLine);
    expect(() => at(never, 'Europe/London')).toThrow(/does not exist in Europe\/London/);
    expect(at(never, 'Europe/London', 'earlier')).toBe('2011-03-27T00:30:00Z');
    expect(at(never, 'Europe/London', 'later')).toBe('2011-03-27T01:30:00Z');
    const twice = '2011-10-30 01:30:00';
    expect(() => at(twice, 'Europe/London')).toThrow(/occurs twice in Europe\/London/);
    expect(at(twice, 'Europe/London', 'earlier')).toBe('2011-10-30T00:30:00Z');
    expect(at(twice, 'Europe/London', 'later')).toBe('2011-10-30T01:30:00Z');
  });

  it('are refused on a day that the zone skipped', () => {
    expect(() => at('2011-12-30 12:00:00', 'Pacific/Apia')).toThrow(/does not exist/);
    expect(at('2011-12-31 00:00:00', 'Pacific/Apia')).toBe('2011-12-30T10:00:00Z');
  });

  it('agree with Temporal in every zone and choice', () => {
    const zones = fc.constantFrom(
      'Europe/London',
      'America/Havana',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'Asia/Gaza',
      'America/Scoresbysund',
      'UTC',
    );
    const seconds = fc.integer({ min: 946_684_800, max: 1_893_456_000 });
    const choice = fc.constantFrom<Disambiguation>('reject', 'earlier', 'later');
    fc.assert(
      fc.property(zones, seconds, choice, (zone, second, disambiguation) => {
        const text = Temporal.Instant.fromEpochMilliseconds(second * 1000)
          .toZonedDateTimeISO('UTC')
          .toPlainDateTime();
        const outcome = (run: () => number) => {
          try {
            return run();
          } catch {
            return 'refused';
          }
        };
        const ours = outcome(() =>
          Date.parse(instantOfLocal({ seconds: second, micros: 0 }, zone, disambiguation, '')),
        );
        const theirs = outcome(
          () => text.toZonedDateTime(zone, { disambiguation }).epochMilliseconds,
        );
        expect(ours).toBe(theirs);
      }),
      { numRuns: 300 },
    );
    // Every minute of the days on which London changes its clocks.
    for (let second = 1_301_184_000; second < 1_301_270_400; second += 60) {
      const plain = Temporal.Instant.fromEpochMilliseconds(second * 1000)
        .toZonedDateTimeISO('UTC')
        .toPlainDateTime();
      const theirs = plain.toZonedDateTime('Europe/London', { disambiguation: 'later' });
      const ours = instantOfLocal({ seconds: second, micros: 0 }, 'Europe/London', 'later', '');
      expect(Date.parse(ours)).toBe(theirs.epochMilliseconds);
    }
  });

  it('are read by a pattern', () => {
    const read = localReader('D/M/YYYY H:mm');
    expect(read('1/12/2010 8:26')).toEqual(readIsoLocal('2010-12-01 08:26'));
    expect(read('31/2/2011 8:26')).toBeNull();
    expect(read('2010-12-01 08:26')).toBeNull();
    expect(localReader('YYYYMMDDTHHmmss')('20101201T082600')).toEqual(
      readIsoLocal('2010-12-01 08:26'),
    );
  });

  it.each(['H:mm', 'YYYY-MM-DD YYYY', 'YYYY-MM-DD hh', 'MM/DD'])(
    'refuse the pattern %s',
    (pattern) => {
      expect(() => localReader(pattern)).toThrow(RangeError);
    },
  );
});
