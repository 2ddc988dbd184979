import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { affected, one } from '@/lib/db/client';
import { onStep } from '@/lib/db/step';
import { Scenario } from '@/lib/faults/support/scenario';
import { refusalOf } from '@/lib/testing/refusal';
import { ingress, line } from '@/lib/testing/shop';

let s: Scenario;
beforeAll(async () => {
  s = await Scenario.open();
});
afterAll(() => s.t.close());

const candidate = () =>
  one<{ root: string | null; covered: boolean }>(
    s.db,
    sql`select g.manifest_root as root, p.offsets = r.barrier as covered
      from control.generation g join control.generation_progress p on p.generation = g.id
      join control.registry r on r.dataset = g.dataset where g.state = 'candidate'`,
  );

it('rows without a manifest are never switched to; the next process makes the manifest', async () => {
  const release = await s.rehearsed();
  await s.write([line(5, { revision: 2, price: '50.00' })]);
  await s.w.move('dee', 'seal', release);
  const stop = onStep((step) => {
    if (step === 'manifest.before-commit') throw new Error('the process ended');
  });
  await expect(s.w.work(release)).rejects.toThrow('the process ended');
  stop();
  expect(await candidate()).toEqual({ root: null, covered: true });
  expect(await s.w.state(release)).toBe('INGRESS_SEALED');
  expect((await refusalOf(s.w.move('dee', 'activate', release))).codes).toContain(
    'EVIDENCE_MISSING',
  );
  await s.expectServed('order_tax-g1');

  await s.w.work(release);
  expect(await candidate()).toEqual({
    root: expect.stringMatching(/^sha256:/),
    covered: true,
  });
  expect(await s.w.state(release)).toBe('RECONCILED');
});

it('nor is a manifest that moved after it was signed', async () => {
  await s.w.sign('vat-fix@1');
  const { root } = await candidate();
  await affected(
    s.db,
    sql`update control.generation set manifest_root = 'sha256:other' where state = 'candidate'`,
  );
  expect((await refusalOf(s.w.move('dee', 'activate', 'vat-fix@1'))).codes).toEqual([
    'EVIDENCE_MOVED',
  ]);
  await s.expectServed('order_tax-g1');
  expect(await ingress(s.db)).toMatchObject({ state: 'SEALED', active: 'order_tax-g1' });
  await affected(
    s.db,
    sql`update control.generation set manifest_root = ${root} where state = 'candidate'`,
  );
  await s.w.move('dee', 'activate', 'vat-fix@1');
  await s.expectAll('vat-fix-g2');
});
