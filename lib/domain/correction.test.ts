import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  additiveMetrics,
  chainAddsUp,
  figuresDelta,
  type PartitionFigures,
  rollupFn,
} from './correction';
import { addDecimals, compareDecimals } from './decimal';

const figures = (more: Partial<PartitionFigures> = {}): PartitionFigures => ({
  rows: 1,
  sums: { net: '1.00' },
  partials: { tax: '0.20' },
  root: `sha256:${'0'.repeat(64)}`,
  ...more,
});

describe('rollupFn', () => {
  it.each([
    ['sum(tax)', 'sum'],
    [' ( COUNT (*) filter (where tax > 0))', 'count'],
    ['-- the least\n min(tax)', 'min'],
    ['/* m */ pg_catalog."max"(tax)', 'max'],
    ['summary(tax)', null],
    ['coalesce(sum(tax), 0)', null],
  ])('%s', (text, fn) => {
    expect(rollupFn(text)).toBe(fn);
  });
});

describe('figuresDelta', () => {
  const additive = additiveMetrics([
    { metric: 'tax', sql: 'sum(tax)' },
    { metric: 'least', sql: 'min(tax)' },
  ]);

  it('is exact beyond what a double holds', () => {
    const delta = figuresDelta(
      figures({ sums: { net: '90071992547409931234567890.001' } }),
      figures({ rows: 3, sums: { net: '90071992547409931234567890.002' } }),
      additive,
    );
    expect(delta).toEqual({ rows: 2, sums: { net: '0.001' }, partials: { tax: '0.00' } });
  });

  it('takes no value for 0, and has none for a minimum', () => {
    const delta = figuresDelta(
      figures({ sums: { net: null }, partials: { tax: null, least: '2' } }),
      figures({ sums: { net: '-5.10' }, partials: { tax: '7', least: '1' } }),
      additive,
    );
    expect(delta).toEqual({ rows: 0, sums: { net: '-5.10' }, partials: { tax: '7' } });
  });

  it('of a chain adds up to the difference of its ends', () => {
    const cents = fc.bigInt(-(10n ** 30n), 10n ** 30n).map((n) => `${n}.5`);
    fc.assert(
      fc.property(fc.array(cents, { minLength: 2, maxLength: 8 }), (nets) => {
        const all = nets.map((net) => figures({ sums: { net } }));
        const deltas = all
          .slice(1)
          .map((after, i) => figuresDelta(all[i] ?? after, after, additive).sums.net ?? '');
        const end = deltas.reduce(addDecimals, nets[0] ?? '');
        expect(compareDecimals(end, nets.at(-1) ?? '')).toBe(0);
      }),
    );
  });
});

describe('chainAddsUp', () => {
  const [a, b, c] = ['1', '2', '3'].map((net) => figures({ sums: { net } })) as [
    PartitionFigures,
    PartitionFigures,
    PartitionFigures,
  ];
  it('starts at what was published and has no gap', () => {
    expect(chainAddsUp(a, [])).toBe(true);
    const chain = [
      { before: a, after: b },
      { before: { ...b, sums: { net: '2' } }, after: c },
    ];
    expect(chainAddsUp(a, chain)).toBe(true);
    expect(chainAddsUp(b, chain)).toBe(false);
    expect(chainAddsUp(a, chain.slice(1))).toBe(false);
    expect(chainAddsUp(a, [{ before: { ...a, root: 'sha256:other' }, after: b }])).toBe(false);
    expect(chainAddsUp(a, [{ before: { ...a, sums: {} }, after: b }])).toBe(false);
  });
});
