import { describe, expect, it } from 'vitest';
import { readEdge } from './local-edge';

const read = (zone: string, text: string) => {
  const found = readEdge(zone, text);
  return found.ok ? found.value : found.code;
};
const choices = (zone: string, text: string) => {
  const found = readEdge(zone, text);
  return found.ok || !('choices' in found) ? [] : found.choices;
};

describe('readEdge', () => {
  it.each([
    ['Europe/London', '2011-01-04', '2011-01-04T00:00:00Z'],
    ['Europe/London', '2011-07-04 00:00', '2011-07-03T23:00:00Z'],
    ['Europe/London', ' 2011-07-04T00:00 ', '2011-07-03T23:00:00Z'],
    ['Europe/London', '2011-10-30 01:30 BST', '2011-10-30T00:30:00Z'],
    ['Europe/London', '2011-10-30 01:30 GMT', '2011-10-30T01:30:00Z'],
    ['Europe/London', '2011-07-04T00:00:00Z', '2011-07-04T00:00:00Z'],
    ['Europe/London', '2011-07-04T00:00:00+02:00', '2011-07-03T22:00:00Z'],
    ['Europe/London', '2011-07-04 00:00 +02:00', '2011-07-03T22:00:00Z'],
    // the day begins at 01:00: its midnight was put forward over
    ['America/Havana', '2011-03-20', '2011-03-20T05:00:00Z'],
    ['UTC', '2011-01-04 12:30:15', '2011-01-04T12:30:15Z'],
  ])('%s: %s', (zone, text, instant) => {
    expect(read(zone, text)).toBe(instant);
  });

  it('offers both instants of a time that the clock shows twice', () => {
    expect(read('Europe/London', '2011-10-30 01:30')).toBe('AMBIGUOUS_TIME');
    expect(choices('Europe/London', '2011-10-30 01:30')).toEqual([
      '2011-10-30T00:30:00Z',
      '2011-10-30T01:30:00Z',
    ]);
  });

  it('refuses what no clock shows', () => {
    expect(read('Europe/London', '2011-03-27 01:30')).toBe('AMBIGUOUS_TIME');
    expect(read('Pacific/Apia', '2011-12-30')).toBe('AMBIGUOUS_TIME');
    expect(read('Europe/London', '2011-01-04 00:00 BST')).toBe('AMBIGUOUS_TIME');
    expect(read('Europe/London', '2011-02-30')).toBe('INVALID_INPUT');
    expect(read('Europe/London', '2011-01-04 25:00')).toBe('INVALID_INPUT');
    expect(read('Europe/London', 'tomorrow')).toBe('INVALID_INPUT');
  });
});
