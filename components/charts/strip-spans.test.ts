import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countsIn, mergeSpans, spanAt, stripSpans } from './strip-spans';

it('merges equal neighbours', () => {
  expect(mergeSpans('ssbbbfb')).toEqual([
    { code: 's', from: 0, to: 2 },
    { code: 'b', from: 2, to: 5 },
    { code: 'f', from: 5, to: 6 },
    { code: 'b', from: 6, to: 7 },
  ]);
  expect(mergeSpans('')).toEqual([]);
});

const states = fc.stringMatching(/^[pubekrfcsi]{1,400}$/);

it('covers every partition once and never joins different states', () => {
  fc.assert(
    fc.property(states, (text) => {
      const spans = mergeSpans(text);
      expect(spans.map((span) => span.code.repeat(span.to - span.from)).join('')).toBe(text);
      for (let at = 1; at < spans.length; at += 1) {
        expect(spans[at]?.code).not.toBe(spans[at - 1]?.code);
      }
    }),
  );
});

describe('many spans', () => {
  it('never lose a failure, and stay within what is asked for', () => {
    fc.assert(
      fc.property(states, fc.integer({ min: 1, max: 40 }), (text, most) => {
        const { band, failures } = stripSpans(text, most);
        expect(band.length).toBeLessThanOrEqual(Math.max(most, 1));
        expect(band[0]?.from).toBe(0);
        expect(band.at(-1)?.to).toBe(text.length);
        for (let at = 0; at < text.length; at += 1) {
          if (text[at] === 'f') expect(spanAt(failures, at)).toBeDefined();
        }
      }),
    );
  });

  it('50,000 alternating partitions with one failure are still 600 pieces with one', () => {
    const text = 'bk'.repeat(25_000).split('');
    text[31_415] = 'f';
    const { band, failures } = stripSpans(text.join(''));
    expect(band.length).toBeLessThanOrEqual(600);
    expect(failures).toHaveLength(1);
    expect(spanAt(failures, 31_415)).toBeDefined();
  });
});

it('counts a range', () => {
  expect(countsIn('ssbbf', 1, 5)).toEqual(
    new Map([
      ['s', 1],
      ['b', 2],
      ['f', 1],
    ]),
  );
});
