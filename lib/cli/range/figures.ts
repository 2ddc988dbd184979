import { RangeFault } from './fault';

/** Exact: an amount beyond 2^53 is no JavaScript number. */
export interface Figures {
  readonly orders: bigint;
  readonly amount: bigint;
}

export const NOTHING: Figures = { orders: 0n, amount: 0n };

export function sum(all: Iterable<Figures>): Figures {
  let { orders, amount } = NOTHING;
  for (const each of all) {
    orders += each.orders;
    amount += each.amount;
  }
  return { orders, amount };
}

const LIMIT = 2n ** 63n;

/**
 * SQLite keeps 64 bits; what does not fit it would keep as an inexact real.
 *
 * @throws RangeFault
 */
export function checkFits({ orders, amount }: Figures, of: string): void {
  for (const value of [orders, amount]) {
    if (value < -LIMIT || value >= LIMIT) {
      throw new RangeFault(`${of}: ${value} does not fit into the 64 bits of a SQLite integer`);
    }
  }
}
