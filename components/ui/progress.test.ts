import { describe, expect, it } from 'vitest';
import { clockText, durationText, etaText, fraction, percent, spokenText } from './progress';

it('shares', () => {
  expect(fraction(263, 312)).toBeCloseTo(0.843, 3);
  expect(fraction(0, 0)).toBe(1);
  expect(fraction(5, 3)).toBe(1);
});

it('a bar is full only when all is done', () => {
  expect(percent(263, 312)).toBe(84.2);
  expect(percent(999_999, 1_000_000)).toBe(99.9);
  expect(percent(312, 312)).toBe(100);
});

it.each([
  [0, '0 s'],
  [41, '41 s'],
  [59.6, '1 min'],
  [80, '1 min 20 s'],
  [7500, '2 h 5 min'],
  [3599.7, '1 h'],
  [359_700, '4 d 4 h'],
])('%d s is %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

describe('etaText', () => {
  it('says nothing before 1 %, without a rate, or at the end', () => {
    expect(etaText(80, 3, 312)).toBeUndefined();
    expect(etaText(null, 200, 312)).toBeUndefined();
    expect(etaText(Number.POSITIVE_INFINITY, 200, 312)).toBeUndefined();
    expect(etaText(0, 312, 312)).toBeUndefined();
  });
  it('says it from 1 % on', () => {
    expect(etaText(80, 4, 312)).toBe('1 min 20 s left');
  });
});

it('clocks', () => {
  expect(clockText(86)).toBe('1:26');
  expect(clockText(86, { padded: true })).toBe('01:26');
  expect(clockText(942)).toBe('15:42');
  expect(clockText(3725)).toBe('1:02:05');
  expect(spokenText(86)).toBe('1 minute 26 seconds');
  expect(spokenText(120)).toBe('2 minutes');
  expect(spokenText(1)).toBe('1 second');
});
