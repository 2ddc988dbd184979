import { describe, expect, it } from 'vitest';
import type { CalendarPartition, DatasetCalendar } from '@/lib/queries/dataset-calendar';
import { countedIn, selectionOf } from './selection';

const day = (n: number) => `2011-02-0${n}T00:00:00Z`;

const partition = (n: number, more: Partial<CalendarPartition> = {}) =>
  ({
    start: day(n),
    end: day(n + 1),
    rows: '2',
    sealed: false,
    seal: null,
    claimedBy: null,
    run: null,
    gap: null,
    ...more,
  }) as CalendarPartition;

const calendar = (partitions: CalendarPartition[]) => ({ partitions }) as DatasetCalendar;

describe('what the address selects', () => {
  const three = calendar([partition(1), partition(2), partition(3)]);

  it('is whole partitions from an edge to an edge', () => {
    const found = selectionOf(three, { from: day(2), to: day(4) });
    expect(typeof found === 'string' ? found : found.partitions.map(({ start }) => start)).toEqual([
      day(2),
      day(3),
    ]);
  });

  it('is nothing, or unknown where an end is none, missing or before the other', () => {
    expect(selectionOf(three, { from: null, to: null })).toBe('none');
    expect(selectionOf(three, { from: day(2), to: null })).toBe('unknown');
    expect(selectionOf(three, { from: day(3), to: day(2) })).toBe('unknown');
    expect(selectionOf(three, { from: '2011-02-01T01:00:00Z', to: day(3) })).toBe('unknown');
  });
});

it('counts what a selection holds, exactly', () => {
  const partitions = [
    partition(1, { rows: '9007199254740993', claimedBy: 'nightly' }),
    partition(2, { rows: '0', gap: 'no_rows', claimedBy: 'nightly' }),
    partition(3, { sealed: true, seal: { publication: '1', pending: 2, corrections: 1 } }),
  ];
  const counted = countedIn({ from: day(1), to: day(4), partitions });
  expect(counted).toMatchObject({
    rows: '9007199254740995',
    empty: 1,
    sealed: 1,
    pending: 2,
    corrections: 1,
    claimed: [{ owner: 'nightly', partitions: 2 }],
  });
  expect([...counted.gaps]).toEqual([['no_rows', 1]]);
  const unknown = [...partitions, partition(4, { rows: null })];
  expect(countedIn({ from: day(1), to: day(5), partitions: unknown }).rows).toBeNull();
});
