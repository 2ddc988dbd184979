import { instantOfSeconds } from '@/lib/domain/instant';
import { dayOf } from './opening';

/** The fourteen days that the lesson about ranges is told with. */
const first = dayOf('2026-02-01');
const days = 14;

const daySeconds = 86_400;
/** The first order of a day is at eight, and then there is one every half hour. */
const opening = 8 * 3_600;
const pause = 1_800;

export interface OrderLine {
  order_id: string;
  at: string;
  /** In whole pennies; what was given back is negative. */
  amount: string;
  status: 'paid' | 'refund';
}

/**
 * The lines of the fourteen days as events, the same at every start. Each day has another number of
 * lines, so that no two partitions can be taken for each other, and every fifth line is a refund.
 */
export function orderLineEvents() {
  return Array.from({ length: days }, (_, day) =>
    Array.from({ length: 7 + day }, (_, row) => {
      const seconds = (first + day) * daySeconds + opening + row * pause;
      const at = instantOfSeconds(seconds);
      const refund = row % 5 === 4;
      const size = 1200 + 137 * day + 211 * row;
      const payload: OrderLine = {
        order_id: `${at.slice(0, 10)}-${row + 1}`,
        at,
        amount: String(refund ? -size : size),
        status: refund ? 'refund' : 'paid',
      };
      return { eventId: `${payload.order_id}-r1`, revision: 1, op: 'upsert' as const, payload };
    }),
  ).flat();
}
