import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, one } from '@/lib/db/client';
import { TROUBLES } from '@/lib/domain/trouble';
import { refusalOf } from '@/lib/testing/refusal';
import { day, fix, ingress, line, openShop, type Shop } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let shop: Shop;
let release = '';
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.t.close());

/** The log from below what is still needed is gone, which pruning would never do. */
async function loseLog(): Promise<void> {
  await affected(shop.t.db, sql`delete from control.source_event`);
  await affected(shop.t.db, sql`update control.source_shard set retained_from = last_offset + 1`);
}

/** Each way in, as its step and code; answers whether the release was cut over. */
const ways: Record<string, () => Promise<{ cutOver: boolean }>> = {
  'build RECEIPT_CONFLICT': async () => {
    release = await shop.w.draft(fix());
    await shop.w.move('ana', 'pin', release);
    await shop.w.move('ana', 'build', release);
    await shop.w.work(release);
    await affected(
      shop.t.db,
      sql`update src_orders.snapshot_row set unit_price = 7 where _source_key = 'l5'`,
    );
    await affected(
      shop.t.db,
      sql`update control.release_partition set state = 'planned' where start_at = '2011-01-05'`,
    );
    await shop.w.work(release);
    return { cutOver: false };
  },
  'catch-up BUFFER_OVER_LIMIT': async () => {
    release = await shop.w.rehearsed(
      fix({ budget: { maxLiveLagSeconds: 3600, maxBufferedEvents: 1 } }),
    );
    await shop.w.move('dee', 'seal', release);
    await shop.w.append([line(2, { revision: 2 }), line(3, { revision: 2 })]);
    await shop.w.work(release);
    return { cutOver: false };
  },
  'catch-up SNAPSHOT_EXPIRED': async () => {
    release = await shop.w.rehearsed(fix());
    await shop.w.append([line(5, { revision: 2 })]);
    await shop.w.live();
    await shop.w.move('dee', 'seal', release);
    await loseLog();
    await shop.w.work(release);
    return { cutOver: false };
  },
  'reconcile CHECK_FAILED': async () => {
    release = await shop.w.rehearsed(
      fix({
        transform: {
          new: {
            sql: `select line, invoiced_at, country, quantity * unit_price as net,
              case country when 'FR' then 1.00 else round(quantity * unit_price * 0.20, 2) end as tax from source`,
          },
        },
      }),
    );
    await shop.w.append([line(5, { country: 'FR', revision: 2 })]);
    await shop.w.live();
    await shop.w.move('dee', 'seal', release);
    await shop.w.work(release);
    return { cutOver: false };
  },
  'reconcile CHECK_INCOMPLETE': async () => {
    release = await shop.w.rehearsed(
      fix({
        expectedDiff: [{ rule: 'vat-20', where: '1 / (old.net - 50) <> 0', columns: ['tax'] }],
      }),
    );
    await shop.w.append([line(5, { price: '50.00', revision: 2 })]);
    await shop.w.live();
    await shop.w.move('dee', 'seal', release);
    await shop.w.work(release);
    return { cutOver: false };
  },
  'replay SNAPSHOT_EXPIRED': async () => {
    release = await shop.w.rehearsed(fix());
    await shop.w.reconciled(release);
    await shop.w.sign(release);
    await shop.w.move('dee', 'activate', release);
    await shop.w.append([line(5, { revision: 2 })]);
    await shop.w.live();
    await shop.w.move('dee', 'rollback', release);
    await loseLog();
    await shop.w.work(release);
    return { cutOver: true };
  },
};

it('each way in is tried here', () => {
  expect(Object.keys(ways).sort()).toEqual(TROUBLES.map((t) => `${t.step} ${t.code}`).sort());
});

const forward = [
  ['ana', 'build', {}],
  ['dee', 'rehearse', {}],
  ['dee', 'seal', {}],
  ['bo', 'approve', { evidence: 'sha256:x' }],
  ['dee', 'activate', {}],
] as const;

describe.each(Object.entries(ways))('%s', (name, come) => {
  it('is named, opens ingress, blocks every forward move, and is left by giving up', async () => {
    const { cutOver } = await come();
    const [step, code] = name.split(' ');
    const found = await one<Record<string, string>>(
      shop.t.db,
      sql`select state, trouble_step as step, trouble_code as code, trouble_why as why,
          trouble_from as "from" from control.release`,
    );
    expect(found).toMatchObject({ state: 'RECONCILIATION_REQUIRED', step, code });
    expect(found.why).not.toBe('');
    expect(await ingress(shop.t.db)).toMatchObject({
      state: 'OPEN',
      sealer: null,
      active: cutOver ? 'vat-fix-g2' : 'order_tax-g1',
    });
    for (const [person, move, body] of forward) {
      const refused = await refusalOf(shop.w.move(person, move, release, body));
      expect([move, refused.code]).toEqual([move, 'RECONCILIATION_REQUIRED']);
    }
    // live writing goes on
    await shop.w.append([event({ line: 'after', at: day(6), price: '10.00' })]);
    await shop.w.live();
    expect((await shop.w.served()).after?.tax).toBe(cutOver ? '2.00' : '1.75');
    if (cutOver) {
      // the way back is closed, and says so before the button
      const refused = await refusalOf(shop.w.move('dee', 'rollback', release));
      expect(refused.code).toBe('RECONCILIATION_REQUIRED');
    } else {
      await shop.w.move('ana', 'abandon', release, { reason: 'another way' });
      expect(await shop.w.state(release)).toBe('ABANDONED');
    }
  });

  it('is left by running that very step again, with a reason', async () => {
    const { cutOver } = await come();
    const [step] = name.split(' ');
    const wrong = { step: step === 'build' ? 'replay' : 'build', reason: 'try' };
    expect((await refusalOf(shop.w.move('ana', 'retry', release, wrong))).code).toBe(
      'CHANGED_SINCE_SEEN',
    );
    expect((await refusalOf(shop.w.move('ana', 'retry', release, { step }))).code).toBe(
      'COMMENT_REQUIRED',
    );
    await shop.w.move('ana', 'retry', release, { step, reason: 'it was put right' });
    expect(await shop.w.state(release)).toBe(cutOver ? 'ACTIVE' : 'BUILDING');
    const audit = await one(
      shop.t.db,
      sql`select actor, reason from control.audit_event where verb = 'release.retry' and outcome = 'done'`,
    );
    expect(audit).toEqual({ actor: 'ana', reason: 'it was put right' });
  });
});
