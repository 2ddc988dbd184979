import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import { lockRegistry } from '@/lib/db/statements/registry';
import { transaction } from '@/lib/db/transaction';
import { applyLive } from '@/lib/services/apply/apply-live';
import { race } from '@/lib/testing/race';
import { refusalOf, refusedIn } from '@/lib/testing/refusal';
import { by, day, fix, idOf, ingress, line, moveAs, openShop, type Shop } from '@/lib/testing/shop';
import { event, taxSql } from '@/lib/testing/world';
import { lockRelease } from './load';
import { enterTrouble } from './trouble';

let shop: Shop;
let first = '';
let next = '';

/** `first` serves; `next`, built on it, is rehearsed and may seal. */
beforeEach(async () => {
  shop = await openShop();
  const { w } = shop;
  first = await w.rehearsed(fix());
  await w.reconciled(first);
  await w.sign(first);
  await w.move('dee', 'activate', first);
  next = await w.rehearsed(
    fix({
      release: 'next',
      targetGeneration: 'next-g',
      transform: { new: { sql: taxSql('0.25') } },
      expectedDiff: [
        { rule: 'more', where: 'new.tax = round(old.net * 0.25, 2)', columns: ['tax'] },
      ],
    }),
  );
});
afterEach(() => shop.t.close());

const rollback = (db: Database) => moveAs(by(db, 'dee', ['oncall']), 'rollback', first);
const taxes = async () => Object.values(await shop.w.served()).map((row) => row.tax);
const bug = ['17.50', '17.50', '17.50', '17.50', '17.50', '17.50', '17.50'];
const rollbacks = () => rows(shop.t.db, sql`select state from control.rollback order by id`);

describe('a rollback', () => {
  it('is only of the release whose generation is in use', async () => {
    await shop.w.reconciled(next);
    await shop.w.sign(next);
    await shop.w.move('dee', 'activate', next);
    expect(await refusalOf(rollback(shop.t.db))).toMatchObject({ code: 'NOT_SERVING' });
    expect(await rollbacks()).toEqual([]);
    // the newest is, and after it the one before
    await shop.w.move('dee', 'rollback', next);
    await shop.w.work(next);
    await rollback(shop.t.db);
    await shop.w.work(first);
    expect(await taxes()).toEqual(bug);
    expect([await shop.w.state(next), await shop.w.state(first)]).toEqual([
      'ROLLED_BACK',
      'ROLLED_BACK',
    ]);
  });

  it('is asked for once', async () => {
    const { first: asked, second } = await race(shop.t.url, rollback, rollback);
    expect(asked.status).toBe('fulfilled');
    expect(await refusedIn(second)).toMatchObject({ code: 'ROLLBACK_IN_PROGRESS' });
    expect(await rollbacks()).toHaveLength(1);
  });

  it('keeps what was written since the cutover: deleted, created again, new, moved', async () => {
    await shop.w.append([
      line(4, { revision: 2, op: 'delete' }),
      line(5, { revision: 2, op: 'delete' }),
      line(5, { revision: 3, price: '50.00' }),
      event({ line: 'l9', at: day(6), price: '10.00' }),
      line(2, { revision: 2, at: day(7, 3) }),
      line(7, { revision: 2, at: day(3, 3) }),
    ]);
    await shop.w.live();
    expect((await shop.w.served()).l7?.tax).toBe('17.50');
    await rollback(shop.t.db);
    await shop.w.append([event({ line: 'tail', at: day(6), price: '20.00' })]);
    await shop.w.live();
    await shop.w.work(first);
    await shop.w.live();
    const served = await shop.w.served();
    expect(Object.entries(served).map(([key, row]) => [key, row.tax])).toEqual([
      ['l2', '17.50'],
      ['l3', '17.50'],
      ['l5', '8.75'],
      ['l6', '17.50'],
      ['l7', '17.50'],
      ['l8', '17.50'],
      ['l9', '1.75'],
      ['tail', '3.50'],
    ]);
  });

  it('can be called off before its switch, and the next one goes on from there', async () => {
    await shop.w.append([line(5, { revision: 2, price: '50.00' })]);
    await shop.w.live();
    await rollback(shop.t.db);
    const { second } = await race(
      shop.t.url,
      (db) => moveAs(by(db, 'dee', ['oncall']), 'call-off', first),
      (db) => applyLive(db, 'order_tax', null, { wait: true }),
    );
    expect(second).toMatchObject({ value: { kind: 'applied' } });
    expect(await rollbacks()).toEqual([{ state: 'called_off' }]);
    expect(await ingress(shop.t.db)).toMatchObject({ state: 'OPEN', active: 'vat-fix-g2' });
    await shop.w.work(first);
    expect(await ingress(shop.t.db)).toMatchObject({ active: 'vat-fix-g2' });
    await rollback(shop.t.db);
    await shop.w.work(first);
    expect((await shop.w.served()).l5?.tax).toBe('8.75');
  });

  it('that stays sealed past its time fails and reopens on the generation in use', async () => {
    await rollback(shop.t.db);
    const { id, active } = await one<{ id: string; active: string }>(
      shop.t.db,
      sql`select rollback as id, active_generation as active from control.registry`,
    );
    await affected(
      shop.t.db,
      sql`update control.registry set state = 'SEALED', sealer = ${`rollback:${id}`},
        sealed_until = clock_timestamp() - interval '1 second',
        barrier = (select offsets from control.generation_progress where generation = ${active})`,
    );
    const epoch = (await ingress(shop.t.db)).epoch;
    expect(await applyLive(shop.t.db, 'order_tax', null)).toEqual({
      kind: 'reopened',
      epoch: epoch + 1,
    });
    expect(await rollbacks()).toEqual([{ state: 'failed' }]);
    expect(await shop.w.state(first)).toBe('ACTIVE');
    // and it can be asked for again
    await rollback(shop.t.db);
    await shop.w.work(first);
    expect(await shop.w.state(first)).toBe('ROLLED_BACK');
  });
});

describe('a release in trouble after its cutover', () => {
  beforeEach(async () => {
    await transaction(shop.t.db, async (tx) => {
      const registry = await lockRegistry(tx, 'order_tax');
      if (!registry) throw new Error('no registry');
      const release = await lockRelease(tx, await idOf(shop.t.db, first));
      await enterTrouble(tx, by(shop.t.db, 'runner', []), registry, release, {
        step: 'reconcile',
        code: 'CHECK_FAILED',
        why: 'a tail check failed',
      });
    });
  });

  it('is never abandoned, for its generation serves: it is rolled back, or retried', async () => {
    expect(await refusalOf(shop.w.move('dee', 'abandon', first))).toMatchObject({
      code: 'RECONCILIATION_REQUIRED',
    });
    await rollback(shop.t.db);
    await shop.w.work(first);
    expect(await shop.w.state(first)).toBe('ROLLED_BACK');
    expect(await taxes()).toEqual(bug);
  });
});
