import { afterEach, describe, expect, it, vi } from 'vitest';
import { civilOf, weekdayOf } from '@/lib/domain/civil-date';
import type { Line } from './event';
import { firstDay, lastDay, shopHistory } from './history';
import { dayOf, isOpen } from './opening';

afterEach(() => vi.restoreAllMocks());

const history = shopHistory();
const upserts = history.flatMap(({ day, event }) =>
  event.op === 'upsert' ? [{ day, revision: event.revision, line: event.payload }] : [],
);
const first = new Map(upserts.filter((u) => u.revision === 1).map((u) => [u.line.line, u]));
const sales = [...first.values()].filter(({ line }) => line.quantity > 0);

/** Day and hour on the clock of London, whose summer time of 2011 is written out here. */
function london({ invoiced_at: at }: Line) {
  const summer = at >= '2011-03-27T01' && at < '2011-10-30T01';
  const hour = Number(at.slice(11, 13)) + (summer ? 1 : 0);
  return { day: dayOf(at.slice(0, 10)), hour };
}

describe('the shop’s history', () => {
  it('is the same at each call, without a clock and without chance', () => {
    vi.spyOn(Math, 'random').mockImplementation(() => {
      throw new Error('chance');
    });
    vi.spyOn(Date, 'now').mockImplementation(() => {
      throw new Error('clock');
    });
    expect(shopHistory()).toEqual(history);
  });

  it('is told in order, each line first as it was sold', () => {
    const seen = new Map<string, number>();
    let before = dayOf(firstDay);
    for (const { day, event } of history) {
      expect(day).toBeGreaterThanOrEqual(before);
      before = day;
      const key = event.op === 'upsert' ? event.payload.line : event.key;
      expect(event.revision).toBe((seen.get(key) ?? 0) + 1);
      seen.set(key, event.revision);
    }
    expect(before).toBeLessThanOrEqual(dayOf(lastDay));
    expect(new Set(history.map(({ event }) => event.eventId)).size).toBe(history.length);
  });

  it('has about fifty lines on a day, and days without any', () => {
    const byDay = new Map<number, number>();
    for (const { line } of sales) {
      const { day } = london(line);
      byDay.set(day, (byDay.get(day) ?? 0) + 1);
    }
    const mean = sales.length / byDay.size;
    expect(mean).toBeGreaterThan(40);
    expect(mean).toBeLessThan(60);
    for (let day = dayOf(firstDay); day <= dayOf(lastDay); day++) {
      if (weekdayOf(day) === 6) expect(byDay.has(day)).toBe(false);
      if (isOpen(day)) expect(byDay.get(day) ?? 0).toBeGreaterThan(0);
    }
    for (const christmas of ['2010-12-25', '2011-01-03', '2011-12-26']) {
      expect(byDay.has(dayOf(christmas))).toBe(false);
    }
    expect(byDay.has(dayOf('2011-01-04'))).toBe(true);

    const month = (of: number) => [...byDay].filter(([day]) => civilOf(day).month === of);
    const sum = (days: [number, number][]) => days.reduce((all, [, lines]) => all + lines, 0);
    expect(sum(month(11))).toBeGreaterThan(1.5 * sum(month(2)));
  });

  it('is sold in opening hours, in winter and in summer', () => {
    const hours = sales.map(({ line }) => london(line).hour);
    expect(Math.min(...hours)).toBe(8);
    expect(Math.max(...hours)).toBe(17);
  });

  it('has cancellations on invoices of their own', () => {
    const cancelled = [...first.values()].filter(({ line }) => line.quantity < 0);
    expect(cancelled.length).toBeGreaterThan(300);
    for (const { line } of cancelled) {
      const sold = first.get(line.line.slice(1))?.line as Line;
      expect(line.invoice).toBe(`C${sold.invoice}`);
      expect(line.quantity).toBe(-sold.quantity);
      expect(line.unit_price).toBe(sold.unit_price);
      expect(line.invoiced_at > sold.invoiced_at).toBe(true);
      expect(isOpen(london(line).day)).toBe(true);
    }
  });

  it('has late, changed, moved and deleted lines', () => {
    const late = sales.filter(({ day, line }) => day >= london(line).day + 2);
    const changed = upserts.filter((u) => u.revision === 2);
    const was = (line: Line) => first.get(line.line)?.line as Line;
    const moved = changed.filter(({ line }) => london(line).day !== london(was(line)).day);
    const columns = new Set(
      changed.flatMap(({ line }) =>
        (Object.keys(line) as (keyof Line)[]).filter((c) => line[c] !== was(line)[c]),
      ),
    );
    expect(late.length).toBeGreaterThan(100);
    expect(changed.length).toBeGreaterThan(300);
    expect([...columns].sort()).toEqual(['customer', 'invoiced_at', 'quantity', 'unit_price']);
    expect(moved.length).toBeGreaterThan(20);
    expect(history.filter(({ event }) => event.op === 'delete').length).toBeGreaterThan(50);
  });

  it('has lines without a customer, and prices of three decimals', () => {
    const share = sales.filter(({ line }) => line.customer === null).length / sales.length;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.4);
    expect(sales.some(({ line }) => /\.\d{3}$/.test(line.unit_price))).toBe(true);
    expect(upserts.every(({ line }) => /^\d+\.\d{2,3}$/.test(line.unit_price))).toBe(true);
  });
});
