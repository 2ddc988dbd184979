import { describe, expect, it } from 'vitest';
import { figureKeys, figureLines } from './figure-lines';

const published = { rows: 2, sums: { net: '300.000' }, partials: { net: '300.000', first: null } };
const now = { rows: 3, sums: { net: '350.000' }, partials: { net: '350.000', first: '10' } };
const delta = { rows: 1, sums: { net: '50.000' }, partials: { net: '50.000' } };

describe('figureLines', () => {
  it('tells rows, conserved sums and rollups, and a figure of two names once', () => {
    expect(figureLines([published, now], delta)).toEqual([
      { key: 'rows', name: 'rows', kind: '', values: ['2', '3'], delta: '1' },
      {
        key: 'sum net',
        name: 'net',
        kind: 'conserved',
        values: ['300.000', '350.000'],
        delta: '50.000',
      },
      { key: 'rollup first', name: 'first', kind: 'rollup', values: [null, '10'], delta: null },
    ]);
  });

  it('tells the one figure that was asked for', () => {
    expect(figureLines([now], delta, 'sum net').map(({ values }) => values)).toEqual([['350.000']]);
    expect(figureLines([now], delta, 'sum gone')).toEqual([]);
  });

  it('offers the figures that it tells', () => {
    const keys = figureKeys({ sums: ['net'], partials: ['first', 'net'] });
    expect(keys.map(({ value }) => value)).toEqual(
      figureLines([published], delta).map(({ key }) => key),
    );
  });
});
