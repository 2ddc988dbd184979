import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  digestOf,
  formatDigest,
  parseDigest,
  sha256,
  sha256Bytes,
  tagBytes,
  utf8,
} from '@/lib/digest/canonical';

describe('canonicalJson', () => {
  it('gives the form of the RFC 8785 example', () => {
    const value = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
        '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts names by UTF-16 code units, as RFC 8785 section 3.2.3 shows', () => {
    const value = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 };
    expect(Object.values(JSON.parse(canonicalJson(value)))).toHaveLength(7);
    expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  it('keeps strings as they are: two Unicode forms of one letter stay different', () => {
    expect(canonicalJson('é')).not.toBe(canonicalJson('e\u0301'));
  });

  it('has one zero, and leaves out members that are undefined', () => {
    expect(canonicalJson([-0])).toBe('[0]');
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  });

  it.each([
    ['undefined', undefined],
    ['undefined in a list', [undefined]],
    ['a hole in a list', Array(1)],
    ['NaN', { a: Number.NaN }],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a bigint', 1n],
    ['a function', () => 0],
    ['a symbol', Symbol('a')],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a lone surrogate', 'a\ud800'],
    ['a lone surrogate in a name', { '\udc00': 1 }],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('refuses a cycle but not a value that stands in two places', () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(() => canonicalJson(loop)).toThrow(/cycle/);
    const shared = { a: 1 };
    expect(canonicalJson([shared, shared])).toBe('[{"a":1},{"a":1}]');
  });

  it('is the same for a value read back from its JSON, whatever the order of its members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(JSON.parse(JSON.stringify(value)))).toBe(canonicalJson(value));
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, member]) => [name, reversed(member)]));
}

describe('digests', () => {
  it('are SHA-256 in hex with their algorithm', () => {
    expect(sha256('abc')).toBe(
      'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(sha256(Buffer.from('abc'))).toBe(sha256('abc'));
    expect(sha256Bytes('a', 'bc').equals(sha256Bytes('abc'))).toBe(true);
  });

  it('go from text to bytes and back, and nothing else is read', () => {
    const digest = sha256('abc');
    expect(formatDigest(parseDigest(digest))).toBe(digest);
    for (const bad of ['', digest.toUpperCase(), digest.slice(7), `${digest}0`, `${digest}\n`]) {
      expect(() => parseDigest(bad)).toThrow(RangeError);
    }
    expect(() => formatDigest(new Uint8Array(31))).toThrow(RangeError);
  });

  it('of one value under two tags differ, and no tag is the beginning of another', () => {
    expect(digestOf('interlock.a.v1', {})).not.toBe(digestOf('interlock.a.v10', {}));
    expect(digestOf('interlock.a.v1', { b: 1 })).toBe(
      formatDigest(sha256Bytes('interlock.a.v1\0{"b":1}')),
    );
    expect(() => tagBytes('a\0b')).toThrow(RangeError);
  });

  it('refuse a string that UTF-8 cannot say', () => {
    expect(() => utf8('a\ud800b')).toThrow(RangeError);
    expect(utf8('😀').toString('hex')).toBe('f09f9880');
  });
});
