/** The shop's order lines, as its till tells them. */
export const orders = {
  name: 'orders',
  columns: [
    { name: 'line', type: 'text', nullable: false },
    { name: 'invoice', type: 'text', nullable: false },
    { name: 'stock_code', type: 'text', nullable: false },
    { name: 'description', type: 'text', nullable: true },
    { name: 'quantity', type: 'integer', nullable: false },
    { name: 'unit_price', type: 'numeric(10,3)', nullable: false },
    { name: 'customer', type: 'text', nullable: true },
    { name: 'country', type: 'text', nullable: false },
    { name: 'invoiced_at', type: 'timestamptz', nullable: false },
  ],
  key: ['line'],
  eventTime: 'invoiced_at',
  complete: true,
};

/**
 * The transform of `order_tax`; `gross` is the rate that the gross is made with, where it was
 * forgotten to make it with the same as the tax.
 */
export function taxSql(rate: string, gross = rate): string {
  return `select line, invoice, stock_code, country, customer,
  quantity * unit_price as net_amount,
  round(quantity * unit_price * ${rate}, 2) as tax_amount,
  quantity * unit_price + round(quantity * unit_price * ${gross}, 2) as gross_amount,
  invoiced_at
from source`;
}

/** Seconds in a week: how long a generation that was replaced can be gone back to. */
const week = 604_800;

/**
 * VAT by order line, with the bug: the rate rose to 20 % on 2011-01-04 00:00 Europe/London, and
 * this goes on with 17.5 %.
 *
 * @param rollbackWindowSeconds how long a replaced generation is kept
 */
export function orderTax(rollbackWindowSeconds = week) {
  return {
    name: 'order_tax',
    source: orders.name,
    columns: [
      { name: 'line', type: 'text' },
      { name: 'invoice', type: 'text', nullable: false },
      { name: 'stock_code', type: 'text', nullable: false },
      { name: 'country', type: 'text', nullable: false },
      { name: 'customer', type: 'text', nullable: true },
      { name: 'net_amount', type: 'numeric(14,3)', nullable: false },
      { name: 'tax_amount', type: 'numeric(14,2)', nullable: false },
      { name: 'gross_amount', type: 'numeric(14,3)', nullable: false },
      { name: 'invoiced_at', type: 'timestamptz' },
    ],
    key: ['line'],
    businessTime: 'invoiced_at',
    timezone: 'Europe/London',
    partition: 'day',
    transform: { sql: taxSql('0.175') },
    conserved: [
      {
        name: 'net',
        old: 'sum(net_amount)',
        new: 'sum(net_amount)',
        source: 'sum(quantity * unit_price)',
      },
    ],
    rollups: [
      { metric: 'net', sql: 'sum(net_amount)' },
      { metric: 'tax', sql: 'sum(tax_amount)' },
      { metric: 'gross', sql: 'sum(gross_amount)' },
      { metric: 'lines', sql: 'count(*)' },
    ],
    policy: {
      approvals: { cutover: 2, rollback: 1 },
      leaseSeconds: 900,
      rollbackWindowSeconds,
      executorMayApprove: false,
    },
  };
}

export const returnsSql = `select line, invoice, stock_code, country,
  -quantity * unit_price as refunded,
  invoiced_at as returned_at
from source
where quantity < 0`;

/** What was given back, by month: a small dataset on the same source, for a newcomer to try. */
export const returns = {
  name: 'returns',
  source: orders.name,
  columns: [
    { name: 'line', type: 'text' },
    { name: 'invoice', type: 'text', nullable: false },
    { name: 'stock_code', type: 'text', nullable: false },
    { name: 'country', type: 'text', nullable: false },
    { name: 'refunded', type: 'numeric(14,3)', nullable: false },
    { name: 'returned_at', type: 'timestamptz' },
  ],
  key: ['line'],
  businessTime: 'returned_at',
  timezone: 'Europe/London',
  partition: 'month',
  transform: { sql: returnsSql },
  conserved: [],
  rollups: [
    { metric: 'refunded', sql: 'sum(refunded)' },
    { metric: 'lines', sql: 'count(*)' },
  ],
  policy: {
    approvals: { cutover: 2, rollback: 1 },
    leaseSeconds: 900,
    rollbackWindowSeconds: week,
    executorMayApprove: false,
  },
};

/** Order lines of a second shop, of which only what each day comes to is read. */
export const orderLines = {
  name: 'order_lines',
  columns: [
    { name: 'order_id', type: 'text', nullable: false },
    { name: 'at', type: 'timestamptz', nullable: false },
    { name: 'amount', type: 'bigint', nullable: false },
    { name: 'status', type: 'text', nullable: false },
  ],
  key: ['order_id'],
  eventTime: 'at',
  complete: true,
};

/** Orders and amount of each day: the dataset of grain `partition`. */
export const daily = {
  name: 'daily',
  source: orderLines.name,
  columns: [
    { name: 'dt', type: 'timestamptz' },
    { name: 'orders', type: 'bigint', nullable: false },
    { name: 'amount', type: 'bigint', nullable: false },
  ],
  key: ['dt'],
  businessTime: 'dt',
  timezone: 'UTC',
  partition: 'day',
  grain: 'partition',
  sourceTime: 'at',
  transform: {
    sql: `select date_trunc('day', at, 'UTC') as dt,
  count(*) as orders,
  sum(amount) as amount
from source
group by 1`,
  },
  conserved: [{ name: 'amount', old: 'sum(amount)', new: 'sum(amount)', source: 'sum(amount)' }],
  rollups: [
    { metric: 'orders', sql: 'sum(orders)' },
    { metric: 'amount', sql: 'sum(amount)' },
  ],
  policy: {
    approvals: { cutover: 2, rollback: 1 },
    leaseSeconds: 900,
    rollbackWindowSeconds: week,
    executorMayApprove: false,
    runs: { cron: '15 2 * * *', partitions: 1, secondPersonOver: 7 },
  },
};
