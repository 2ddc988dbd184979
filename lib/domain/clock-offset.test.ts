import { expect, it } from 'vitest';
import { clockOffset } from './clock-offset';
import { offsetAt, offsetSpans } from './time-zone';

const second = (text: string) => Date.parse(text) / 1000;

const zones = [
  'UTC',
  'Europe/London',
  'Europe/Dublin',
  'America/New_York',
  'America/St_Johns',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
];

it('says what the zone’s spans say, on both sides of each transition', () => {
  for (const zone of zones) {
    for (const { start, offset } of offsetSpans(zone, second('2005-01-01'), second('2015-01-01'))) {
      expect([zone, start, clockOffset(zone, start)]).toEqual([zone, start, offset]);
      const before = offsetAt(zone, start - 1);
      expect([zone, start - 1, clockOffset(zone, start - 1)]).toEqual([zone, start - 1, before]);
    }
  }
});

it.each([
  '0001-01-01T00:00:00Z',
  '1582-10-10T12:00:00Z',
  '1847-11-30T23:59:59Z',
  '1969-12-31T23:59:59Z',
  '2400-02-29T00:00:00Z',
  '9999-12-31T12:00:00Z',
])('agrees far from now, at %s', (text) => {
  for (const zone of ['Europe/London', 'America/New_York', 'Pacific/Apia']) {
    expect([zone, clockOffset(zone, second(text))]).toEqual([zone, offsetAt(zone, second(text))]);
  }
});
