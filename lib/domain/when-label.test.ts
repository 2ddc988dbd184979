import { describe, expect, it } from 'vitest';
import type { Instant } from '@/lib/domain/instant';
import { formatWhen, formatWhenZoned } from './when-label';

const at = (text: string) => text as Instant;

describe('formatWhen', () => {
  it.each([
    ['2011-12-12T14:03:05.25Z', '2011-12-12T23:59:59Z', '14:03:05'],
    ['2011-12-11T14:03:05Z', '2011-12-12T00:00:01Z', '11 Dec 14:03'],
    ['2010-12-11T14:03:05Z', '2011-12-12T00:00:01Z', '11 Dec 2010 14:03'],
    // 00:30 BST is the day before in UTC, and the same day in London
    ['2011-06-11T23:30:00Z', '2011-06-12T10:00:00Z', '00:30:00'],
  ])('%s at %s', (instant, now, text) => {
    expect(formatWhen('Europe/London', at(instant), at(now))).toBe(text);
  });

  it('names the zone where it stands alone', () => {
    const now = at('2011-06-12T10:00:00Z');
    expect(formatWhenZoned('Europe/London', at('2011-06-12T09:00:00Z'), now)).toBe('10:00:00 BST');
    expect(formatWhenZoned('Europe/London', at('2011-01-12T09:00:00Z'), now)).toBe(
      '12 Jan 2011 09:00:00 GMT',
    );
  });
});
