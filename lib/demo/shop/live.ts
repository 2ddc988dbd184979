import type { Instant } from '@/lib/domain/instant';
import { type Line, remove, type ShopEvent, upsert } from './event';
import { changedLine, orderLine } from './history';
import { dayOf, isOpen, londonInstant, openingHours } from './opening';
import { type Random, random } from './random';
import { customer } from './stock';

/** What a turn of the live stream tells: new lines, or something about a line that is there. */
export type Turn =
  | { kind: 'new'; events: ShopEvent[] }
  | {
      kind: 'change' | 'cancel' | 'delete';
      /** Where to look for the line: the first key from here on. */
      from: string;
      events: (line: Line, revision: number) => ShopEvent[];
    };

/** The shop's day has two hundred turns, whatever the season. */
const turnsADay = 200;
const repaired = { first: dayOf('2011-01-04'), last: dayOf('2011-12-09') };

/**
 * The n-th turn, from 1 on: the same at each call. The shop's clock goes on where its history
 * ended, three minutes a turn. Half of the turns sell something now; the others tell of the past
 * (a line that is late, changed, cancelled or taken back), most of it within the range that the
 * demo's release repairs.
 */
export function turn(n: number): Turn {
  const dice = random(`live ${n}`);
  const kind = dice.int(1, 100);
  if (kind <= 55) return { kind: 'new', events: invoice(n, now(n), dice) };
  if (kind <= 65) return { kind: 'new', events: invoice(n, past(dice), dice) };
  const from = `${dice.int(537_000, 540_300)}-1`;
  if (kind <= 85) {
    return {
      kind: 'change',
      from,
      events: (line, at) => [upsert(changedLine(line, dice), at + 1)],
    };
  }
  if (kind <= 95) return { kind: 'cancel', from, events: (line) => [upsert(given(line, n), 1)] };
  return { kind: 'delete', from, events: (line, at) => [remove(line.line, at + 1)] };
}

function now(n: number): Instant {
  let day = dayOf('2012-01-03');
  for (let left = Math.floor(n / turnsADay); left > 0; left--) day = nextOpen(day);
  const { from, to } = openingHours(day);
  return londonInstant(day, from + Math.floor(((to - from) * (n % turnsADay)) / turnsADay));
}

function nextOpen(day: number): number {
  let next = day + 1;
  while (!isOpen(next)) next += 1;
  return next;
}

function past(dice: Random): Instant {
  let day = dice.int(repaired.first, repaired.last);
  while (!isOpen(day)) day -= 1;
  return londonInstant(day, dice.int(10 * 60, 16 * 60 - 1));
}

/** Numbers that the history never came to. */
const liveInvoice = (n: number) => String(600_000 + n);

function invoice(n: number, at: Instant, dice: Random): ShopEvent[] {
  const number = liveInvoice(n);
  const buyer = customer(dice.int(0, 419));
  return Array.from({ length: dice.int(1, 3) }, (_, index) =>
    upsert(
      {
        ...orderLine(dice),
        line: `${number}-${index + 1}`,
        invoice: number,
        customer: buyer.id,
        country: buyer.country,
        invoiced_at: at,
      },
      1,
    ),
  );
}

/** A line given back now, on an invoice of its own. */
function given(line: Line, n: number): Line {
  const number = `C${liveInvoice(n)}`;
  return {
    ...line,
    line: `${number}-1`,
    invoice: number,
    quantity: -Math.abs(line.quantity),
    invoiced_at: now(n),
  };
}
