import type { Instant } from '@/lib/domain/instant';

/** One order line as the source holds it. */
export interface Line {
  line: string;
  invoice: string;
  stock_code: string;
  description: string;
  quantity: number;
  /** Pounds, with up to three decimals. */
  unit_price: string;
  customer: string | null;
  country: string;
  invoiced_at: Instant;
}

/** An event as `appendEvents` takes it. Its id is of key and revision: appended again, it is a duplicate. */
export type ShopEvent =
  | { eventId: string; revision: number; op: 'upsert'; payload: Line }
  | { eventId: string; revision: number; op: 'delete'; key: string };

export function upsert(line: Line, revision: number): ShopEvent {
  return { eventId: `${line.line}.${revision}`, revision, op: 'upsert', payload: line };
}

export function remove(key: string, revision: number): ShopEvent {
  return { eventId: `${key}.${revision}`, revision, op: 'delete', key };
}
