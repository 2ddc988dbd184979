import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { affected, one } from '@/lib/db/client';
import { Scenario } from '@/lib/faults/support/scenario';
import { refusalOf } from '@/lib/testing/refusal';
import { day, fix, line } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let s: Scenario;
beforeEach(async () => {
  s = await Scenario.open();
});
afterEach(() => s.t.close());

const changes = [
  line(4, { revision: 2, op: 'delete' }),
  line(5, { revision: 2, price: '50.00' }),
  line(2, { revision: 2, at: day(6) }),
  line(7, { revision: 2, at: day(3) }),
  event({ line: 'new', at: day(5), price: '0.03', quantity: 3 }),
];

it('catch-up brings the candidate from the snapshot to the barrier, whatever came since', async () => {
  const release = await s.w.draft(fix());
  await s.w.move('ana', 'pin', release);
  await s.write(changes);
  await s.w.work(release);
  await s.w.move('ana', 'build', release);
  await s.w.work(release);
  await s.write([line(4, { revision: 3, price: '40.00' })]);
  await s.w.move('ana', 'rehearse', release);
  await s.w.work(release);
  // between the rehearsal and the seal too
  await s.write([line(4, { revision: 4, price: '41.00' })]);
  await s.signed(release);
  await s.w.move('dee', 'activate', release);
  await s.expectAll('vat-fix-g2');
});

it('one that an earlier release left is caught up with the same way', async () => {
  const early = await s.w.draft(fix());
  await s.w.move('ana', 'pin', early);
  await s.w.work(early);
  const { snapshot } = await one<{ snapshot: string }>(
    s.db,
    sql`select name as snapshot from control.snapshot`,
  );
  await s.w.move('ana', 'abandon', early);
  await s.w.work(early);
  await s.write(changes);
  const again = { release: 'again', source: { name: 'orders', snapshot } };
  const { rates } = s;
  rates.set('again-g', rates.get('vat-fix-g2') as never);
  await s.activated({ ...again, targetGeneration: 'again-g' });
  await s.expectAll('again-g');
});

it('one whose rows are not what its watermark says does not agree with what is served, and blocks the seal', async () => {
  const release = await s.w.draft(fix());
  await s.w.move('ana', 'pin', release);
  await s.w.work(release);
  await affected(s.db, sql`update src_orders.snapshot_row set unit_price = 1 where line = 'l5'`);
  await s.w.move('ana', 'build', release);
  await s.w.work(release);
  await s.w.move('ana', 'rehearse', release);
  await s.w.work(release);
  const refused = await refusalOf(s.w.move('dee', 'seal', release));
  expect(refused.codes).toEqual(['DRIFT_NOT_ACCEPTED']);
  await s.expectAll('order_tax-g1');
});

it('one that was dropped is not pinned again', async () => {
  const early = await s.w.draft(fix());
  await s.w.move('ana', 'pin', early);
  await s.w.work(early);
  await s.w.move('ana', 'abandon', early);
  await s.w.work(early);
  const { snapshot } = await one<{ snapshot: string }>(
    s.db,
    sql`update control.snapshot set dropped_at = clock_timestamp() returning name as snapshot`,
  );
  const again = await s.w.draft(
    fix({
      release: 'again',
      targetGeneration: 'again-g',
      source: { name: 'orders', snapshot },
    }),
  );
  expect((await refusalOf(s.w.move('ana', 'pin', again))).codes).toEqual(['SNAPSHOT_EXPIRED']);
  await s.expectAll('order_tax-g1');
});
