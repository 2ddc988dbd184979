import { describe, expect, it } from 'vitest';
import { chartGroups } from './chart-groups';

const days = (from: string, many: number) =>
  Array.from({ length: many }, (_, n) => ({
    start: new Date(Date.parse(from) + n * 86_400_000).toISOString().replace('.000Z', 'Z'),
  }));

describe('chartGroups', () => {
  it('shows few partitions one by one', () => {
    const groups = chartGroups('UTC', 'day', days('2011-01-04T00:00:00Z', 3));
    expect(groups.map((g) => g.label)).toEqual(['4 Jan', '5 Jan', '6 Jan']);
    expect(groups.every((g) => g.members.length === 1)).toBe(true);
  });

  it('puts many into the months of the zone, none lost', () => {
    const all = days('2011-01-04T00:00:00Z', 340);
    const groups = chartGroups('Europe/London', 'day', all);
    expect(groups.map((g) => g.label).slice(0, 3)).toEqual(['Jan', 'Feb', 'Mar']);
    expect(groups.flatMap((g) => g.members)).toEqual(all);
  });

  it('goes by the zone’s own month, not by UTC’s', () => {
    const groups = chartGroups('Pacific/Auckland', 'hour', [{ start: '2011-01-31T11:00:00Z' }]);
    expect(groups[0]?.label).toBe('1 Feb 00:00');
  });

  it('names the year beside the month where there are several, and goes on to years', () => {
    expect(chartGroups('UTC', 'day', days('2010-11-01T00:00:00Z', 500))[0]?.label).toBe('Nov 10');
    expect(chartGroups('UTC', 'day', days('2001-01-01T00:00:00Z', 3000))[0]?.label).toBe('2001');
  });

  it('takes months that were put together already for what they are', () => {
    const months = [{ start: '2011-01-04T00:00:00Z' }, { start: '2011-02-01T00:00:00Z' }];
    expect(chartGroups('UTC', 'day', months, 40).map((g) => g.label)).toEqual(['Jan', 'Feb']);
    expect(chartGroups('UTC', 'day', months, 2).map((g) => g.label)).toEqual(['4 Jan', '1 Feb']);
  });
});
