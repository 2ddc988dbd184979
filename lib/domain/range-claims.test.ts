import fc from 'fast-check';
import { expect, it } from 'vitest';
import { claimRange, releasable } from './range-claims';

it('grants what is free and what is one’s own, and denies the rest by name', () => {
  const held = new Map([
    ['b', 'me'],
    ['c', 'you'],
  ]);
  expect(claimRange(['a', 'b', 'c'], 'me', held)).toEqual({
    claimed: ['a', 'b'],
    taken: ['a'],
    denied: [['c', 'you']],
  });
});

it('releases one’s own only', () => {
  const held = new Map([
    ['b', 'me'],
    ['c', 'you'],
    ['d', 'me'],
  ]);
  expect(releasable(['a', 'b', 'c'], 'me', held)).toEqual(['b']);
});

it('never has two holders of one partition, whoever claims and releases what', () => {
  const move = fc.record({
    kind: fc.constantFrom('claim', 'release'),
    owner: fc.constantFrom('x', 'y', 'z'),
    range: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')),
  });
  fc.assert(
    fc.property(fc.array(move), (moves) => {
      const held = new Map<string, string>();
      for (const { kind, owner, range } of moves) {
        const before = new Map(held);
        if (kind === 'claim') {
          const { claimed, taken, denied } = claimRange(range, owner, held);
          for (const partition of taken) {
            expect(held.has(partition)).toBe(false);
            held.set(partition, owner);
          }
          expect(claimed.every((partition) => held.get(partition) === owner)).toBe(true);
          expect(denied.every(([partition, holder]) => before.get(partition) === holder)).toBe(
            true,
          );
          expect(claimed.length + denied.length).toBe(range.length);
        } else {
          for (const partition of releasable(range, owner, held)) held.delete(partition);
          expect(range.some((partition) => held.get(partition) === owner)).toBe(false);
        }
        for (const [partition, holder] of before) {
          if (holder !== owner) expect(held.get(partition)).toBe(holder);
        }
      }
    }),
  );
});
