import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rows } from '@/lib/db/client';
import { Scenario } from '@/lib/faults/support/scenario';
import { day, ingress, line } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let s: Scenario;
beforeAll(async () => {
  s = await Scenario.open();
});
afterAll(() => s.t.close());

/** Progress of both generations, and the barrier. */
const offsets = () =>
  rows<{ name: string; offsets: string[]; barrier: string[] | null }>(
    s.db,
    sql`select g.name, p.offsets, r.barrier from control.generation g
      join control.generation_progress p on p.generation = g.id
      join control.registry r on r.dataset = g.dataset order by g.id`,
  );
const some = (n: number) => [
  event({ line: `behind${n}`, at: day(5), price: '10.00' }),
  line(6, { revision: n, price: `${n}.00` }),
];

it('wait in the log, and reach the new generation alone', async () => {
  const release = await s.rehearsed();
  const { looks } = await s.watching(async () => {
    await s.w.move('dee', 'seal', release);
    const [sealed] = await offsets();
    // before catch-up, before the signatures, before the cutover: at every moment more of them
    await s.append(some(2));
    await s.w.live();
    await s.w.work(release);
    await s.append(some(3));
    await s.w.live();
    await s.w.sign(release);
    await s.append(some(4));
    await s.w.live();
    for (const { offsets: reached } of await offsets()) expect(reached).toEqual(sealed?.barrier);
    await s.w.move('dee', 'activate', release);
    await s.expectServed('vat-fix-g2');
    await s.w.live();
    await s.expectAll('vat-fix-g2');
    const [old] = await offsets();
    expect(old?.offsets).toEqual(sealed?.barrier);
  });
  expect(looks).toBeGreaterThan(0);
  await s.w.work(release);
  const [checks] = await rows<{ checks: Record<string, { passed: boolean }> }>(
    s.db,
    sql`select checks from control.cutover`,
  );
  expect(Object.entries(checks?.checks ?? {}).map(([name, c]) => [name, c.passed])).toEqual(
    expect.arrayContaining([
      ['tail', true],
      ['takeover', true],
      ['oldWrites', true],
    ]),
  );
});

it('or the old one alone, where the seal ends without a cutover', async () => {
  const release = await s.rehearsed({
    release: 'next',
    targetGeneration: 'next-g',
    range: { from: '2011-01-02T00:00:00Z', to: '2011-01-04T00:00:00Z' },
  });
  await s.signed(release);
  await s.append(some(5));
  await s.w.live();
  await s.expectServed('vat-fix-g2');
  await s.w.move('dee', 'reopen', release);
  await s.w.live();
  await s.expectAll('vat-fix-g2');
  expect(await ingress(s.db)).toMatchObject({ state: 'OPEN', sealer: null });
});
