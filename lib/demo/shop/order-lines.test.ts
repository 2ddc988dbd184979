import { describe, expect, it } from 'vitest';
import { orderLineEvents } from './order-lines';

describe('the fourteen days of order lines', () => {
  it('have another number of lines each, refunds among them', () => {
    const lines = orderLineEvents().map(({ payload }) => payload);
    const perDay = new Map<string, number>();
    for (const { at } of lines) {
      perDay.set(at.slice(0, 10), (perDay.get(at.slice(0, 10)) ?? 0) + 1);
    }
    expect([...perDay.keys()]).toHaveLength(14);
    expect([...perDay.keys()].at(0)).toBe('2026-02-01');
    expect([...perDay.keys()].at(-1)).toBe('2026-02-14');
    expect([...perDay.values()]).toEqual(Array.from({ length: 14 }, (_, day) => 7 + day));
    expect(new Set(lines.map((line) => line.order_id)).size).toBe(lines.length);
    expect(
      lines.every(({ amount, status }) => amount.startsWith('-') === (status === 'refund')),
    ).toBe(true);
  });
});
