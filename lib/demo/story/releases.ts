import type { MarkInput } from '@/lib/services/contamination';
import type { SaveReport } from '@/lib/services/reports';
import { orders, orderTax, returns, returnsSql, taxSql } from './datasets';

/** A release of the story: what is written into its draft. */
export type Draft = Record<string, unknown> & { release: string };

const common = {
  source: { name: orders.name },
  approvals: { cutover: 2, rollback: 1 },
  owner: 'owner',
};

const budget = { concurrency: 4, maxSealedSeconds: 1800, maxLiveLagSeconds: 120 };

const taxContract = [
  { check: 'not_null', column: 'tax_amount' },
  { check: 'null_ratio', column: 'customer', max: 0.4 },
  {
    check: 'sql',
    name: 'sales have no negative tax',
    where_bad: 'net_amount > 0 and tax_amount < 0',
  },
];

const vatRule = {
  rule: 'vat-20',
  where:
    'new.tax_amount = round(old.net_amount * 0.20, 2) and new.gross_amount = new.net_amount + new.tax_amount',
  columns: ['tax_amount', 'gross_amount'],
};

/** The first repair: from here on the rate is right. Everything before it is left for later. */
const repairedFrom = '2011-12-10T00:00:00Z';
const rateRose = '2011-01-04T00:00:00Z';

export const vatStop: Draft = {
  ...common,
  release: 'vat-stop@1',
  dataset: orderTax().name,
  range: { from: repairedFrom, to: 'open' },
  transform: { new: { sql: taxSql('0.20') } },
  targetGeneration: 'vat-stop-g2',
  contract: taxContract,
  expectedDiff: [vatRule],
  budget,
};

/** Rounds what must not be rounded: the rehearsal finds the net sums changed. */
export const netPennies: Draft = {
  ...common,
  release: 'net-pennies@1',
  dataset: orderTax().name,
  range: { from: '2011-11-01T00:00:00Z', to: '2011-12-01T00:00:00Z' },
  transform: {
    new: {
      sql: taxSql('0.175').replace(
        'quantity * unit_price as net_amount',
        'round(quantity * unit_price, 2) as net_amount',
      ),
    },
  },
  targetGeneration: 'net-pennies-g3',
  expected: { partitions: 30 },
  contract: taxContract,
  expectedDiff: [
    {
      rule: 'net-in-pennies',
      where: 'new.net_amount = round(old.net_amount, 2)',
      columns: ['net_amount'],
    },
  ],
  budget,
};

/** Begins a month too early: the figures agree, and a person sees that December is wrong. */
export const vatFixTooEarly: Draft = {
  ...common,
  release: 'vat-fix@1',
  dataset: orderTax().name,
  range: { from: '2010-12-01T00:00:00Z', to: '2011-02-01T00:00:00Z' },
  transform: { new: { sql: taxSql('0.20') } },
  targetGeneration: 'vat-fix-g4',
  expected: { partitions: 62 },
  contract: taxContract,
  expectedDiff: [vatRule],
  budget,
};

/**
 * The first quarter, to begin with. Repairs the tax and forgets the gross: no check asks for it, so
 * it is found by its readers.
 */
export const vatFixWithoutGross: Draft = {
  ...common,
  release: 'vat-fix@2',
  dataset: orderTax().name,
  range: { from: rateRose, to: '2011-03-31T23:00:00Z' },
  transform: { new: { sql: taxSql('0.20', '0.175') } },
  targetGeneration: 'vat-fix-g5',
  expected: { partitions: 87 },
  contract: taxContract,
  expectedDiff: [
    {
      rule: 'vat-20',
      where: 'new.tax_amount = round(old.net_amount * 0.20, 2)',
      columns: ['tax_amount'],
    },
  ],
  budget,
};

/** The whole range, and both amounts; from now on a check asks whether gross is net + tax. */
export const vatFix: Draft = {
  ...common,
  release: 'vat-fix@3',
  dataset: orderTax().name,
  range: { from: rateRose, to: repairedFrom },
  transform: { new: { sql: taxSql('0.20') } },
  targetGeneration: 'vat-fix-g6',
  expected: { partitions: 340 },
  contract: [
    ...taxContract,
    {
      check: 'sql',
      name: 'gross is net + tax',
      where_bad: 'gross_amount <> net_amount + tax_amount',
    },
  ],
  expectedDiff: [vatRule],
  budget,
};

/** What readers were served at the old rate; repaired by the release that is under way. */
export const oldRate: MarkInput = {
  dataset: orderTax().name,
  from: rateRose,
  to: repairedFrom,
  reason: 'Taxed at 17.5 %: the rate rose to 20 % on 4 January 2011. Net amounts are right.',
  servedSince: rateRose,
  repairedBy: 'vat-fix',
};

/** What the tax office and the bookkeepers read: both are read in shadow before the cutover. */
export const reports: readonly SaveReport[] = [
  {
    dataset: orderTax().name,
    name: 'VAT by month',
    sql: `select date_trunc('month', invoiced_at, 'Europe/London') as month,
  sum(net_amount) as net, sum(tax_amount) as tax
from order_tax group by 1`,
  },
  {
    dataset: orderTax().name,
    name: 'Net by country',
    sql: 'select country, count(*) as lines, sum(net_amount) as net from order_tax group by country',
  },
];

export const countryNames: Draft = {
  ...common,
  release: 'country-names@1',
  dataset: orderTax().name,
  range: { from: '2010-12-01T00:00:00Z', to: 'open' },
  transform: {
    new: {
      sql: taxSql('0.20').replace(
        'country, customer',
        "case country when 'EIRE' then 'Ireland' else country end as country, customer",
      ),
    },
  },
  targetGeneration: 'country-names-g7',
  expectedDiff: [
    {
      rule: 'eire-is-ireland',
      where: "old.country = 'EIRE' and new.country = 'Ireland'",
      columns: ['country'],
    },
  ],
  budget,
};

/** A draft for a newcomer to go on with: small, and on a dataset that nothing else is at. */
export const returnsPostage: Draft = {
  ...common,
  release: 'returns-postage@1',
  dataset: returns.name,
  range: { from: '2010-12-01T00:00:00Z', to: 'open' },
  transform: { new: { sql: `${returnsSql} and stock_code <> 'POST'` } },
  targetGeneration: 'returns-postage-g2',
  contract: [{ check: 'sql', name: 'refunds are positive', where_bad: 'refunded < 0' }],
  expectedDiff: [
    {
      rule: 'postage-is-no-return',
      where: "old.stock_code = 'POST' and new.line is null",
      columns: ['line'],
    },
  ],
  budget,
};
