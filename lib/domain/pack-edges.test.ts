import { expect, it } from 'vitest';
import type { Instant } from './instant';
import { edgeSeconds, oddPartitions, partitionOfEdges } from './pack-edges';
import { lengthNote } from './partition-label';
import { type PartitionUnit, partitionsBetween } from './partition-plan';

it.each([
  ['Europe/London', 'day', '2011-01-01T00:00:00Z', '2012-01-01T00:00:00Z', 2],
  ['Australia/Lord_Howe', 'hour', '2011-04-01T13:00:00Z', '2011-04-04T13:30:00Z', 1],
  ['Europe/London', 'week', '2011-03-07T00:00:00Z', '2011-04-10T23:00:00Z', 1],
  ['Europe/London', 'month', '2011-01-01T00:00:00Z', '2012-01-01T00:00:00Z', 2],
] as const)('finds what is longer or shorter: %s, %s', (zone, unit, from, to, many) => {
  const partitions = partitionsBetween(zone, unit as PartitionUnit, from as Instant, to as Instant);
  const notes = partitions.flatMap((partition, index) => {
    const text = lengthNote(zone, unit, partition);
    return text === null ? [] : [{ index, text }];
  });
  expect(notes).toHaveLength(many);
  expect(oddPartitions(zone, unit, edgeSeconds(partitions))).toEqual(notes);
});

it('gives each partition back, and none beyond the ends', () => {
  const day = 86_400;
  const edges = [0, day, 2 * day];
  expect(partitionOfEdges(edges, 1)).toEqual({
    start: '1970-01-02T00:00:00Z',
    end: '1970-01-03T00:00:00Z',
  });
  expect(partitionOfEdges(edges, 2)).toBeNull();
  expect(partitionOfEdges(edges, -1)).toBeNull();
  expect(edgeSeconds([])).toEqual([]);
});
