import { describe, expect, it } from 'vitest';
import type { Line, ShopEvent } from './event';
import { turn } from './live';

const numbers = Array.from({ length: 2_000 }, (_, i) => i + 1);
const line: Line = {
  line: '538000-1',
  invoice: '538000',
  stock_code: '20310',
  description: 'Enamel mug, cream',
  quantity: 3,
  unit_price: '3.75',
  customer: null,
  country: 'United Kingdom',
  invoiced_at: '2011-01-05T10:00:00Z' as Line['invoiced_at'],
};
const eventsOf = (n: number): ShopEvent[] => {
  const told = turn(n);
  return told.kind === 'new' ? told.events : told.events(line, 4);
};

describe('a turn of the live stream', () => {
  it('is the same at each call', () => {
    for (const n of numbers.slice(0, 100)) expect(eventsOf(n)).toEqual(eventsOf(n));
  });

  it('sells something new half of the time, and tells of the past otherwise', () => {
    const kinds = new Map<string, number>();
    for (const n of numbers) kinds.set(turn(n).kind, (kinds.get(turn(n).kind) ?? 0) + 1);
    expect([...kinds.keys()].sort()).toEqual(['cancel', 'change', 'delete', 'new']);
    for (const [kind, count] of kinds) {
      const share = count / numbers.length;
      expect(share, kind).toBeGreaterThan(0.02);
      expect(share, kind).toBeLessThan(0.75);
    }
  });

  it('never gives a line or a cancellation the number of another', () => {
    const created = numbers.flatMap(eventsOf).filter((event) => event.revision === 1);
    expect(new Set(created.map((event) => event.eventId)).size).toBe(created.length);
  });

  it('goes on where the history ended, and reaches back into the repaired range', () => {
    const times = numbers
      .flatMap((n) => (turn(n).kind === 'new' ? eventsOf(n) : []))
      .map((event) => (event.op === 'upsert' ? event.payload.invoiced_at : ''));
    const live = times.filter((at) => at >= '2012-01-03');
    const late = times.filter((at) => at < '2012');
    expect(live).toEqual([...live].sort());
    expect(live.length).toBeGreaterThan(late.length);
    expect(late.length).toBeGreaterThan(50);
    expect(late.every((at) => at >= '2011-01-04' && at < '2011-12-10')).toBe(true);
  });

  it('follows on the line’s newest revision', () => {
    for (const n of numbers.slice(0, 500)) {
      const { kind } = turn(n);
      const [event] = eventsOf(n);
      if (kind === 'change') expect(event).toMatchObject({ revision: 5, op: 'upsert' });
      if (kind === 'delete')
        expect(event).toEqual({
          eventId: '538000-1.5',
          revision: 5,
          op: 'delete',
          key: '538000-1',
        });
      if (kind === 'cancel') {
        expect(event).toMatchObject({
          revision: 1,
          payload: { quantity: -3, stock_code: '20310' },
        });
      }
    }
  });
});
