import { describe, expect, it } from 'vitest';
import { countEdges, unpackEdges } from '@/lib/domain/edge-runs';
import type { Instant } from '@/lib/domain/instant';
import { edgeSeconds, packEdges } from '@/lib/domain/pack-edges';
import { formatEdge } from '@/lib/domain/partition-label';
import { type PartitionUnit, partitionsBetween } from '@/lib/domain/partition-plan';

const plan = (zone: string, unit: PartitionUnit, from: string, to: string) =>
  partitionsBetween(zone, unit, from as Instant, to as Instant);

describe('packEdges', () => {
  it.each([
    ['Europe/London', 'day', '2011-01-01T00:00:00Z', '2012-01-01T00:00:00Z'],
    ['Europe/London', 'hour', '2011-10-29T23:00:00Z', '2011-10-31T00:00:00Z'],
    ['Australia/Lord_Howe', 'hour', '2011-04-01T13:00:00Z', '2011-04-04T13:30:00Z'],
    ['Pacific/Apia', 'day', '2011-12-28T10:00:00Z', '2012-01-02T10:00:00Z'],
    ['America/Havana', 'day', '2011-03-10T05:00:00Z', '2011-11-20T05:00:00Z'],
    ['UTC', 'month', '2009-01-01T00:00:00Z', '2012-06-01T00:00:00Z'],
  ] as const)('writes out again what it packed: %s, %s', (zone, unit, from, to) => {
    const partitions = plan(zone, unit, from, to);
    const edges = [...partitions.map((p) => p.start), partitions.at(-1)?.end as Instant];
    const packed = packEdges(zone, edgeSeconds(partitions));
    const { text, utc } = unpackEdges(packed);
    expect(utc).toEqual(edges);
    expect(text).toEqual(edges.map((edge) => formatEdge(zone, edge)));
    expect(countEdges(packed)).toBe(partitions.length);
  });

  it('is small where the plan is large', () => {
    const packed = packEdges(
      'Europe/London',
      edgeSeconds(plan('Europe/London', 'hour', '2006-01-01T00:00:00Z', '2011-09-01T23:00:00Z')),
    );
    expect(countEdges(packed)).toBe(49_679);
    expect(JSON.stringify(packed).length).toBeLessThan(600);
  });

  it('is empty for no partition', () => {
    expect(unpackEdges(packEdges('UTC', []))).toEqual({ text: [], utc: [], zone: 'UTC' });
  });
});
