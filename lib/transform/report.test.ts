import { describe, expect, it } from 'vitest';
import { checkReport } from '@/lib/transform/report';

const context = {
  dataset: 'order_tax',
  columns: [
    { name: 'line', type: 'text' },
    { name: 'country', type: 'text' },
    { name: 'tax', type: 'numeric(14,2)' },
    { name: 'rate', type: 'double precision' },
    { name: 'at', type: 'timestamptz' },
  ],
  key: ['line'],
};

const accepted = async (sql: string) => {
  const check = await checkReport(sql, context);
  if (!check.ok) throw new Error(JSON.stringify(check.problems));
  return check.report;
};
const messages = async (sql: string) => {
  const check = await checkReport(sql, context);
  return check.ok ? [] : check.problems.map(({ message }) => message);
};

describe('a report', () => {
  it('reads the rows under the name of the dataset, and says what names a row of it', async () => {
    const report = await accepted(
      `select country, sum(tax) as tax from order_tax where country <> 'EIRE' group by country`,
    );
    expect(report.columns).toEqual([
      { name: 'country', type: 'text' },
      { name: 'tax', type: 'numeric' },
    ]);
    expect(report.key).toEqual(['country']);
    expect(report.text).toMatch(/from\s+_rows\s+(as\s+)?order_tax/i);
    expect((await accepted('select count(*) as n from order_tax')).key).toEqual([]);
    expect((await accepted('select country from order_tax')).key).toBeNull();
    expect((await accepted('select line, tax from order_tax t')).key).toEqual(['line']);
  });

  it('groups by time in a zone', async () => {
    const report = await accepted(
      `select date_trunc('month', at, 'Europe/London') as month, sum(tax) as tax
        from order_tax group by 1`,
    );
    expect(report.key).toEqual(['month']);
  });

  it('has one digest, however it is laid out', async () => {
    const a = await accepted('select count(*) as n from order_tax');
    const b = await accepted('SELECT\n  count(*) AS n -- all\nFROM order_tax');
    const c = await accepted('select count(*) as m from order_tax');
    expect(a.digest).toBe(b.digest);
    expect(a.digest).not.toBe(c.digest);
  });

  it.each([
    [
      'select 1 as n',
      'The outermost SELECT reads from order_tax, or from a CTE or sub-select over it.',
    ],
    [
      'select * from pg_authid',
      'A report reads from the relation order_tax and from nothing else, not pg_authid.',
    ],
    [
      'select * from read.order_tax',
      'A report reads from the relation order_tax and from nothing else, not read.order_tax.',
    ],
    ['select line, line from order_tax', 'There are two columns line.'],
    ['select 1 + 1 from order_tax', 'Name this column with AS.'],
    ['delete from order_tax', 'The statement is not a SELECT.'],
    ['select count(*) as n from order_tax; select 1', 'There is more than one statement.'],
    ['select _key from order_tax', null],
    ['select sum(rate) as rate from order_tax', null],
    ['select now() as n, count(*) as c from order_tax', null],
    ['select line from order_tax limit 5', null],
    ['select pg_sleep(9) as n, count(*) as c from order_tax', null],
  ])('is refused: %s', async (sql, message) => {
    const found = await messages(sql);
    expect(found.length).toBeGreaterThan(0);
    if (message !== null) expect(found).toEqual([message]);
  });
});
