import { instantOfSeconds } from '@/lib/domain/instant';

/*
 * A year of a shop that sells by the hour, the same at each call: 48 order lines in each of the
 * 8,760 hours of 2025, of which a quarter goes to a country whose rate was wrong.
 */

export const LINES_AN_HOUR = 48;
export const HOURS = 8_760;
const firstSecond = Date.UTC(2025, 0, 1) / 1000;
const countries = ['Ireland', 'United Kingdom', 'France', 'Spain'];

export const hourStart = (hour: number) => instantOfSeconds(firstSecond + hour * 3600);

export const source = {
  name: 'bench_orders',
  columns: [
    { name: 'line', type: 'text', nullable: false },
    { name: 'country', type: 'text', nullable: false },
    { name: 'quantity', type: 'integer', nullable: false },
    { name: 'unit_price', type: 'numeric(10,3)', nullable: false },
    { name: 'invoiced_at', type: 'timestamptz', nullable: false },
  ],
  key: ['line'],
  eventTime: 'invoiced_at',
  complete: true,
};

/** One line; a later revision has another quantity. */
export function lineEvent(n: number, revision = 1) {
  const hour = Math.floor(n / LINES_AN_HOUR);
  const line = `L${String(n).padStart(7, '0')}`;
  return {
    eventId: `${line}-${revision}`,
    key: line,
    revision,
    op: 'upsert',
    payload: {
      line,
      country: countries[n % countries.length],
      quantity: 1 + (n % 13) + (revision - 1) * 20,
      unit_price: `${1 + (n % 97)}.${String((n * 7) % 1000).padStart(3, '0')}`,
      invoiced_at: instantOfSeconds(firstSecond + hour * 3600 + (n % LINES_AN_HOUR) * 75),
    },
  };
}

/** The tax at 17.5 %, in Ireland at `rate`; large orders there at `large`. */
export function taxSql(rate: string, large = rate): string {
  const tax = `round(quantity * unit_price * case when country <> 'Ireland' then 0.175
    when quantity = 13 and unit_price > 97 then ${large} else ${rate} end, 2)`;
  return `select line, country, quantity * unit_price as net, ${tax} as tax,
  quantity * unit_price + ${tax} as gross, invoiced_at from source`;
}

const policy = {
  approvals: { cutover: 2, rollback: 1 },
  leaseSeconds: 900,
  rollbackWindowSeconds: 604_800,
  executorMayApprove: false,
};

export const tax = {
  name: 'bench_tax',
  source: source.name,
  columns: [
    { name: 'line', type: 'text' },
    { name: 'country', type: 'text', nullable: false },
    { name: 'net', type: 'numeric(14,3)', nullable: false },
    { name: 'tax', type: 'numeric(14,2)', nullable: false },
    { name: 'gross', type: 'numeric(14,3)', nullable: false },
    { name: 'invoiced_at', type: 'timestamptz' },
  ],
  key: ['line'],
  businessTime: 'invoiced_at',
  timezone: 'Europe/London',
  partition: 'hour',
  transform: { sql: taxSql('0.175') },
  conserved: [
    { name: 'net', old: 'sum(net)', new: 'sum(net)', source: 'sum(quantity * unit_price)' },
  ],
  rollups: [
    { metric: 'net', sql: 'sum(net)' },
    { metric: 'tax', sql: 'sum(tax)' },
    { metric: 'lines', sql: 'count(*)' },
  ],
  policy,
};

/** What is published, hour by hour. */
export const net = {
  ...tax,
  name: 'bench_net',
  columns: tax.columns.filter(({ name }) => name !== 'tax' && name !== 'gross'),
  transform: {
    sql: 'select line, country, quantity * unit_price as net, invoiced_at from source',
  },
  rollups: [
    { metric: 'net', sql: 'sum(net)' },
    { metric: 'lines', sql: 'count(*)' },
  ],
};

/** Five years and eight months by the hour: 50,000 partitions that nothing has been written to. */
export const long = { ...net, name: 'bench_long', source: 'bench_ticks' };
export const longSource = { ...source, name: long.source };
export const LONG_HOURS = 50_000;

const draft = {
  source: { name: source.name },
  approvals: { cutover: 2, rollback: 1 },
  owner: 'owner',
  budget: { concurrency: 4, maxSealedSeconds: 1800, maxLiveLagSeconds: 3600 },
};

/** Repairs the rate in Ireland, and gives its largest orders another one that no rule explains. */
export const fix = {
  ...draft,
  release: 'bench-fix@1',
  dataset: tax.name,
  range: { from: hourStart(0), to: hourStart(HOURS) },
  transform: { new: { sql: taxSql('0.23', '0.2301') } },
  targetGeneration: 'bench-fix-g2',
  contract: [{ check: 'not_null', column: 'tax' }],
  expectedDiff: [
    {
      rule: 'ireland-23',
      where: "old.country = 'Ireland' and new.tax = round(old.net * 0.23, 2)",
      columns: ['tax', 'gross'],
    },
  ],
};

export const wide = {
  ...draft,
  release: 'bench-wide@1',
  dataset: long.name,
  source: { name: longSource.name },
  range: { from: hourStart(0), to: hourStart(LONG_HOURS) },
  transform: { new: { sql: `${long.transform.sql} where quantity > 0` } },
  targetGeneration: 'bench-wide-g2',
};

/** One of many that came to nothing. */
export const earlier = (n: number) => ({
  ...fix,
  release: `bench-try-${n}@1`,
  range: { from: hourStart(n * 24), to: hourStart(n * 24 + 24) },
  targetGeneration: `bench-try-${n}-g2`,
});
