import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rows } from '@/lib/db/client';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { event, vatFix, World } from '@/lib/testing/world';

let t: TestDatabase;
let w: World;

beforeAll(async () => {
  t = await testDatabase();
  w = new World(t.db);
  await w.shop();
});
afterAll(() => t.close());

const day = (n: number, hour = 12) =>
  `2011-01-${String(n).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`;

describe('a release, from draft to rollback', () => {
  const range = { from: '2011-01-04T00:00:00Z', to: '2011-01-08T00:00:00Z' };
  let release = '';

  it('serves what the log says, with the bug', async () => {
    await w.append(
      [2, 3, 4, 5, 6, 7, 8].map((n) => event({ line: `l${n}`, at: day(n), price: '100.00' })),
    );
    await w.live();
    expect(Object.values(await w.served()).map((r) => r.tax)).toEqual(Array(7).fill('17.50'));
  });

  it('builds, and rehearses clean', async () => {
    release = await w.rehearsed(vatFix(range));
    const checks = await rows(
      t.db,
      sql`select name, verdict, figure, expected from control.check_result order by position`,
    );
    expect(checks.filter((c) => (c as { verdict: string }).verdict !== 'passed')).toEqual([]);
  });

  it('catches up with what came since, and reconciles at the barrier', async () => {
    await w.append([
      event({ line: 'l5', at: day(5), price: '200.00', revision: 2 }),
      event({ line: 'l6', at: day(6), revision: 2, op: 'delete' }),
      event({ line: 'l7', at: day(9), price: '100.00', revision: 2 }),
      event({ line: 'l2', at: day(4, 9), price: '100.00', revision: 2 }),
    ]);
    await w.live();
    await w.reconciled(release);
    expect(await w.state(release)).toBe('RECONCILED');
  });

  it('moves every reader at once', async () => {
    await w.append([event({ line: 'late', at: day(5), price: '10.00' })]);
    await w.sign(release);
    await w.move('dee', 'activate', release);
    const before = await w.served();
    expect(before.late).toBeUndefined();
    expect([
      before.l2?.tax,
      before.l3?.tax,
      before.l4?.tax,
      before.l5?.tax,
      before.l7?.tax,
      before.l8?.tax,
    ]).toEqual(['20.00', '17.50', '20.00', '40.00', '17.50', '17.50']);
    expect(before.l6).toBeUndefined();
    await w.live();
    expect((await w.served()).late?.tax).toBe('2.00');
  });

  it('goes back, and keeps what was written since', async () => {
    await w.append([
      event({ line: 'l4', at: day(4), revision: 2, op: 'delete' }),
      event({ line: 'l3', at: day(3), price: '50.00', revision: 2 }),
    ]);
    await w.live();
    await w.move('dee', 'rollback', release);
    await w.work(release);
    expect(await w.state(release)).toBe('ROLLED_BACK');
    const served = await w.served();
    expect(Object.fromEntries(Object.entries(served).map(([k, r]) => [k, r.tax]))).toEqual({
      l2: '17.50',
      l3: '8.75',
      l5: '35.00',
      l7: '17.50',
      l8: '17.50',
      late: '1.75',
    });
  });
});
