import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWhole, locate, type MapRange, normalise, overlay, type Span, within } from './range-map';

const whole: MapRange[] = [{ from: null, to: null, segment: '1', transform: 'a' }];
const put =
  (segment: string, transform = 'a') =>
  () => ({ segment, transform });

describe('a generation map', () => {
  it('splits into three where a partition in the middle is copied', () => {
    expect(overlay(whole, { from: 10n, to: 20n }, put('2'))).toEqual([
      { from: null, to: 10n, segment: '1', transform: 'a' },
      { from: 10n, to: 20n, segment: '2', transform: 'a' },
      { from: 20n, to: null, segment: '1', transform: 'a' },
    ]);
  });

  it('merges neighbours that became equal', () => {
    const first = overlay(whole, { from: 10n, to: 20n }, put('2'));
    const second = overlay(first, { from: 20n, to: 30n }, put('2'));
    expect(second).toHaveLength(3);
    expect(overlay(second, { from: 10n, to: 30n }, put('1'))).toEqual(whole);
  });

  it('keeps the transform where only the segment changes', () => {
    const old = overlay(whole, { from: 10n, to: null }, put('2', 'b'));
    const moved = overlay(old, { from: 0n, to: 20n }, (range) => ({ ...range, segment: '3' }));
    expect(isWhole(moved)).toBe(true);
    expect(moved.map((r) => [r.segment, r.transform])).toEqual([
      ['1', 'a'],
      ['3', 'a'],
      ['3', 'b'],
      ['2', 'b'],
    ]);
  });

  it('says that a map with a gap is not whole, and refuses to locate in it', () => {
    const gap = normalise([
      { from: null, to: 10n, segment: '1', transform: 'a' },
      { from: 11n, to: null, segment: '1', transform: 'a' },
    ]);
    expect(isWhole(gap)).toBe(false);
    expect(() => locate(gap, 10n)).toThrow('gap');
  });

  const bound = fc.option(fc.bigInt({ min: -20n, max: 20n }), { nil: null });
  const span: fc.Arbitrary<Span> = fc
    .tuple(bound, bound)
    .filter(([a, b]) => a === null || b === null || a < b)
    .map(([from, to]) => ({ from, to }));

  it('stays whole under any overlays, and answers the last one at each instant', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(span, fc.constantFrom('1', '2', '3')), { maxLength: 12 }),
        (steps) => {
          const map = steps.reduce(
            (current, [where, segment]) => overlay(current, where, put(segment)),
            whole,
          );
          expect(isWhole(map)).toBe(true);
          for (let at = -22n; at <= 22n; at++) {
            const last = steps.filter(([where]) => within(where, at)).at(-1)?.[1] ?? '1';
            expect(locate(map, at).segment).toBe(last);
          }
          expect(map.every((r, i) => i === 0 || r.segment !== map[i - 1]?.segment)).toBe(true);
        },
      ),
    );
  });
});
