import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rows } from '@/lib/db/client';
import { workerFile } from '@/lib/faults/support/bundle';
import { Child } from '@/lib/faults/support/child';
import { Scenario } from '@/lib/faults/support/scenario';
import { sweep } from '@/lib/services/steps/sweep';
import { traceOf } from '@/lib/testing/refusal';
import { fix, line } from '@/lib/testing/shop';

let s: Scenario;
let child: Child;
beforeAll(async () => {
  s = await Scenario.open();
  child = new Child(await workerFile(), s.t.url, s.db);
});
afterAll(async () => {
  await child.end();
  await s.t.close();
});

const attempts = () =>
  rows(s.db, sql`select attempt, outcome from control.attempt order by start_at, attempt`);
const open = async () => (await child.backends()).filter((backend) => backend.open);

it('a worker that is frozen in its transaction loses it, and wakes up to nothing', async () => {
  const release = await s.w.draft(fix());
  await s.w.move('ana', 'pin', release);
  await s.w.work(release);
  await s.w.move('ana', 'build', release);
  expect(await child.do({ kind: 'runner' }, 'build.rows-written')).toMatchObject({
    kind: 'reached',
  });
  child.freeze();
  expect(await open()).toHaveLength(1);

  // nobody else has to wait for it: live writing goes on, and so do the other partitions
  await s.write([line(4, { revision: 2, price: '40.00' })]);
  await s.expectAll('order_tax-g1');
  await s.w.work(release);
  expect(
    (await attempts()).filter((a) => (a as { outcome: string }).outcome === 'accepted'),
  ).toHaveLength(3);

  // past its lease the sweeper ends exactly its connection and gives the partition to the next
  await s.leasesEnd();
  const sweptAttempts = () => sweep(s.db).then(attempts);
  await expect
    .poll(sweptAttempts, { timeout: 60_000 })
    .toContainEqual({ attempt: 1, outcome: 'lost' });
  expect(await open()).toEqual([]);
  await s.w.work(release);
  expect((await attempts()).slice(0, 2)).toEqual([
    { attempt: 1, outcome: 'lost' },
    { attempt: 2, outcome: 'accepted' },
  ]);

  const before = await traceOf(s.db);
  child.thaw();
  expect(await child.go()).toMatchObject({ kind: 'failed' });
  expect(await traceOf(s.db)).toEqual(before);

  await s.w.move('ana', 'rehearse', release);
  await s.w.work(release);
  await s.signed(release);
  await s.w.move('dee', 'activate', release);
  await s.expectAll('vat-fix-g2');
});
