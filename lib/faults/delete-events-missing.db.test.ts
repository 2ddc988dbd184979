import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { affected, rows } from '@/lib/db/client';
import { Scenario } from '@/lib/faults/support/scenario';
import { refusalOf } from '@/lib/testing/refusal';
import { fix, line } from '@/lib/testing/shop';

let s: Scenario;
beforeEach(async () => {
  s = await Scenario.open();
});
afterEach(() => s.t.close());

it('of a source that does not hold every fact no release is pinned: absence would be taken for a delete', async () => {
  await affected(s.db, sql`update control.source set complete = false where name = 'orders'`);
  const release = await s.w.draft(fix());
  expect((await refusalOf(s.w.move('ana', 'pin', release))).codes).toEqual(['INCOMPLETE_SOURCE']);
  expect(await s.w.state(release)).toBe('DRAFT');
  await s.expectAll('order_tax-g1');
});

it('a row whose fact is not there is drift, named and never dropped in silence', async () => {
  // served without a fact: its delete never reached the log, or its upsert was lost
  await affected(
    s.db,
    sql`insert into ds_order_tax.rows (_segment, _partition, _key, _source_key, _revision, line, invoiced_at, country, net, tax)
      select _segment, _partition, 'ghost', 'ghost', 1, 'ghost', invoiced_at, country, net, tax
      from ds_order_tax.rows where line = 'l5'`,
  );
  const release = await s.rehearsed();
  expect((await refusalOf(s.w.move('dee', 'seal', release))).codes).toContain('DRIFT_NOT_ACCEPTED');
  expect(await s.w.state(release)).toBe('BUILDING');
  expect(
    await rows(s.db, sql`select line from read.order_tax where line in ('ghost', 'l5') order by 1`),
  ).toEqual([{ line: 'ghost' }, { line: 'l5' }]);
});

it('a delete that comes late is applied by whoever serves then, and undone by nobody', async () => {
  const release = await s.rehearsed();
  await s.w.move('dee', 'seal', release);
  await s.append([line(5, { revision: 3, op: 'delete' }), line(5, { revision: 2 })]);
  await s.w.work(release);
  await s.w.sign(release);
  await s.expectServed('order_tax-g1');
  await s.w.move('dee', 'activate', release);
  await s.w.live();
  await s.expectAll('vat-fix-g2');
  await s.w.move('dee', 'rollback', release);
  await s.w.work(release);
  await s.expectAll('order_tax-g1');
});
