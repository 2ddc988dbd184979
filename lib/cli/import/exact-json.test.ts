import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExactJson, JsonNumber, parseExact } from '@/lib/cli/import/exact-json';

function plain(value: ExactJson): unknown {
  if (value instanceof JsonNumber) return JSON.parse(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, plain(member)] as const);
  return Object.fromEntries(entries);
}

describe('reading JSON exactly', () => {
  it('keeps every digit', () => {
    const read = parseExact('{"a": 0.1000000000000000055, "b": [9007199254740993, -1e400]}');
    expect(read).toEqual({
      a: new JsonNumber('0.1000000000000000055'),
      b: [new JsonNumber('9007199254740993'), new JsonNumber('-1e400')],
    });
  });

  it('never takes a text for a number, or a number for a text', () => {
    expect(parseExact('["1", "n1", "s", "", 1, true, null]')).toEqual([
      '1',
      'n1',
      's',
      '',
      new JsonNumber('1'),
      true,
      null,
    ]);
    expect(parseExact('{"1": "\\"2\\\\"}')).toEqual({ 1: '"2\\' });
  });

  it.each([
    '{1: 2}',
    '01',
    '1.',
    '.5',
    '+1',
    '1 2',
    '{"a" 1}',
    '[1,]',
    '"a"1',
    'NaN',
    '',
    '{"a":1',
  ])('refuses %s', (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  });

  it('judges as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(plain(parseExact(text))).toEqual(JSON.parse(text));
      }),
    );
    const piece = fc.constantFrom('{', '}', '[', ']', ':', ',', '"', 'a', '1', '-', '.', 'e', ' ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const judge = (parse: (text: string) => unknown) => {
          try {
            parse(text);
            return 'JSON';
          } catch {
            return 'none';
          }
        };
        expect(judge(parseExact)).toBe(judge(JSON.parse));
      }),
      { numRuns: 2_000 },
    );
  });
});
