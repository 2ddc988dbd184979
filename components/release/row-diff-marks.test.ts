import { describe, expect, it } from 'vitest';
import { cellMark, type DiffSides } from './row-diff-marks';

const marks = (sides: DiffSides) =>
  (['old', 'control', 'new'] as const).map((side) => cellMark(sides, side, 0));

describe('cellMark', () => {
  it.each<[string, DiffSides, (string | null)[]]>([
    ['equal on all sides', { old: ['1'], control: ['1'], new: ['1'] }, [null, null, null]],
    ['changed by the transform', { old: ['1'], control: ['1'], new: ['2'] }, ['o', null, 'w']],
    [
      'drift that the new side has too',
      { old: ['2'], control: ['1'], new: ['2'] },
      ['d', 'd', 'w'],
    ],
    ['drift alone', { old: ['2'], control: ['1'], new: ['1'] }, ['d', 'd', null]],
    ['removed', { old: ['1'], control: ['1'], new: null }, ['o', null, 'w']],
    ['added', { old: null, control: null, new: ['1'] }, ['o', null, 'w']],
    ['without control', { old: ['1'], control: null, new: ['2'] }, ['o', null, 'w']],
    ['NULL is not an empty text', { old: [null], control: [null], new: [''] }, ['o', null, 'w']],
    ['NULL equals NULL', { old: [null], control: [null], new: [null] }, [null, null, null]],
  ])('%s', (_, sides, expected) => {
    expect(marks(sides)).toEqual(expected);
  });
});
