import { describe, expect, it } from 'vitest';
import { parseInstant } from './instant';
import {
  formatEdge,
  formatInterval,
  formatMoment,
  formatTimeOfDay,
  lengthInHours,
  lengthNote,
  localTime,
  zoneAbbreviation,
} from './partition-label';
import { type Partition, type PartitionUnit, partitionAt } from './partition-plan';

const at = (text: string) => parseInstant(text);
const note = (zone: string, unit: PartitionUnit, text: string) =>
  lengthNote(zone, unit, partitionAt(zone, unit, at(text)) as Partition);

describe('times for people', () => {
  it('an interval has both ends and the zone', () => {
    expect(formatInterval('Europe/London', at('2011-10-29T23:00Z'), at('2011-10-31T00:00Z'))).toBe(
      '[2011-10-30 00:00 BST, 2011-10-31 00:00 GMT) Europe/London',
    );
    expect(formatInterval('UTC', at('2025-07-01T00:00Z'), 'open')).toBe(
      '[2025-07-01 00:00 UTC, open) UTC',
    );
  });

  it('an edge shows seconds and fractions only where there are some', () => {
    expect(formatEdge('UTC', at('2025-07-01T00:00:00.000001Z'))).toBe(
      '2025-07-01 00:00:00.000001 UTC',
    );
    expect(formatEdge('UTC', at('2025-07-01T00:00:07Z'))).toBe('2025-07-01 00:00:07 UTC');
  });

  it('a moment is written out', () => {
    expect(formatMoment('Europe/London', at('2011-12-12T14:03:05.123Z'))).toBe(
      '12 Dec 2011 14:03:05 GMT',
    );
    expect(formatMoment('Europe/London', at('2011-07-02T23:30:00Z'))).toBe(
      '3 Jul 2011 00:30:00 BST',
    );
    expect(formatTimeOfDay('Europe/London', at('2011-12-12T14:03:05.9Z'))).toBe('14:03:05 GMT');
  });

  it.each([
    ['Europe/Berlin', '2025-07-01T00:00Z', 'CEST'],
    ['America/New_York', '2025-07-01T00:00Z', 'EDT'],
    ['Australia/Sydney', '2025-01-01T00:00Z', 'AEDT'],
    ['Asia/Kolkata', '2025-01-01T00:00Z', 'IST'],
    ['Asia/Kathmandu', '2025-07-01T00:00Z', 'UTC+5:45'],
    ['America/Sao_Paulo', '2025-07-01T00:00Z', 'UTC−3'],
    ['UTC', '2025-07-01T00:00Z', 'UTC'],
  ])('%s at %s is %s', (zone, instant, name) => {
    expect(zoneAbbreviation(zone, at(instant))).toBe(name);
  });

  it('the two o’clocks of autumn are told apart', () => {
    expect(formatEdge('Europe/Berlin', at('2025-10-26T00:00Z'))).toBe('2025-10-26 02:00 CEST');
    expect(formatEdge('Europe/Berlin', at('2025-10-26T01:00Z'))).toBe('2025-10-26 02:00 CET');
  });

  it('gives what the clocks show', () => {
    expect(localTime('Asia/Kathmandu', at('2025-01-05T18:15:30.5Z'))).toEqual({
      year: 2025,
      month: 1,
      day: 6,
      weekday: 1,
      hour: 0,
      minute: 0,
      second: 30,
      offset: 20_700,
    });
  });
});

describe('lengths', () => {
  it.each<[string, PartitionUnit, string, string | null]>([
    ['Europe/London', 'day', '2011-03-27T12:00Z', '23 h'],
    ['Europe/London', 'day', '2011-10-30T12:00Z', '25 h'],
    ['Europe/London', 'day', '2011-10-31T12:00Z', null],
    ['Australia/Lord_Howe', 'day', '2025-10-04T20:00Z', '23.5 h'],
    ['Australia/Lord_Howe', 'hour', '2025-04-05T15:15Z', '30 min'],
    ['Australia/Lord_Howe', 'hour', '2025-04-05T18:15Z', null],
    ['Europe/London', 'week', '2011-03-27T12:00Z', '167 h'],
    ['Pacific/Apia', 'week', '2011-12-29T12:00Z', '144 h'],
    ['Europe/London', 'month', '2011-03-10T12:00Z', '743 h'],
    ['Europe/London', 'month', '2011-02-10T12:00Z', null],
  ])('%s %s at %s is noted as %s', (zone, unit, instant, expected) => {
    expect(note(zone, unit, instant)).toBe(expected);
  });

  it('are exact in hours', () => {
    const day = partitionAt('Europe/London', 'day', at('2011-03-27T12:00Z')) as Partition;
    expect(lengthInHours(day)).toBe(23);
  });
});
