import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { affected, rows } from '@/lib/db/client';
import { rates } from '@/lib/faults/support/oracle';
import { Scenario, week } from '@/lib/faults/support/scenario';
import { refusalOf } from '@/lib/testing/refusal';
import { fix } from '@/lib/testing/shop';
import { event, taxSql } from '@/lib/testing/world';

let s: Scenario;
beforeAll(async () => {
  s = await Scenario.open();
});
afterAll(() => s.t.close());

/** The edge that both ranges name: the end of the first, the start of the second. */
const edge = week.to;
const instants = {
  before: '2011-01-07T23:59:59.999999Z',
  on: edge,
  after: '2011-01-08T00:00:00.000001Z',
};
const around = (name: string) =>
  Object.entries(instants).map(([which, at]) =>
    event({ line: `${name}-${which}`, at, price: '100.00' }),
  );
const second = { from: edge, to: '2011-01-10T00:00:00Z', rate: '0.25' };
const secondSpec = {
  release: 'next',
  targetGeneration: 'next-g',
  range: { from: second.from, to: second.to },
  transform: { new: { sql: taxSql(second.rate) } },
  expectedDiff: [{ rule: 'more', where: 'new.tax = round(old.net * 0.25, 2)', columns: ['tax'] }],
};
const planned = () =>
  rows<{ start: string; end: string }>(
    s.db,
    sql`select start_at as start, end_at as "end" from control.release_partition order by start_at`,
  );

it('the edge belongs to the second batch alone: built, caught up, written live, and gone back', async () => {
  await s.write(around('built'));
  const first = await s.rehearsed();
  await s.write(around('caught'));
  await s.signed(first);
  await s.w.move('dee', 'activate', first);
  await s.write(around('live'));
  await s.expectAll('vat-fix-g2');

  s.rates.set('next-g', rates(week, second));
  const next = await s.rehearsed(secondSpec);
  expect(await planned()).toEqual(
    [4, 5, 6, 7, 8, 9].map((n) => ({
      start: `2011-01-${String(n).padStart(2, '0')}T00:00:00Z`,
      end: `2011-01-${String(n + 1).padStart(2, '0')}T00:00:00Z`,
    })),
  );
  await s.write(around('later'));
  await s.signed(next);
  await s.w.move('dee', 'activate', next);
  await s.write(around('last'));
  await s.expectAll('next-g');
  await s.w.move('dee', 'rollback', next);
  await s.w.work(next);
  await s.expectAll('vat-fix-g2');
});

it('two batches that would both hold it are not under way at once', async () => {
  const one = await s.w.draft(
    fix({ release: 'one', targetGeneration: 'one-g', range: { from: week.from, to: second.to } }),
  );
  await s.w.move('ana', 'pin', one);
  const both = await s.w.draft({
    ...fix(secondSpec),
    release: 'both',
    targetGeneration: 'both-g',
  });
  expect((await refusalOf(s.w.move('ana', 'pin', both))).codes).toEqual(['RELEASE_OVERLAP']);
  await s.expectAll('vat-fix-g2');
});

it('the database itself refuses a plan in which two partitions hold one instant', async () => {
  const overlapping = affected(
    s.db,
    sql`insert into control.release_partition (release, start_at, end_at)
      select release, start_at + interval '1 hour', end_at + interval '1 hour'
      from control.release_partition limit 1`,
  );
  await expect(overlapping).rejects.toMatchObject({ cause: { code: '23P01' } });
});
