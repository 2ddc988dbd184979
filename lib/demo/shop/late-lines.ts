import type { OrderLine } from './order-lines';

const upsert = (revision: number, payload: OrderLine) => ({
  eventId: `${payload.order_id}-r${revision}`,
  revision,
  op: 'upsert' as const,
  payload,
});

/** What the second shop's till tells of days whose figures were sent out already. */
export function lateLines() {
  return [
    upsert(1, {
      order_id: '2026-02-03-late',
      at: '2026-02-03T21:40:00Z',
      amount: '4900',
      status: 'paid',
    }),
    upsert(2, {
      order_id: '2026-02-05-4',
      at: '2026-02-05T09:30:00Z',
      amount: '-2381',
      status: 'refund',
    }),
  ];
}
