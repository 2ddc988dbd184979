import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { affected, one } from '@/lib/db/client';
import { ROLES } from '@/lib/domain/permissions';
import { provisionToken } from '@/lib/services/people/tokens';
import type { TestDatabase } from '@/lib/testing/database';
import { doorTrace } from '@/lib/testing/doors';
import { fix, openShop } from '@/lib/testing/shop';
import { orders, taxSql } from '@/lib/testing/world';
import { type Calls, callsBy } from '@/lib/web/api/hostile-calls';
import { useWebDatabase } from '@/lib/web/db';

vi.stubEnv('AUTH_SECRET', 'a secret of this test only');
vi.stubEnv('LOG_LEVEL', 'silent');

let t: TestDatabase;
let call: Calls['call'];

beforeAll(async () => {
  const shop = await openShop();
  t = shop.t;
  useWebDatabase(t.connect('web'));
  const made = await provisionToken(t.db, { person: 'all', roles: ROLES, requestId: 'set-up' });
  ({ call } = callsBy(made.token));
  // where SQL that is executed would leave its trace
  await affected(t.db, sql`create sequence public.executed`);
});
afterAll(() => t.close());

const unchanged = async (run: () => Promise<void>) => {
  const before = await doorTrace(t.db);
  await run();
  expect(await doorTrace(t.db)).toEqual(before);
};

describe('SQL', () => {
  const executes = "nextval('public.executed') > 0";
  /** Conditions that must not become part of a statement, each with `new.` before a column. */
  const conditions = [
    executes,
    'true; select 1',
    `true; drop table control.person`,
    'true) or (true',
    `true)) union select person from control.token --`,
    'true /* and no end',
    'exists (select 1 from control.token)',
    '(select count(*) from control.person) > 0',
    'new.tax in (select 1)',
    '1 = any(array(select 1))',
    'generate_series(1, 10) > 1',
    'unnest(array[true])',
    'random() > 0.5',
    'now() > new.invoiced_at',
    'clock_timestamp() > new.invoiced_at',
    "current_user = 'x'",
    'pg_sleep(1) is null',
    "pg_read_file('/etc/passwd') is null",
    "current_setting('x') is null",
    "set_config('a', 'b', true) is null",
    "query_to_xml('select 1', true, true, '') is null",
    "lo_import('/etc/passwd') > 0",
    "dblink('x', 'y') is null",
    "repeat('x', 1000000000) = 'x'",
    'new.ctid is null',
    'new.tableoid = 1',
    'new.tax::regclass is null',
    'sum(new.tax) > 1',
    'count(*) over () > 1',
    'new.tax = 1 limit 1',
    'new.tax = 1 from control.token',
    'true union select true',
    'true into x',
    '$1',
    ':x',
    '',
    '--',
    'new.tax',
    `${'('.repeat(20_000)}true${')'.repeat(20_000)}`,
    `${'not '.repeat(10_000)}true`,
    Array(8_000).fill('true').join(' and '),
    'case when true then '.repeat(2_000),
    '\n'.repeat(10_000),
    'a line\n'.repeat(10_000),
  ];
  const { name: _, ...dataset } = orders.dataset;
  const plain = (text: string) => text.replaceAll('new.', '');

  const places: Record<string, (text: string) => Parameters<Calls['call']>> = {
    'a rule': (where) => [
      'POST',
      '/releases',
      { body: fix({ expectedDiff: [{ rule: 'x', where, columns: ['tax'] }] }) },
    ],
    'a contract': (text) => [
      'POST',
      '/releases',
      { body: fix({ contract: [{ check: 'sql', name: 'x', where_bad: plain(text) }] }) },
    ],
    'a release’s conserved sum': (text) => [
      'POST',
      '/releases',
      { body: fix({ conserved: [{ ...orders.dataset.conserved[0], old: sumOf(text) }] }) },
    ],
    'a release’s conserved sum over facts': (text) => [
      'POST',
      '/releases',
      { body: fix({ conserved: [{ ...orders.dataset.conserved[0], source: sumOf(text) }] }) },
    ],
    'a release’s transform': (text) => [
      'POST',
      '/releases',
      { body: fix({ transform: { new: { sql: `${taxSql('0.2')} where ${plain(text)}` } } }) },
    ],
    'a transform that is checked': (text) => [
      'POST',
      '/transforms/check',
      { body: { dataset: 'order_tax', sql: `${taxSql('0.2')} where ${plain(text)}` } },
    ],
    'a dataset’s conserved sum': (text) => [
      'PUT',
      '/datasets/d',
      { body: { ...dataset, conserved: [{ ...dataset.conserved[0], new: sumOf(text) }] } },
    ],
    'a dataset’s conserved sum of the old side': (text) => [
      'PUT',
      '/datasets/d',
      { body: { ...dataset, conserved: [{ ...dataset.conserved[0], old: sumOf(text) }] } },
    ],
    'a dataset’s conserved sum over facts': (text) => [
      'PUT',
      '/datasets/d',
      { body: { ...dataset, conserved: [{ ...dataset.conserved[0], source: sumOf(text) }] } },
    ],
    'a dataset’s rollup': (text) => [
      'PUT',
      '/datasets/d',
      { body: { ...dataset, rollups: [{ metric: 'x', sql: sumOf(text) }] } },
    ],
  };
  const sumOf = (text: string) => `sum(case when ${plain(text)} then 1 end)`;

  it.each(Object.entries(places))('in %s is refused, and never run', (_, place) =>
    unchanged(async () => {
      for (const text of conditions) {
        const answer = await call(...place(text));
        expect([text.slice(0, 60), answer.status]).toEqual([text.slice(0, 60), 422]);
        expect(answer.body.code).toMatch(/^(TRANSFORM_|INVALID_INPUT|REQUIRED)/);
      }
      const { ran } = await one<{ ran: boolean }>(
        t.db,
        sql`select is_called as ran from public.executed`,
      );
      expect(ran).toBe(false);
    }),
  );

  it('parses on as before after all of it', async () => {
    const body = { dataset: 'order_tax', sql: taxSql('0.2') };
    expect((await call('POST', '/transforms/check', { body })).status).toBe(200);
  });
});
