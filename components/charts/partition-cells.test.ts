import { describe, expect, it } from 'vitest';
import { extended, stretchOf } from './partition-cells';

const one = (at: number) => stretchOf(at, at);

describe('a stretch that the keyboard extends', () => {
  it('begins where it is, in either direction', () => {
    expect(extended(null, one(5), one(6))).toEqual({ from: 5, to: 7 });
    expect(extended(null, one(5), one(4))).toEqual({ from: 4, to: 6 });
    expect(extended({ from: 0, to: 2 }, one(5), one(6))).toEqual({ from: 5, to: 7 });
  });

  it('keeps its other end, and turns round over it', () => {
    expect(extended({ from: 5, to: 8 }, one(7), one(8))).toEqual({ from: 5, to: 9 });
    expect(extended({ from: 5, to: 8 }, one(7), one(6))).toEqual({ from: 5, to: 7 });
    expect(extended({ from: 5, to: 8 }, one(5), one(4))).toEqual({ from: 4, to: 8 });
    expect(extended({ from: 5, to: 6 }, one(5), one(4))).toEqual({ from: 4, to: 6 });
  });

  it('takes all of what shares a column', () => {
    const [first, second] = [
      { from: 0, to: 3 },
      { from: 3, to: 6 },
    ];
    expect(extended(first, first, second)).toEqual({ from: 0, to: 6 });
    expect(extended({ from: 3, to: 9 }, second, first)).toEqual({ from: 0, to: 9 });
  });
});
