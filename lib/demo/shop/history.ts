import { civilOf } from '@/lib/domain/civil-date';
import { type Line, remove, type ShopEvent, upsert } from './event';
import { busyness, dayOf, isOpen, londonInstant, openingHours } from './opening';
import { type Random, random } from './random';
import { articles, type Customer, customer, postage, priceText } from './stock';

export const firstDay = '2010-12-01';
export const lastDay = '2011-12-31';

/** An event with the day (since 1970-01-01) on which the shop told it, which is the log's order. */
export interface Told {
  day: number;
  event: ShopEvent;
}

const linesADay = 50;
const knownCustomers = 420;
const firstInvoice = 536_365;

/**
 * Thirteen months of a shop's order lines in the order in which they were told: about fifty lines on
 * a day that it is open, cancellations on invoices of their own (negative quantity), lines told
 * days late, lines told again with another quantity, price, customer or time, and lines taken back.
 * The same at each call.
 */
export function shopHistory(): Told[] {
  const told: Told[] = [];
  let invoice = firstInvoice;
  for (let day = dayOf(firstDay); day <= dayOf(lastDay); day++) {
    if (!isOpen(day)) continue;
    const dice = random(`shop ${day}`);
    for (const minute of invoiceMinutes(day, dice)) {
      told.push(...invoiceEvents(invoice, day, minute, dice));
      invoice += 1;
    }
  }
  const end = dayOf(lastDay);
  return told.filter(({ day }) => day <= end).sort((a, b) => a.day - b.day);
}

/** The minutes of the day's invoices, in order; an invoice has four lines on average. */
function invoiceMinutes(day: number, dice: Random): number[] {
  const lines = linesADay * busyness(day, civilOf(day).month) * (dice.int(85, 115) / 100);
  const { from, to } = openingHours(day);
  return Array.from({ length: Math.max(1, Math.round(lines / 4)) }, () =>
    dice.int(from, to - 1),
  ).sort((a, b) => a - b);
}

function invoiceEvents(number: number, day: number, minute: number, dice: Random): Told[] {
  const invoice = String(number);
  const buyer = buyerOf(dice);
  const at = londonInstant(day, minute, dice.int(0, 59));
  const late = dice.chance(0.03) ? dice.int(2, 20) : 0;
  const lines = Array.from({ length: dice.int(1, 7) }, (_, index) => ({
    ...orderLine(dice),
    line: `${invoice}-${index + 1}`,
    invoice,
    customer: buyer.id,
    country: buyer.country,
    invoiced_at: at,
  }));
  if (buyer.country !== 'United Kingdom' && dice.chance(0.6)) {
    lines.push({
      ...(lines[0] as Line),
      line: `${invoice}-${lines.length + 1}`,
      stock_code: postage.code,
      description: postage.description,
      quantity: 1,
      unit_price: priceText(postage.price),
    });
  }
  return [
    ...lines.flatMap((line) => lineEvents(line, day + late, dice)),
    ...(dice.chance(0.05) ? cancellation(lines, day, minute, dice) : []),
  ];
}

function buyerOf(dice: Random): Customer {
  if (dice.chance(0.22)) return { id: null, country: 'United Kingdom' };
  return customer(Math.floor(dice.int(0, knownCustomers * 4) / 4));
}

/** What is bought of an article, and at what price. */
export function orderLine(dice: Random) {
  const article = dice.pick(articles);
  const boxes = dice.chance(0.18);
  const quantity = boxes ? 12 * dice.int(1, 4) : dice.int(1, 10);
  return {
    stock_code: article.code,
    description: article.description,
    quantity,
    unit_price: priceText(boxes ? article.tradePrice : article.price),
  };
}

/** A line, and for some what is told of it afterwards. */
function lineEvents(line: Line, day: number, dice: Random): Told[] {
  const events: Told[] = [{ day, event: upsert(line, 1) }];
  if (dice.chance(0.04)) {
    events.push({ day: day + dice.int(1, 14), event: upsert(changedLine(line, dice), 2) });
  } else if (dice.chance(0.008)) {
    events.push({ day: day + dice.int(0, 6), event: remove(line.line, 2) });
  }
  return events;
}

/** The line as it is told again. */
export function changedLine(line: Line, dice: Random): Line {
  const kind = dice.int(1, 10);
  if (kind <= 5) return { ...line, quantity: line.quantity + (line.quantity < 0 ? -1 : 1) };
  if (kind <= 7) {
    const price = Math.round(Number(line.unit_price) * 1000);
    return { ...line, unit_price: priceText(Math.floor((price * 9) / 10)) };
  }
  if (kind <= 9) {
    const buyer = customer(dice.int(0, knownCustomers - 1));
    return { ...line, customer: buyer.id };
  }
  return { ...line, invoiced_at: dayEarlier(line, dice) };
}

/** Rung up on the day before, written down after midnight: the line moves to another partition. */
function dayEarlier(line: Line, dice: Random): Line['invoiced_at'] {
  const [date = firstDay] = line.invoiced_at.split('T');
  const day = dayOf(date) - 1;
  return day < dayOf(firstDay) ? line.invoiced_at : londonInstant(day, dice.int(9 * 60, 17 * 60));
}

/** Some or all of an invoice is given back, on a later day that the shop is open. */
function cancellation(lines: readonly Line[], sold: number, minute: number, dice: Random): Told[] {
  let day = sold + dice.int(1, 20);
  while (!isOpen(day)) day += 1;
  const { from } = openingHours(day);
  const at = londonInstant(day, Math.max(from, minute - 60), dice.int(0, 59));
  return lines
    .slice(0, dice.chance(0.4) ? lines.length : dice.int(1, lines.length))
    .map((line) => ({
      ...line,
      line: `C${line.line}`,
      invoice: `C${line.invoice}`,
      quantity: -line.quantity,
      invoiced_at: at,
    }))
    .map((line) => ({ day, event: upsert(line, 1) }));
}
