import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, one, rows } from '@/lib/db/client';
import { onStep } from '@/lib/db/step';
import { fix, idOf, line, openShop, type Shop } from '@/lib/testing/shop';
import { advance } from './advance';

let shop: Shop;
let release = '';
let id = '';
let stop: () => void = () => {};
beforeEach(async () => {
  shop = await openShop();
  release = await shop.w.rehearsed(fix());
  id = await idOf(shop.t.db, release);
});
afterEach(async () => {
  stop();
  await shop.t.close();
});

const standing = () =>
  one<{ state: string; evidence: string | null; sealed: number | null }>(
    shop.t.db,
    sql`select state, evidence, sealed_epoch as sealed from control.release where id = ${id}`,
  );

/**
 * A worker stands still just before its comparison's verdict. Meanwhile its lease ends, ingress is
 * reopened, events arrive, and the release is sealed again and brought to the new barrier, where the
 * next worker dies. Then the first one wakes up.
 */
async function wakeUpUnderTheNextSeal(meanwhile: () => Promise<void>): Promise<void> {
  let times = 0;
  stop = onStep(async (name) => {
    if (name !== 'reconcile.before-verdict') return;
    times += 1;
    if (times > 1) throw new Error('the second worker dies here');
    await affected(shop.t.db, sql`delete from control.step_lease`);
    await shop.w.move('dee', 'reopen', release);
    await meanwhile();
    await shop.w.move('dee', 'seal', release);
    await advance(shop.t.db, id, 'second').catch(() => {});
    expect(await standing()).toMatchObject({ state: 'CAUGHT_UP', evidence: null, sealed: 2 });
  });
  await shop.w.move('dee', 'seal', release);
  await advance(shop.t.db, id, 'first');
  expect(times).toBe(2);
  stop();
}

describe('a comparison whose worker stood still while ingress was reopened and sealed again', () => {
  it('does not become the evidence of the next barrier', async () => {
    await wakeUpUnderTheNextSeal(async () => {
      await shop.w.append([line(5, { price: '70.00', revision: 2 })]);
      await shop.w.live();
    });
    expect(await standing()).toMatchObject({ state: 'CAUGHT_UP', evidence: null, sealed: 2 });
    await affected(shop.t.db, sql`delete from control.step_lease`);
    await shop.w.work(release);
    expect((await standing()).state).toBe('RECONCILED');
    // what is signed is the comparison that was made at this barrier
    const [last] = await rows<{ id: string }>(
      shop.t.db,
      sql`select id from control.reconciliation where verdict = 'passed' order by id desc limit 1`,
    );
    const audit = await one<{ after: { reconciliation: string } }>(
      shop.t.db,
      sql`select after from control.audit_event where verb = 'release.reconciled'`,
    );
    expect(String(audit.after.reconciliation)).toBe(last?.id);
  });

  it('does not stop the release under the next seal either, where it failed', async () => {
    await wakeUpUnderTheNextSeal(async () => {
      await affected(
        shop.t.db,
        sql`update control.reconciliation_partition set unexplained = 1
          where reconciliation = (select max(id) from control.reconciliation)`,
      );
    });
    expect(await standing()).toMatchObject({ state: 'CAUGHT_UP', sealed: 2 });
  });
});
