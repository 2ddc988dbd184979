import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMPACT_FROM, spansToMove } from './compaction';
import { isWhole, type MapRange, overlay } from './range-map';

/** A whole map of ranges, given their segments and transforms. */
function mapOf(pieces: readonly { segment: string; transform: string }[]): MapRange[] {
  return pieces.map((piece, i) => ({
    ...piece,
    from: i === 0 ? null : BigInt(i),
    to: i === pieces.length - 1 ? null : BigInt(i + 1),
  }));
}
/** The map once the spans stand in a segment of their own. */
const moved = (map: readonly MapRange[], rows: (range: MapRange) => number) =>
  spansToMove(map, rows).reduce(
    (now, span) => overlay(now, span, (range) => ({ ...range, segment: 'new' })),
    [...map],
  );
const alternating = (length: number, transform = () => 'one') =>
  mapOf(Array.from({ length }, (_, i) => ({ segment: i % 2 ? 'b' : 'a', transform: transform() })));

describe('spansToMove', () => {
  it('leaves a map alone that is short enough', () => {
    expect(spansToMove(alternating(COMPACT_FROM - 1), () => 1)).toEqual([]);
  });

  it('makes a long one short', () => {
    expect(moved(alternating(365), () => 1).length).toBeLessThanOrEqual(8);
  });

  it('leaves what is large where it is', () => {
    const map = alternating(21);
    const large = map[10] as MapRange;
    const spans = spansToMove(map, (range) => (range === large ? 1_000_000 : 1));
    expect(spans.length).toBeGreaterThan(0);
    for (const { from, to } of spans) {
      const apart = (to ?? 99n) <= (large.from ?? 0n) || (from ?? 0n) >= (large.to ?? 99n);
      expect(apart).toBe(true);
    }
  });

  it('keeps every instant’s transform, and never makes a map longer', () => {
    const piece = fc.record({
      segment: fc.constantFrom('a', 'b', 'c'),
      transform: fc.constantFrom('one', 'two'),
    });
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat(1000), { minLength: 40, maxLength: 40 }),
        (pieces, rows) => {
          const map = overlay(mapOf(pieces), { from: null, to: null }, (range) => range);
          const after = moved(map, (range) => rows[Number(range.from ?? 0n)] ?? 0);
          expect(isWhole(after)).toBe(true);
          expect(after.length).toBeLessThanOrEqual(map.length);
          for (const [i, { transform }] of pieces.entries()) {
            const at = after.find(
              (r) => (r.from === null || r.from <= i) && (r.to === null || i < r.to),
            );
            expect(at?.transform).toBe(transform);
          }
        },
      ),
    );
  });
});
