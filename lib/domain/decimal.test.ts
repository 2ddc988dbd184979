import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDecimals,
  compareDecimals,
  decimalText,
  integerDigits,
  isZeroDecimal,
  negateDecimal,
  readDecimal,
  shortest,
  subtractDecimals,
  sumDecimals,
  withScale,
} from './decimal';

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.integer({ min: 0, max: 20 }))
  .map(([digits, scale]) => decimalText({ digits, scale }));

const read = (text: string) => {
  const value = readDecimal(text);
  if (value === null) throw new Error(text);
  return value;
};

describe('reading', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['-0.00', '0.00'],
    ['+7', '7'],
    ['007.50', '7.50'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['1e3', '1000'],
    ['1.25e1', '12.5'],
    ['1e-7', '0.0000001'],
    ['-12.5E+2', '-1250'],
    ['12345678901234567.89', '12345678901234567.89'],
  ])('%s is %s', (text, plain) => {
    expect(decimalText(read(text))).toBe(plain);
  });

  it.each([
    '',
    '.',
    '-',
    'e5',
    '1,5',
    '1 ',
    ' 1',
    '0x10',
    'NaN',
    '--1',
    '1e',
    '1e999999',
    '1e-99999',
    '１',
  ])('%j is not a finite decimal', (text) => {
    expect(readDecimal(text)).toBeNull();
  });

  it('has one text for one number', () => {
    expect(decimalText(shortest(read('1.500')))).toBe('1.5');
    expect(decimalText(shortest(read('100')))).toBe('100');
    expect(decimalText(shortest(read('-0.000')))).toBe('0');
    expect(withScale(read('1.5'), 2)).toEqual({ digits: 150n, scale: 2 });
    expect(withScale(read('1.500'), 1)).toEqual({ digits: 15n, scale: 1 });
    expect(withScale(read('1.005'), 2)).toBeNull();
  });

  it('counts the digits before the point', () => {
    expect(integerDigits(read('0.001'))).toBe(0);
    expect(integerDigits(read('000'))).toBe(0);
    expect(integerDigits(read('-999.9'))).toBe(3);
    expect(integerDigits(read('1000'))).toBe(4);
  });
});

describe('arithmetic', () => {
  it('is exact beyond 2^53', () => {
    expect(compareDecimals('12345678901234567.89', '12345678901234567.90')).toBe(-1);
    expect(addDecimals('9007199254740993', '0.001')).toBe('9007199254740993.001');
    expect(subtractDecimals('1687760.87', '1476922.57')).toBe('210838.30');
    expect(addDecimals('0.1', '0.2')).toBe('0.3');
    expect(sumDecimals(['0.10', '-0.2', '3'])).toBe('2.90');
    expect(sumDecimals([])).toBe('0');
  });

  it('compares by value, not by spelling', () => {
    expect(compareDecimals('1.50', '1.5')).toBe(0);
    expect(compareDecimals('-0', '0.000')).toBe(0);
    expect(compareDecimals('10', '9')).toBe(1);
    expect(isZeroDecimal('-0.00')).toBe(true);
    expect(isZeroDecimal('0.01')).toBe(false);
    expect(isZeroDecimal('NaN')).toBe(false);
  });

  it('orders the special values as PostgreSQL does', () => {
    expect(compareDecimals('NaN', 'Infinity')).toBe(1);
    expect(compareDecimals('NaN', 'NaN')).toBe(0);
    expect(compareDecimals('-Infinity', '-1e100')).toBe(-1);
    expect(addDecimals('Infinity', '-Infinity')).toBe('NaN');
    expect(addDecimals('Infinity', '1')).toBe('Infinity');
    expect(addDecimals('1', 'NaN')).toBe('NaN');
    expect(negateDecimal('Infinity')).toBe('-Infinity');
    expect(negateDecimal('NaN')).toBe('NaN');
  });

  it('refuses what is no number', () => {
    expect(() => addDecimals('1', 'one')).toThrow(RangeError);
  });

  it('keeps the laws', () => {
    fc.assert(
      fc.property(decimal, decimal, decimal, (a, b, c) => {
        expect(addDecimals(a, b)).toBe(addDecimals(b, a));
        expect(addDecimals(addDecimals(a, b), c)).toBe(addDecimals(a, addDecimals(b, c)));
        expect(compareDecimals(subtractDecimals(addDecimals(a, b), b), a)).toBe(0);
        expect(compareDecimals(a, b) + compareDecimals(b, a)).toBe(0);
        expect(decimalText(read(a))).toBe(a === '-0' ? '0' : a);
      }),
    );
  });
});
