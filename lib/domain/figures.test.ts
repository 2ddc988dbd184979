import { describe, expect, it } from 'vitest';
import {
  formatClock,
  formatCount,
  formatDecimal,
  formatDelta,
  formatDuration,
  formatShare,
  nOfM,
  plural,
} from './figures';

describe('numbers', () => {
  it.each([
    ['1687760.87', '1,687,760.87'],
    ['-133.73', '−133.73'],
    ['8438790.654', '8,438,790.654'],
    ['999', '999'],
    ['1000', '1,000'],
    ['-1000', '−1,000'],
    ['0.1000', '0.1000'],
    ['-0.00', '0.00'],
    ['12345678901234567890', '12,345,678,901,234,567,890'],
    ['NaN', 'NaN'],
    ['-Infinity', '−∞'],
    ['1e5', '1e5'],
  ])('%s is %s', (text, figure) => {
    expect(formatDecimal(text)).toBe(figure);
  });

  it.each([
    ['210838.30', '+210,838.30'],
    ['-0.20', '−0.20'],
    ['0', '0'],
    ['0.00', '0.00'],
    ['-0.00', '0.00'],
    ['Infinity', '+∞'],
  ])('the difference %s is %s', (text, figure) => {
    expect(formatDelta(text)).toBe(figure);
  });

  it('counts', () => {
    expect(formatCount(464_281)).toBe('464,281');
    expect(formatCount(2n ** 63n)).toBe('9,223,372,036,854,775,808');
    expect(plural(1, 'row')).toBe('1 row');
    expect(plural(0, 'row')).toBe('0 rows');
    expect(plural(1n, 'row')).toBe('1 row');
    expect(plural(2345, 'entry', 'entries')).toBe('2,345 entries');
    expect(nOfM(263, 312)).toBe('263 of 312');
  });

  it('never rounds a share to none or all', () => {
    expect(formatShare(0, 7)).toBe('0 %');
    expect(formatShare(7, 7)).toBe('100 %');
    expect(formatShare(1, 100_000)).toBe('0.1 %');
    expect(formatShare(99_999, 100_000)).toBe('99.9 %');
    expect(formatShare(1, 8)).toBe('12.5 %');
    expect(formatShare(0, 0)).toBe('–');
  });
});

describe('durations', () => {
  it.each([
    [69, '1:09'],
    [900, '15:00'],
    [0, '0:00'],
    [59.9, '0:59'],
    [3729, '1:02:09'],
    [-5, '0:00'],
  ])('%d s on a clock is %s', (seconds, text) => {
    expect(formatClock(seconds)).toBe(text);
  });

  it.each([
    [0, '0 s'],
    [41, '41 s'],
    [545, '9 min 5 s'],
    [3600, '1 h'],
    [3605, '1 h'],
    [183_600, '2 d 3 h'],
  ])('%d s is %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});
