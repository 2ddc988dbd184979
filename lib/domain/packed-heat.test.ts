import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type HeatPoint, packHeat, unpackHeat } from './packed-heat';

it('writes small counts as one digit, and leaves zeros out at the end', () => {
  const packed = packHeat(
    [
      [0, 1, 7],
      [0, 3, 36, 2],
      [1, 0, 35],
    ],
    4,
  );
  expect(packed).toEqual({ rows: '070(10)z', unexplained: [[3, 2]], buckets: 4 });
});

it('gives back what it was given', () => {
  const places = fc.uniqueArray(fc.nat(2_000), { maxLength: 300 });
  fc.assert(
    fc.property(places, fc.nat(), (chosen, seed) => {
      const points = chosen
        .toSorted((a, b) => a - b)
        .map((place, i): HeatPoint => {
          const rows = ((seed + i * 7_919) % 5_000) + 1;
          const at = [Math.floor(place / 64), place % 64] as const;
          return i % 5 === 0 ? [...at, rows, (i % rows) + 1] : [...at, rows];
        });
      expect(unpackHeat(packHeat(points, 64))).toEqual(points);
    }),
  );
});

it('is empty of nothing', () => {
  expect(unpackHeat(packHeat([], 64))).toEqual([]);
});
