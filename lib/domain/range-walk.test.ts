import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideWalk, isGreen, type WalkView, walkRange } from './range-walk';

const view = (over: Partial<WalkView> = {}): WalkView => ({
  owner: 'me',
  claims: new Map(),
  sealed: new Set(),
  hasData: () => true,
  ...over,
});

describe('decideWalk', () => {
  it('does what nothing stops, one’s own claims included', () => {
    expect(decideWalk(['p'], view({ claims: new Map([['p', 'me']]) }))).toEqual([
      { move: 'do', partition: 'p' },
    ]);
  });

  it.each([
    [true, true, false, 'claimed_by:you'],
    [true, false, true, 'claimed_by:you'],
    [true, false, false, 'claimed_by:you'],
    [false, true, true, 'sealed'],
    [false, true, false, 'sealed'],
    [false, false, false, 'no_data'],
  ])('tells of claimed %s, sealed %s, data %s: %s', (claimed, sealed, data, reason) => {
    const decisions = decideWalk(
      ['p'],
      view({
        claims: new Map(claimed ? [['p', 'you']] : []),
        sealed: new Set(sealed ? ['p'] : []),
        hasData: () => data,
      }),
    );
    expect(decisions).toEqual([{ move: 'skip', partition: 'p', reason }]);
  });

  it('keeps the order of the range, whatever its partitions are called', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), (partitions) => {
        expect(decideWalk(partitions, view()).map(({ partition }) => partition)).toEqual(
          partitions,
        );
      }),
    );
  });

  it('does not look for data of what it will not touch', () => {
    const asked: string[] = [];
    decideWalk(
      ['claimed', 'sealed', 'free'],
      view({
        claims: new Map([['claimed', 'you']]),
        sealed: new Set(['sealed']),
        hasData: (partition) => asked.push(partition) > 0,
      }),
    );
    expect(asked).toEqual(['free']);
  });

  it('refuses a range that names a partition twice', () => {
    expect(() => decideWalk(['p', 'q', 'p'], view())).toThrow(TypeError);
  });
});

describe('walkRange', () => {
  it('replaces one after the other, and only what was decided', async () => {
    const moves: string[] = [];
    const decisions = decideWalk(['a', 'b', 'c'], view({ sealed: new Set(['b']) }));
    const walked = await walkRange(decisions, async (partition) => {
      moves.push(`begin ${partition}`);
      await Promise.resolve();
      moves.push(`end ${partition}`);
      return { figures: partition.toUpperCase() };
    });
    expect(moves).toEqual(['begin a', 'end a', 'begin c', 'end c']);
    expect(walked).toEqual({
      done: [
        { partition: 'a', figures: 'A' },
        { partition: 'c', figures: 'C' },
      ],
      skipped: [['b', 'sealed']],
    });
  });

  it('lets the store refuse what came in between', async () => {
    const walked = await walkRange(decideWalk(['a', 'b'], view()), (partition) =>
      partition === 'a' ? { reason: 'sealed' } : { figures: 1 },
    );
    expect(walked).toEqual({
      done: [{ partition: 'b', figures: 1 }],
      skipped: [['a', 'sealed']],
    });
  });

  it('goes no further than the first failure', async () => {
    const seen: string[] = [];
    const walk = walkRange(decideWalk(['a', 'b', 'c'], view()), (partition) => {
      seen.push(partition);
      if (partition === 'b') throw new Error('disk full');
      return { figures: 1 };
    });
    await expect(walk).rejects.toThrow('disk full');
    expect(seen).toEqual(['a', 'b']);
  });
});

it('is green while nothing but absence stopped it', () => {
  expect(isGreen([])).toBe(true);
  expect(isGreen([['p', 'no_data']])).toBe(true);
  expect(isGreen([['p', 'sealed']])).toBe(false);
  expect(
    isGreen([
      ['p', 'no_data'],
      ['q', 'claimed_by:you'],
    ]),
  ).toBe(false);
});
