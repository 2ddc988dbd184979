import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rows } from '@/lib/db/client';
import { onStep, type StepName } from '@/lib/db/step';
import { Scenario } from '@/lib/faults/support/scenario';
import { applyLive } from '@/lib/services/apply/apply-live';
import { day, line } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let s: Scenario;
beforeAll(async () => {
  s = await Scenario.open();
});
afterAll(() => s.t.close());

it('is served on either side, kept by both, and in the old generation at the end', async () => {
  const release = await s.activated();
  // more than a rollback leaves to its tail, so that it replays before it seals
  await s.write(
    Array.from({ length: 501 }, (_, i) => line(5, { revision: i + 2, price: `${i}.00` })),
  );
  await s.w.move('dee', 'rollback', release);
  const came: StepName[] = [];
  let n = 0;
  // an event of each kind at every step, in a process beside the rollback's
  const stop = onStep(async (step) => {
    if (!step.startsWith('rollback.')) return;
    came.push(step);
    n += 1;
    await s.append([
      event({ line: `r${n}`, at: day(2 + (n % 7)), price: '10.00' }),
      line(7, { revision: n + 1, at: day(n % 2 === 0 ? 3 : 7), price: `${n}.00` }),
      line(8, { revision: n + 1, op: n % 2 === 0 ? 'upsert' : 'delete' }),
    ]);
    // live writing while it is open; behind the seal it finds it sealed, under the lock it passes by
    await applyLive(s.db, 'order_tax', null);
  });
  const { looks } = await s.watching(() => s.w.work(release));
  stop();
  expect(looks).toBeGreaterThan(0);
  expect(new Set(came)).toEqual(
    new Set([
      'rollback.batch-before-commit',
      'rollback.sealed',
      'rollback.before-commit',
      'rollback.committed',
    ]),
  );
  expect(await s.w.state(release)).toBe('ROLLED_BACK');
  await s.w.live();
  await s.expectAll('order_tax-g1');
  expect(await rows(s.db, sql`select state from control.rollback`)).toEqual([{ state: 'done' }]);
});
