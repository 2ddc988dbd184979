import { shardOf } from '@/lib/services/source';
import type { event } from '@/lib/testing/world';

export type ShopEvent = ReturnType<typeof event>;

/** Which rate a generation of the shop taxes a line at, by its instant. */
export type Rates = (at: string) => string;

const shards = 8;

/**
 * What readers of the shop have to see, computed from the appended events alone: no batch, no
 * segment, no map, no SQL. Nothing of the code under test is used but the hash that fixes a shard.
 */
export class Ledger {
  readonly #events: { event: ShopEvent; shard: number; offset: bigint }[] = [];
  readonly #ends = Array<bigint>(shards).fill(0n);

  /** Events that are new to the log, in the order of their batch. */
  note(events: readonly ShopEvent[]): void {
    for (const event of events) {
      const shard = shardOf(event.key, shards);
      const offset = (this.#ends[shard] ?? 0n) + 1n;
      this.#ends[shard] = offset;
      this.#events.push({ event, shard, offset });
    }
  }

  /** How many events were acknowledged. */
  get length(): number {
    return this.#events.length;
  }

  /** The log's end, one offset per shard. */
  get ends(): string[] {
    return this.#ends.map(String);
  }

  /** False where a watermark reaches beyond what was noted so far. */
  covers(watermark: readonly string[]): boolean {
    return watermark.every((offset, shard) => BigInt(offset) <= (this.#ends[shard] ?? 0n));
  }

  /** The rows at a watermark, as text, in order. */
  rowsAt(watermark: readonly string[], rates: Rates): string[] {
    const newest = new Map<string, ShopEvent>();
    for (const { event, shard, offset } of this.#events) {
      if (offset > BigInt(watermark[shard] ?? '0')) continue;
      const known = newest.get(event.key);
      if (!known || event.revision > known.revision) newest.set(event.key, event);
    }
    return [...newest.values()]
      .flatMap(({ payload }) => (payload ? [rowText(payload, rates)] : []))
      .sort();
  }
}

type Payload = NonNullable<ShopEvent['payload']>;

function rowText({ line, quantity, unit_price, country, invoiced_at }: Payload, rates: Rates) {
  const net = thousandths(unit_price) * BigInt(quantity);
  const tax = net * thousandths(rates(invoiced_at));
  // round half up to hundredths; nothing in the shop is negative
  const cents = (tax + 5_000n) / 10_000n;
  return servedText({
    line,
    invoiced_at,
    country,
    net: decimal(net, 3),
    tax: decimal(cents, 2),
  });
}

/** One row as the comparison sees it. */
export function servedText(row: Record<string, unknown>): string {
  return [row.line, row.invoiced_at, row.country, row.net, row.tax].map(String).join(' ');
}

function thousandths(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * 1_000n + BigInt(fraction.padEnd(3, '0'));
}

function decimal(value: bigint, scale: number): string {
  const digits = String(value).padStart(scale + 1, '0');
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The shop's rate with the bug everywhere, and another one within [from, to). */
export const rates =
  (...ranges: readonly { from: string; to: string; rate: string }[]): Rates =>
  (at) =>
    ranges.findLast(({ from, to }) => exact(from) <= exact(at) && exact(at) < exact(to))?.rate ??
    '0.175';

/** An instant in UTC with all six digits, so that text order is order in time. */
function exact(instant: string): string {
  const [seconds, fraction = ''] = instant.slice(0, -1).split('.');
  return `${seconds}.${fraction.padEnd(6, '0')}`;
}
