import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BaseType, baseType } from '@/lib/digest/column-type';
import { dateDays, instantMicros } from '@/lib/digest/instant-text';
import { numericText, valueBytes } from '@/lib/digest/value-bytes';

const text = (type: BaseType, value: string) => valueBytes(type, value).toString('utf8');

describe('numericText', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['-0.000', '0'],
    ['1.0', '1'],
    ['1.00', '1'],
    ['1', '1'],
    ['+1', '1'],
    ['001.50', '1.5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['1e3', '1000'],
    ['1E+3', '1000'],
    ['1.25e1', '12.5'],
    ['125e-1', '12.5'],
    ['1e-3', '0.001'],
    ['-12.30e-4', '-0.00123'],
    ['0e5', '0'],
    ['1200', '1200'],
    ['123456789012345678901234567890.123456789', '123456789012345678901234567890.123456789'],
    ['NaN', 'NaN'],
    ['nan', 'NaN'],
    ['Infinity', 'Infinity'],
    ['+inf', 'Infinity'],
    ['-Infinity', '-Infinity'],
  ])('%s is %s', (given, expected) => {
    expect(numericText(given)).toBe(expected);
  });

  it.each(['', '.', '-', 'e3', '1e', '1,5', ' 1', '0x10', '1_000', '1e9999999', '--1', '+NaN'])(
    'refuses %j',
    (given) => {
      expect(() => numericText(given)).toThrow(RangeError);
    },
  );

  it('gives one text however the same number is written', () => {
    const digits = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 30 }), fc.nat(5), (whole, scale, zeros) => {
        const shifted = `${whole}e-${scale}`;
        const padded = `${whole}${'0'.repeat(zeros)}e-${scale + zeros}`;
        expect(numericText(padded)).toBe(numericText(shifted));
        expect(numericText(numericText(shifted))).toBe(numericText(shifted));
      }),
    );
  });
});

describe('instants and dates', () => {
  it.each([
    ['2000-01-01', 0],
    ['1999-12-31', -1],
    ['2000-02-29', 59],
    ['2011-01-04', 4021],
    ['0001-01-01', -730119],
    ['0001-12-31 BC', -730120],
    ['5874897-12-31', 2145031948],
    ['infinity', 2147483647],
    ['-infinity', -2147483648],
  ])('the date %s is day %s', (given, expected) => {
    expect(dateDays(given)).toBe(BigInt(expected));
  });

  it.each([
    ['2000-01-01T00:00:00Z', 0n],
    ['1970-01-01 00:00:00+00', -946684800000000n],
    ['1999-12-31T23:59:59.999999Z', -1n],
    ['2011-01-04T00:00:00Z', 347414400000000n],
    ['2011-01-04T01:00:00.1+01:00', 347414400100000n],
    ['2011-01-03 18:30:00-05:30', 347414400000000n],
    ['1883-11-18 12:03:57.5-04:56:03', -3664335599500000n],
    ['294276-12-31 23:59:59.999999+00', 9223371331199999999n],
    ['infinity', 9223372036854775807n],
  ])('the instant %s is %s µs', (given, expected) => {
    expect(instantMicros(given)).toBe(expected);
  });

  it.each(['2011-02-29', '2011-13-01', '2011-00-01', '0000-01-01', '2011-1-1', 'today', ''])(
    'refuses the date %j',
    (given) => {
      expect(() => dateDays(given)).toThrow(RangeError);
    },
  );

  it.each(['2011-01-04T00:00:00', '2011-01-04T24:00:00Z', '2011-01-04T00:00:00.1234567Z', 'now'])(
    'refuses the instant %j',
    (given) => {
      expect(() => instantMicros(given)).toThrow(RangeError);
    },
  );

  it('agrees with the clock of JavaScript on every millisecond that it knows', () => {
    const range = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };
    fc.assert(
      fc.property(fc.date({ ...range, noInvalidDate: true }), (date) => {
        expect(instantMicros(date.toISOString())).toBe(
          BigInt(date.getTime()) * 1000n - 946684800000000n,
        );
      }),
    );
  });
});

describe('valueBytes', () => {
  it('writes fixed-size types in their wire form', () => {
    const hex = (type: BaseType, value: string) => valueBytes(type, value).toString('hex');
    expect(hex('integer', '+007')).toBe('0000000000000007');
    expect(hex('bigint', '-9223372036854775808')).toBe('8000000000000000');
    expect(hex('boolean', 'true') + hex('boolean', 'f')).toBe('0100');
    expect(hex('date', '1999-12-31')).toBe('ffffffff');
    expect(hex('timestamptz', '2000-01-01 00:00:00.000001+00')).toBe('0000000000000001');
    const id = 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11';
    expect(hex('uuid', id)).toBe('a0eebc999c0b4ef8bb6d6bb9bd380a11');
  });

  it('takes texts and jsonb as they are', () => {
    expect(text('text', 'Ünï\n"null"')).toBe('Ünï\n"null"');
    expect(text('jsonb', '{"a": 1.00}')).toBe('{"a": 1.00}');
  });

  it('writes doubles as eight bytes with one zero and one NaN', () => {
    const hex = (value: string) => valueBytes('double precision', value).toString('hex');
    expect(hex('1')).toBe('3ff0000000000000');
    expect(hex('-0')).toBe('0000000000000000');
    expect(hex('NaN')).toBe('7ff8000000000000');
    expect(hex('-Infinity')).toBe('fff0000000000000');
    expect(hex('5e-324')).toBe('0000000000000001');
    expect(hex('0.1')).toBe(hex('0.10000000000000001'));
  });

  it.each([
    ['integer', '1.0'],
    ['bigint', ''],
    ['integer', '2147483648'],
    ['bigint', '9223372036854775808'],
    ['double precision', '1e999'],
    ['double precision', '0x1p3'],
    ['boolean', 'yes'],
    ['uuid', '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'],
    ['text', '\ud800'],
  ] as const)('refuses as %s the text %j', (type, value) => {
    expect(() => valueBytes(type, value)).toThrow(RangeError);
  });
});

describe('baseType', () => {
  it('drops the modifiers of numeric and knows no other type', () => {
    expect(baseType('numeric(14,3)')).toBe('numeric');
    expect(baseType('numeric(10)')).toBe('numeric');
    expect(baseType('double precision')).toBe('double precision');
    for (const bad of ['float8', 'numeric(14,3', 'varchar(3)', 'text[]', 'regclass', 'TEXT']) {
      expect(() => baseType(bad)).toThrow(RangeError);
    }
  });
});
