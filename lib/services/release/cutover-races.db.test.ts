import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, rows } from '@/lib/db/client';
import { applyLive } from '@/lib/services/apply/apply-live';
import { race } from '@/lib/testing/race';
import { by, day, fix, ingress, moveAs, openShop, type Shop } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let shop: Shop;
let release = '';

/** A release that is signed and ready to be cut over. */
beforeEach(async () => {
  shop = await openShop();
  release = await shop.w.rehearsed(fix());
  await shop.w.reconciled(release);
  await shop.w.sign(release);
});
afterEach(() => shop.t.close());

const activate = (db: Database) => moveAs(by(db, 'dee', ['oncall']), 'activate', release);

const switched = { epoch: 2, state: 'OPEN', active: 'vat-fix-g2', sealer: null };
const taxes = async () => Object.values(await shop.w.served()).map((row) => row.tax);
const after = ['17.50', '17.50', '20.00', '20.00', '20.00', '20.00', '17.50'];
const cutovers = () => rows(shop.t.db, sql`select epoch_before as epoch from control.cutover`);

async function expectSwitched() {
  expect(await ingress(shop.t.db)).toEqual(switched);
  expect(await shop.w.state(release)).toBe('ACTIVE');
  expect(await taxes()).toEqual(after);
  expect(await cutovers()).toEqual([{ epoch: 1 }]);
}

describe('cutover against cutover', () => {
  it('switches once, and tells both that it is done', async () => {
    const { first, second } = await race(shop.t.url, activate, (db) =>
      moveAs(by(db, 'ona', ['oncall']), 'activate', release),
    );
    expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
    await expectSwitched();
    expect(
      await rows(
        shop.t.db,
        sql`select actor from control.audit_event where verb = 'release.activate' and outcome = 'done'`,
      ),
    ).toEqual([{ actor: 'dee' }]);
  });
});

describe('cutover against live apply', () => {
  it('the apply that waited for the cutover goes to the new generation, by its transforms', async () => {
    await shop.w.append([
      event({ line: 'in', at: day(5), price: '10.00' }),
      event({ line: 'out', at: day(9), price: '10.00' }),
    ]);
    const { first, second } = await race(shop.t.url, activate, (db) =>
      applyLive(db, 'order_tax', null, { wait: true }),
    );
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ value: { kind: 'applied', epoch: 2, applied: { scanned: 2 } } });
    const served = await shop.w.served();
    expect([served.in?.tax, served.out?.tax]).toEqual(['2.00', '1.75']);
    const [left] = await rows(
      shop.t.db,
      sql`select c.barrier = p.offsets as untouched from control.cutover c
        join control.generation_progress p on p.generation = c.from_generation`,
    );
    expect(left).toEqual({ untouched: true });
  });

  it('the apply first: it meets the seal and leaves everything to the cutover', async () => {
    await shop.w.append([event({ line: 'in', at: day(5), price: '10.00' })]);
    const { first, second } = await race(
      shop.t.url,
      (db) => applyLive(db, 'order_tax', 1, { wait: true }),
      activate,
    );
    expect(first).toMatchObject({ value: { kind: 'sealed', epoch: 1 } });
    expect(second.status).toBe('fulfilled');
    await expectSwitched();
  });
});
