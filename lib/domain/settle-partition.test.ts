import { describe, expect, it } from 'vitest';
import { type Instant, microsOf } from './instant';
import {
  factKey,
  type PartitionRow,
  partitionKey,
  partitionOfKey,
  settlePartition,
} from './settle-partition';

const at = (text: string) => microsOf(text as Instant);
const day = { start: at('2026-02-01T00:00:00Z'), end: at('2026-02-02T00:00:00Z') };
const row = (more: Partial<PartitionRow> = {}): PartitionRow => ({
  key: 'a',
  micros: day.start,
  values: ['a'],
  ...more,
});
const settled = (...rows: PartitionRow[]) => settlePartition(day, { kind: 'rows', rows });

describe('a partition that is computed as a whole', () => {
  it('holds what its transform yields, under the name of the partition', () => {
    expect(settled(row(), row({ key: 'b', micros: day.end - 1n }))).toEqual({
      kind: 'rows',
      rows: [
        { sourceKey: 'partition:2026-02-01T00:00:00Z', revision: '0', ...row() },
        {
          sourceKey: 'partition:2026-02-01T00:00:00Z',
          revision: '0',
          ...row({ key: 'b', micros: day.end - 1n }),
        },
      ],
    });
    expect(settled()).toEqual({ kind: 'rows', rows: [] });
  });

  it.each([
    ['NULL_TIME', row({ micros: null })],
    ['NULL_KEY', row({ key: null })],
    ['EDGE_CROSSING', row({ key: 'b', micros: day.end })],
    ['EDGE_CROSSING', row({ key: 'b', micros: day.start - 1n })],
    ['KEY_COLLISION', row()],
  ])('is in quarantine whole where one row is %s', (code, bad) => {
    expect(settled(row(), bad)).toEqual({
      kind: 'quarantine',
      entry: {
        sourceKey: 'partition:2026-02-01T00:00:00Z',
        code,
        error: expect.any(String),
        wantedKey: bad.key,
        micros: day.start,
      },
    });
  });

  it('is in quarantine where the transform erred', () => {
    const outcome = { kind: 'error', code: '22012', error: 'division by zero' } as const;
    expect(settlePartition(day, outcome)).toMatchObject({
      entry: { code: 'ROW_ERROR', error: 'division by zero (22012)', micros: day.start },
    });
  });

  it('is named by its start, and a fact without a place by itself', () => {
    expect(partitionOfKey(partitionKey(day.start))).toBe('2026-02-01T00:00:00Z');
    expect(partitionOfKey(factKey('partition:x'))).toBeNull();
  });
});
