import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOf, validateValue } from './column-value';

const read = (type: string, value: unknown, nullable = false) =>
  validateValue({ type, nullable }, value);

describe('values in canonical form', () => {
  it.each<[string, unknown, unknown]>([
    ['text', '', ''],
    ['text', 'null', 'null'],
    ['text', 'é😀"\\', 'é😀"\\'],
    ['integer', 2147483647, 2147483647],
    ['integer', '-2147483648', -2147483648],
    ['integer', -0, 0],
    ['bigint', 9007199254740991, '9007199254740991'],
    ['bigint', '-9223372036854775808', '-9223372036854775808'],
    ['bigint', '+007', '7'],
    ['numeric', '12345678901234567.890', '12345678901234567.89'],
    ['numeric', 1.5, '1.5'],
    ['numeric', '1.50', '1.5'],
    ['numeric', '-0.0', '0'],
    ['numeric', 1e-7, '0.0000001'],
    ['numeric', '1e3', '1000'],
    ['numeric', 'NaN', 'NaN'],
    ['numeric(14,2)', 5, '5.00'],
    ['numeric(14,2)', '5.10', '5.10'],
    ['numeric(14,2)', 5.1, '5.10'],
    ['numeric(2,2)', '0.99', '0.99'],
    ['double precision', 0.1, 0.1],
    ['double precision', 1e300, 1e300],
    ['double precision', '1e300', 1e300],
    ['double precision', -0, 0],
    ['double precision', 'NaN', 'NaN'],
    ['double precision', '-Infinity', '-Infinity'],
    ['boolean', true, true],
    ['boolean', 'false', false],
    ['date', '2012-02-29', '2012-02-29'],
    ['timestamptz', '2011-06-01T00:00:00+01:00', '2011-05-31T23:00:00Z'],
    ['uuid', '6F9619FF-8B86-D011-B42D-00C04FC964FF', '6f9619ff-8b86-d011-b42d-00c04fc964ff'],
    ['jsonb', { b: [1, null, { c: -0 }] }, { b: [1, null, { c: 0 }] }],
  ])('%s %j is %j', (type, value, canonical) => {
    const result = read(type, value);
    expect(result).toEqual({ ok: true, value: canonical });
    if (result.ok) expect(Object.is(result.value, -0)).toBe(false);
  });

  it.each<[string, unknown, RegExp]>([
    ['text', 7, /not a text/],
    ['text', 'a\0b', /NUL/],
    ['text', '\ud800', /surrogate/],
    ['integer', 1.5, /whole/],
    ['integer', 2147483648, /does not fit/],
    ['integer', '1.0', /whole/],
    ['integer', 2 ** 53, /2\^53/],
    ['bigint', 2 ** 53, /2\^53/],
    ['bigint', '9223372036854775808', /does not fit/],
    ['bigint', true, /whole/],
    ['numeric', 2 ** 53 + 2, /2\^53/],
    ['numeric', 1e21, /2\^53/],
    ['numeric', 0.1 + 0.2, /send it as a string/],
    ['numeric', 'Infinity', /decimal/],
    ['numeric', '1,5', /decimal/],
    ['numeric', '', /decimal/],
    ['numeric', [1], /decimal/],
    ['numeric(14,2)', '1.005', /more than 2 decimals/],
    ['numeric(4,2)', '100.00', /does not fit/],
    ['numeric(2,2)', '1', /does not fit/],
    ['double precision', 'x', /double precision/],
    ['double precision', '1e999', /double precision/],
    ['boolean', 1, /true nor false/],
    ['boolean', 'yes', /true nor false/],
    ['date', '2011-02-29', /does not exist/],
    ['date', '2011-1-4', /not a date/],
    ['date', '2011-01-04T00:00:00Z', /not a date/],
    ['timestamptz', '2011-01-04T00:00:00', /no offset/],
    ['timestamptz', 'infinity', /not an instant/],
    ['uuid', '6f9619ff8b86d011b42d00c04fc964ff', /uuid/],
    ['uuid', '{6f9619ff-8b86-d011-b42d-00c04fc964ff}', /uuid/],
    ['jsonb', { a: 2 ** 60 }, /2\^53/],
    ['jsonb', { 'a\0': 1 }, /NUL/],
    ['jsonb', ['\udfff'], /surrogate/],
  ])('%s refuses %j', (type, value, message) => {
    const result = read(type, value);
    expect(result.ok ? '' : result.message).toMatch(message);
    expect(result.ok).toBe(false);
  });

  it('NULL where it may be', () => {
    expect(read('text', null, true)).toEqual({ ok: true, value: null });
    expect(read('text', undefined, true)).toEqual({ ok: true, value: null });
    expect(read('text', null)).toMatchObject({ ok: false });
    expect(read('jsonb', null)).toMatchObject({ ok: false });
  });

  it('jsonb keeps a key __proto__ as data and ends at a depth', () => {
    const hostile = JSON.parse('{"__proto__": {"admin": true}}');
    const result = read('jsonb', hostile);
    expect(result.ok && JSON.stringify(result.value)).toBe('{"__proto__":{"admin":true}}');
    const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`);
    expect(read('jsonb', deep)).toMatchObject({ ok: false });
  });

  it('is itself when read again', () => {
    const typed = fc.oneof(
      fc.tuple(fc.constant('numeric'), fc.double({ noNaN: true, min: -1e6, max: 1e6 })),
      fc.tuple(fc.constant('numeric(20,4)'), fc.integer()),
      fc.tuple(fc.constant('double precision'), fc.double()),
      fc.tuple(fc.constant('text'), fc.string({ unit: 'binary' })),
      fc.tuple(fc.constant('jsonb'), fc.jsonValue()),
      fc.tuple(fc.constant('bigint'), fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String)),
    );
    fc.assert(
      fc.property(typed, ([type, value]) => {
        const first = read(type, value, true);
        if (!first.ok) return;
        expect(read(type, first.value, true)).toEqual(first);
        expect(read(type, JSON.parse(JSON.stringify(first.value)), true)).toEqual(first);
      }),
      { numRuns: 500 },
    );
  });

  it('has a text for keys', () => {
    expect(textOf(7)).toBe('7');
    expect(textOf(true)).toBe('true');
    expect(textOf('1.50')).toBe('1.50');
  });
});
