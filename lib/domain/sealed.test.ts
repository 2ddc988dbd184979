import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locate, type MapRange, normalise } from './range-map';
import { keepSealed, spansOf } from './sealed';

const day = (n: number) => ({ start: BigInt(n), end: BigInt(n + 1) });

describe('spans of partitions', () => {
  it('join neighbours only', () => {
    expect(spansOf([1, 2, 4, 6, 7].map(day))).toEqual([
      { from: 1n, to: 3n },
      { from: 4n, to: 5n },
      { from: 6n, to: 8n },
    ]);
  });
});

const mapOf = (cuts: readonly number[], names: readonly string[]): MapRange[] =>
  normalise(
    [null, ...cuts].map((from, i) => ({
      from: from === null ? null : BigInt(from),
      to: cuts[i] === undefined ? null : BigInt(cuts[i] as number),
      segment: names[i % names.length] as string,
      transform: `t${i % 2}`,
    })),
  );

const cuts = fc
  .uniqueArray(fc.integer({ min: 1, max: 29 }), { maxLength: 6 })
  .map((list) => [...list].sort((a, b) => a - b));

describe('the map of a generation that is to serve', () => {
  it('has sealed partitions where they are served, everything else as it was', () => {
    fc.assert(
      fc.property(
        cuts,
        cuts,
        fc.uniqueArray(fc.integer({ min: 0, max: 29 }), { maxLength: 12 }),
        (mine, theirs, starts) => {
          const map = mapOf(mine, ['new', 'newer']);
          const served = mapOf(theirs, ['old', 'older', 'oldest']);
          const sealed = [...starts].sort((a, b) => a - b).map(day);
          const kept = keepSealed(map, served, sealed);
          for (let at = -1; at < 32; at++) {
            const instant = BigInt(at);
            const own = locate(map, instant);
            const found = locate(kept, instant);
            const from = starts.includes(at) ? locate(served, instant) : own;
            expect([at, found.segment]).toEqual([at, from.segment]);
            expect([at, found.transform]).toEqual([at, own.transform]);
          }
        },
      ),
    );
  });
});
