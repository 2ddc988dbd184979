import { afterAll, beforeAll, expect, it } from 'vitest';
import { Children } from '@/lib/faults/support/child';
import { Scenario } from '@/lib/faults/support/scenario';
import { traceOf } from '@/lib/testing/refusal';
import { fix, ingress, line } from '@/lib/testing/shop';

let s: Scenario;
let children: Children;
beforeAll(async () => {
  s = await Scenario.open();
  children = await Children.of(s.t.url, s.db);
});
afterAll(async () => {
  await children.end();
  await s.t.close();
});

it('processes that stood still since before the cutover write nothing when they wake up', async () => {
  const [builder, follower, writer] = [children.take(), children.take(), children.take()];
  const release = await s.w.draft(fix());
  await s.w.move('ana', 'pin', release);
  await s.w.work(release);
  await s.w.move('ana', 'build', release);
  // one with a partition that it claimed
  expect(await builder.do({ kind: 'runner' }, 'build.claimed')).toMatchObject({ kind: 'reached' });
  await s.leasesEnd();
  await s.write([line(5, { revision: 2, price: '50.00' })]);
  // one between two batches of catch-up
  expect(await follower.do({ kind: 'runner' }, 'catch-up.committed')).toMatchObject({
    kind: 'reached',
  });
  await s.leasesEnd();
  await s.w.move('ana', 'rehearse', release);
  await s.w.work(release);
  // one between two batches of live writing, in the belief of the epoch that it wrote under
  const { epoch } = await ingress(s.db);
  await s.append([line(6, { revision: 2 }), line(6, { revision: 3, price: '60.00' })]);
  expect(
    await writer.do({ kind: 'live', epoch, options: { size: 1 } }, 'live.committed'),
  ).toMatchObject({ kind: 'reached' });

  await s.signed(release);
  await s.w.move('dee', 'activate', release);
  await s.expectServed('vat-fix-g2');
  const { 'control.cutover': _, ...before } = await traceOf(s.db);

  expect(await writer.go()).toEqual({ kind: 'failed', why: 'Error: EPOCH_SEALED' });
  expect(await builder.go()).toEqual({ kind: 'done' });
  expect(await follower.go()).toEqual({ kind: 'done' });

  // but for the tail check, which the queue had asked for, and which connection an old attempt had
  const { 'control.cutover': __, ...after } = await traceOf(s.db);
  expect({ ...after, 'control.attempt': '' }).toEqual({ ...before, 'control.attempt': '' });
  await s.expectServed('vat-fix-g2');
  await s.w.live();
  await s.expectAll('vat-fix-g2');
});
