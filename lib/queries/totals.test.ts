import { expect, it } from 'vitest';
import { type Totals, wholeOf } from './totals';

it('puts a whole together exactly, by what each metric is', () => {
  const metrics = [
    { name: 'net', fn: 'sum' },
    { name: 'lines', fn: 'count' },
    { name: 'least', fn: 'min' },
    { name: 'last', fn: 'max' },
  ] as const;
  expect(wholeOf(metrics, [])).toEqual({ net: null, lines: '0', least: null, last: null });
  const parts: Totals[] = [
    { net: '90071992547409931.01', lines: '2', least: '10', last: '2011-01-04T00:00:00Z' },
    { net: null, lines: '0', least: null, last: null },
    { net: '0.02', lines: '1', least: '9.5', last: '2011-01-05T00:00:00Z' },
    {},
  ];
  expect(wholeOf(metrics, parts)).toEqual({
    net: '90071992547409931.03',
    lines: '3',
    least: '9.5',
    last: '2011-01-05T00:00:00Z',
  });
});
