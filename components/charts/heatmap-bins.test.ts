import { expect, it } from 'vitest';
import { columnPartitions, type HeatCell, heatBins, inkShare, strongest } from './heatmap-bins';

it('one column per partition where they fit', () => {
  const bins = heatBins(
    [
      [1, 3, 40],
      [2, 0, 7, 1],
    ],
    4,
    8,
    100,
  );
  expect(bins.columns).toBe(4);
  expect(bins.rows[1 * 8 + 3]).toBe(40);
  expect(bins.unexplained[2 * 8]).toBe(1);
  expect(bins.most).toBe(40);
});

it('where they do not, a column shows the largest count and any unexplained row', () => {
  const cells: HeatCell[] = [
    [0, 0, 5],
    [1, 0, 9],
    [1, 0, 2, 3],
    [7, 1, 4],
  ];
  const bins = heatBins(cells, 8, 2, 2);
  expect(bins.columns).toBe(2);
  expect([...bins.rows]).toEqual([9, 0, 0, 4]);
  expect([...bins.unexplained]).toEqual([1, 0, 0, 0]);
});

it('columns share out all partitions, each once', () => {
  for (const [partitions, columns] of [
    [10, 3],
    [312, 312],
    [50_000, 1064],
  ] as const) {
    let next = 0;
    for (let column = 0; column < columns; column += 1) {
      const [from, to] = columnPartitions(column, columns, partitions);
      expect(from).toBe(next);
      next = to;
      for (const p of [from, to - 1]) {
        expect(Math.floor((p * columns) / partitions)).toBe(column);
      }
    }
    expect(next).toBe(partitions);
  }
});

it('leaves out what is not on the grid, and has an end for the ramp', () => {
  const bins = heatBins(
    [
      [9, 0, 5],
      [0, 9, 5],
      [-1, 0, 5],
    ],
    2,
    2,
    10,
  );
  expect([...bins.rows]).toEqual([0, 0, 0, 0]);
  expect(bins.most).toBe(1);
});

it('ink grows with the count, and none is not nothing', () => {
  expect(inkShare(0, 10)).toBeLessThan(inkShare(1, 1000));
  expect(inkShare(5, 10)).toBeLessThan(inkShare(10, 10));
  expect(inkShare(20, 10)).toBe(inkShare(10, 10));
});

it('lists unexplained cells before larger explained ones', () => {
  expect(
    strongest(
      [
        [0, 0, 100],
        [1, 1, 3, 1],
        [2, 2, 50],
      ],
      2,
    ),
  ).toEqual([
    [1, 1, 3, 1],
    [0, 0, 100],
  ]);
});
