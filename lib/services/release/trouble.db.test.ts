import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { one, rows } from '@/lib/db/client';
import { claimPartition, settleAttempt } from '@/lib/db/statements/attempt';
import { transaction } from '@/lib/db/transaction';
import { applyLive } from '@/lib/services/apply/apply-live';
import { buildPartition } from '@/lib/services/steps/build-partition';
import { sweep } from '@/lib/services/steps/sweep';
import { race } from '@/lib/testing/race';
import { refusalOf } from '@/lib/testing/refusal';
import { by, day, fix, idOf, ingress, line, moveAs, openShop, type Shop } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.t.close());

const trouble = () =>
  rows(
    shop.t.db,
    sql`select state, trouble_step as step, trouble_code as code, trouble_from as "from",
      evidence, barrier from control.release`,
  );
const open = { epoch: 2, state: 'OPEN', active: 'order_tax-g1', sealer: null };

describe('a reconciliation that fails at the barrier', () => {
  let release = '';
  /** The rule explains twenty percent; a line of the tail comes to something else. */
  beforeEach(async () => {
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
  });

  it('names what does not agree, and reopens ingress in the same transaction', async () => {
    expect(await trouble()).toEqual([
      {
        state: 'RECONCILIATION_REQUIRED',
        step: 'reconcile',
        code: 'CHECK_FAILED',
        from: 'CAUGHT_UP',
        evidence: null,
        barrier: null,
      },
    ]);
    expect(await ingress(shop.t.db)).toEqual(open);
    await shop.w.append([event({ line: 'after', at: day(6), price: '10.00' })]);
    await shop.w.live();
    expect((await shop.w.served()).after?.tax).toBe('1.75');
  });

  it('blocks every forward move by its name', async () => {
    for (const [person, move, body] of [
      ['ana', 'build', {}],
      ['dee', 'rehearse', {}],
      ['dee', 'seal', {}],
      ['bo', 'approve', { evidence: 'sha256:x' }],
      ['dee', 'activate', {}],
      ['dee', 'rollback', {}],
    ] as const) {
      const refused = await refusalOf(shop.w.move(person, move, release, body));
      expect([move, refused.codes]).toEqual([
        move,
        expect.arrayContaining(['RECONCILIATION_REQUIRED']),
      ]);
      expect(refused.code).toBe('RECONCILIATION_REQUIRED');
    }
  });

  it('is left by a decision with a reason about that very step, which finds it repaired', async () => {
    expect(
      (await refusalOf(shop.w.move('ana', 'retry', release, { step: 'reconcile' }))).code,
    ).toBe('COMMENT_REQUIRED');
    const other = { step: 'build', reason: 'try' };
    expect((await refusalOf(shop.w.move('ana', 'retry', release, other))).code).toBe(
      'CHANGED_SINCE_SEEN',
    );
    await shop.w.append([line(5, { revision: 3 })]);
    await shop.w.live();
    await shop.w.move('ana', 'retry', release, {
      step: 'reconcile',
      reason: 'the line was corrected',
    });
    await shop.w.work(release);
    expect(await shop.w.state(release)).toBe('BUILDING');
    await shop.w.reconciled(release);
    expect(await shop.w.state(release)).toBe('RECONCILED');
  });

  it('is left by abandoning, which leaves no row of the candidate', async () => {
    await shop.w.move('ana', 'abandon', release, { reason: 'another way' });
    await shop.w.work(release);
    expect(await shop.w.state(release)).toBe('ABANDONED');
    expect(
      await rows(shop.t.db, sql`select distinct _segment from ds_order_tax.rows`),
    ).toHaveLength(1);
    expect(await ingress(shop.t.db)).toEqual(open);
  });
});

describe('abandoning', () => {
  it('while partitions are being built drains them: no claim after it, nothing left of them', async () => {
    const release = await shop.w.draft(fix());
    await shop.w.move('ana', 'pin', release);
    await shop.w.work(release);
    await shop.w.move('ana', 'build', release);
    const id = await idOf(shop.t.db, release);
    const claim = () => transaction(shop.t.db, (tx) => claimPartition(tx, id, 'w', 30));
    const [one1, two] = [await claim(), await claim()];
    if (one1.kind !== 'claimed' || two.kind !== 'claimed') throw new Error('nothing to claim');

    await shop.w.move('dee', 'abandon', release);
    expect(await claim()).toEqual({ kind: 'none', why: 'not building' });
    const draining = () =>
      rows(
        shop.t.db,
        sql`select x.draining, g.state from control.release x
        join control.generation g on g.id = x.generation`,
      );
    await shop.w.work(release);
    expect(await draining()).toEqual([{ draining: true, state: 'hidden' }]);
    // one ends its work, the other is given up
    expect(await buildPartition(shop.t.db, one1.attempt)).toMatchObject({ kind: 'accepted' });
    await settleAttempt(shop.t.db, two.attempt, 'cancelled', null);
    await shop.w.work(release);
    expect(await draining()).toEqual([{ draining: false, state: 'retired' }]);
    expect(
      await rows(shop.t.db, sql`select distinct _segment from ds_order_tax.rows`),
    ).toHaveLength(1);
  });

  it('of a sealed release reopens ingress: whoever applied beside it goes on', async () => {
    const release = await shop.w.rehearsed(fix());
    await shop.w.reconciled(release);
    await shop.w.append([event({ line: 'tail', at: day(5), price: '10.00' })]);
    const { second } = await race(
      shop.t.url,
      (db) => moveAs(by(db, 'dee', ['oncall']), 'abandon', release),
      (db) => applyLive(db, 'order_tax', null, { wait: true }),
    );
    expect(second).toMatchObject({ value: { kind: 'applied', epoch: 2 } });
    expect((await shop.w.served()).tail?.tax).toBe('1.75');
  });
});

describe('the sweeper', () => {
  it('asks again for every release that has something due, whatever became of its jobs', async () => {
    const release = await shop.w.rehearsed(fix());
    await shop.w.move('dee', 'seal', release);
    await shop.t.db.execute(
      sql`select graphile_worker.remove_job(key) from graphile_worker.jobs where key is not null`,
    );
    expect((await sweep(shop.t.db)).due).toBe(1);
    const { queued } = await one<{ queued: number }>(
      shop.t.db,
      sql`select count(*)::int as queued from graphile_worker.jobs where key = ${`advance:${await idOf(shop.t.db, release)}`}`,
    );
    expect(queued).toBe(1);
  });
});
