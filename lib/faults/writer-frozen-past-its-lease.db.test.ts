import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { one } from '@/lib/db/client';
import { workerFile } from '@/lib/faults/support/bundle';
import { Child } from '@/lib/faults/support/child';
import { Scenario } from '@/lib/faults/support/scenario';
import { leaseSeconds } from '@/lib/runner/catalog';
import { applyLive } from '@/lib/services/apply/apply-live';
import { line } from '@/lib/testing/shop';

let s: Scenario;
let child: Child;
beforeAll(async () => {
  s = await Scenario.open();
  // the runner's own limit is ten seconds; nobody learns more by waiting for those
  const url = `${s.t.url}?idle_in_transaction_session_timeout=700`;
  child = new Child(await workerFile(), url, s.db);
});
afterAll(async () => {
  await child.end();
  await s.t.close();
});

const open = async () => (await child.backends()).filter((backend) => backend.open);

it('every process that writes has a limit below the lease on idling in a transaction', async () => {
  for (const role of ['runner', 'web'] as const) {
    const { limit } = await one<{ limit: number }>(
      s.t.connect(role, 1),
      sql`select extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval)::int as limit`,
    );
    expect(limit).toBeGreaterThan(0);
    expect(limit).toBeLessThan(leaseSeconds);
  }
});

it('a writer that is frozen in its transaction loses it: the seal gets through, and nothing is lost or doubled', async () => {
  const release = await s.rehearsed();
  await s.append([line(5, { revision: 2, price: '50.00' }), line(9)]);
  expect(await child.do({ kind: 'live' }, 'live.before-commit')).toMatchObject({ kind: 'reached' });
  child.freeze();
  expect(await open()).toHaveLength(1);
  // other appliers leave it to the one that holds the dataset
  expect(await applyLive(s.db, 'order_tax', null)).toEqual({ kind: 'busy' });

  const { looks } = await s.watching(async () => {
    // the seal waits for the lock, asks again, and has it once PostgreSQL has ended the frozen session
    await s.w.move('dee', 'seal', release);
    expect(await open()).toEqual([]);
    await s.w.work(release);
    await s.w.sign(release);
    await s.w.move('dee', 'activate', release);
    await s.w.live();
  });
  expect(looks).toBeGreaterThan(0);
  await s.expectAll('vat-fix-g2');

  child.thaw();
  expect(await child.go()).toMatchObject({ kind: 'failed' });
  await s.expectAll('vat-fix-g2');
  // and it can be used again
  await s.append([line(6, { revision: 2, price: '60.00' })]);
  expect(await child.do({ kind: 'live' })).toEqual({ kind: 'done' });
  await s.expectAll('vat-fix-g2');
});
