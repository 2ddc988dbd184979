import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rows } from '@/lib/db/client';
import { Scenario } from '@/lib/faults/support/scenario';
import { sweep } from '@/lib/services/steps/sweep';
import { refusalOf } from '@/lib/testing/refusal';
import { day, ingress } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let s: Scenario;
beforeAll(async () => {
  s = await Scenario.open();
});
afterAll(() => s.t.close());

const buffered = (name: string) =>
  s.append([1, 2, 3].map((n) => event({ line: `${name}${n}`, at: day(6), price: '10.00' })));
const trouble = () =>
  rows(
    s.db,
    sql`select state, trouble_step as step, trouble_code as code, trouble_from as "from", evidence
      from control.release`,
  );

it('ends the seal: the release needs reconciliation, and writing goes on', async () => {
  const release = await s.rehearsed({
    budget: { maxLiveLagSeconds: 3600, maxBufferedEvents: 2 },
  });
  await s.w.move('dee', 'seal', release);
  await buffered('b');
  const { looks } = await s.watching(() => s.w.work(release));
  expect(looks).toBeGreaterThan(0);
  const over = { state: 'RECONCILIATION_REQUIRED', step: 'catch-up', code: 'BUFFER_OVER_LIMIT' };
  expect(await trouble()).toEqual([{ ...over, from: 'INGRESS_SEALED', evidence: null }]);
  expect(await ingress(s.db)).toEqual({
    epoch: 2,
    state: 'OPEN',
    active: 'order_tax-g1',
    sealer: null,
  });
  await s.w.live();
  await s.expectAll('order_tax-g1');

  // a decision with a reason, and a shorter seal: it goes through with everything that came
  await s.w.move('ana', 'retry', release, { step: 'catch-up', reason: 'the import is over' });
  await s.w.work(release);
  await s.w.move('ana', 'rehearse', release);
  await s.w.work(release);
  await s.signed(release);
  await s.w.move('dee', 'activate', release);
  await s.expectAll('vat-fix-g2');
});

it('ends it as well while the release only waits for signatures, or for its cutover', async () => {
  const release = await s.rehearsed({
    release: 'again',
    targetGeneration: 'again-g',
    range: { from: '2011-01-02T00:00:00Z', to: '2011-01-04T00:00:00Z' },
    budget: { maxLiveLagSeconds: 3600, maxBufferedEvents: 2 },
  });
  await s.signed(release);
  expect(await s.w.state(release)).toBe('APPROVED');
  await buffered('c');
  expect(await sweep(s.db)).toMatchObject({ due: 2 });
  await s.w.work(release);
  expect(await s.w.state(release)).toBe('RECONCILIATION_REQUIRED');
  expect((await refusalOf(s.w.move('dee', 'activate', release))).codes).toContain(
    'RECONCILIATION_REQUIRED',
  );
  await s.w.live();
  await s.expectAll('vat-fix-g2');
});
