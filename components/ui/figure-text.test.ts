import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesText, countText, figureText, shareText } from './figure-text';

describe('figureText', () => {
  it('groups thousands and keeps every digit of the fraction', () => {
    expect(figureText('8438790.654')).toBe('8,438,790.654');
    expect(figureText('0.000')).toBe('0.000');
    expect(figureText(463185)).toBe('463,185');
    expect(figureText('007')).toBe('7');
  });

  it('uses a true minus, and a plus only where differences ask for it', () => {
    expect(figureText('-133.73')).toBe('−133.73');
    expect(figureText('210838.30', { signed: true })).toBe('+210,838.30');
    expect(figureText('0.00', { signed: true })).toBe('0.00');
    expect(figureText('-0.00')).toBe('0.00');
    expect(figureText('+5')).toBe('5');
  });

  it('stays exact past 2^53', () => {
    expect(figureText('9007199254740993')).toBe('9,007,199,254,740,993');
    expect(figureText(9007199254740993n)).toBe('9,007,199,254,740,993');
  });

  it('leaves alone what is not a plain decimal', () => {
    for (const text of ['NaN', 'Infinity', '1e9', '', 'abc', '1.']) {
      expect(figureText(text)).toBe(text);
    }
  });

  it('loses no digit of any decimal', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.stringMatching(/^\d{0,8}$/), (whole, fraction) => {
        const text = fraction === '' ? `${whole}` : `${whole}.${fraction}`;
        const back = figureText(text).replaceAll(',', '').replace('−', '-');
        const zero = !/[1-9]/.test(text);
        expect(back).toBe(zero ? text.replace('-', '') : text);
      }),
    );
  });
});

describe('the other texts', () => {
  it('counts', () => {
    expect(countText(1, 'partition')).toBe('1 partition');
    expect(countText(1340, 'partition')).toBe('1,340 partitions');
    expect(countText(2, 'retry', 'retries')).toBe('2 retries');
  });

  it('never rounds something to nothing or nearly all to all', () => {
    expect(shareText(461842, 463185)).toBe('99.71 %');
    expect(shareText(0, 10)).toBe('0 %');
    expect(shareText(1, 1_000_000)).toBe('< 0.01 %');
    expect(shareText(999_999, 1_000_000)).toBe('> 99.99 %');
    expect(shareText(5, 5)).toBe('100 %');
    expect(shareText(1, 0)).toBe('0 %');
  });

  it('bytes', () => {
    expect(bytesText(512)).toBe('512 B');
    expect(bytesText(123_731_968)).toBe('118 MiB');
    expect(bytesText(1_503_238_553)).toBe('1.4 GiB');
  });
});
