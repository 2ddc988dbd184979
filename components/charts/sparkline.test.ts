import { expect, it } from 'vitest';
import { sparkPath } from './sparkline';

it('spans the width, the largest value on top and 0 at the bottom', () => {
  expect(sparkPath([0, 10, 5], 102, 20)).toBe('M1.0 18.0L51.0 2.0L101.0 10.0');
});

it('draws one value as a level line, and nothing for none', () => {
  expect(sparkPath([3], 50, 20)).toBe('M1 2.0h48');
  expect(sparkPath([], 50, 20)).toBe('');
  expect(sparkPath([0, 0], 12, 20)).toBe('M1.0 18.0L11.0 18.0');
});
