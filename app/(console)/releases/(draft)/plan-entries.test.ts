import { describe, expect, it } from 'vitest';
import { unpackEdges } from '@/lib/domain/edge-runs';
import type { Instant } from '@/lib/domain/instant';
import { edgeSeconds, packEdges } from '@/lib/domain/pack-edges';
import { partitionsBetween } from '@/lib/domain/partition-plan';
import { planDifference, planEntries } from './plan-entries';

const plan = (from: string, to: string) =>
  edgeSeconds(partitionsBetween('Europe/London', 'day', from as Instant, to as Instant));

const year = packEdges('Europe/London', plan('2011-01-04T00:00:00Z', '2011-12-10T00:00:00Z'));

describe('planEntries', () => {
  it('tells first, odd and last partitions, and what stands between', () => {
    const told = planEntries(year, new Set([82, 299])).map((entry) =>
      entry.kind === 'more' ? `${entry.count} of ${entry.seconds / 3600}` : entry.index,
    );
    expect(told).toEqual([0, '81 of 24', 82, '216 of 24', 299, '39 of 24', 339]);
  });

  it('is one line for one partition, and none for none', () => {
    const one = packEdges('Europe/London', plan('2011-01-04T00:00:00Z', '2011-01-05T00:00:00Z'));
    expect(planEntries(one, new Set())).toHaveLength(1);
    expect(planEntries(packEdges('UTC', []), new Set())).toEqual([]);
  });

  it('counts what it leaves out where no two are alike', () => {
    const months = packEdges(
      'UTC',
      edgeSeconds(
        partitionsBetween(
          'UTC',
          'month',
          '2001-01-01T00:00:00Z' as Instant,
          '2011-01-01T00:00:00Z' as Instant,
        ),
      ),
    );
    const told = planEntries(months, new Set());
    expect(told.length).toBeLessThanOrEqual(14);
    const all = told.reduce((n, entry) => n + (entry.kind === 'more' ? entry.count : 1), 0);
    expect(all).toBe(120);
  });
});

describe('planDifference', () => {
  it('counts whole partitions, and is nothing for equal plans', () => {
    const before = unpackEdges(year);
    const later = unpackEdges(
      packEdges('Europe/London', plan('2011-01-04T00:00:00Z', '2011-12-12T00:00:00Z')),
    );
    expect(planDifference(before, before)).toBeNull();
    expect(planDifference(before, later)).toEqual({
      added: 2,
      removed: 0,
      endBefore: '2011-12-10 00:00 GMT',
      endNow: '2011-12-12 00:00 GMT',
    });
  });
});
