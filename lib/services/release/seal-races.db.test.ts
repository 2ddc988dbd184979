import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { affected, type Database, one } from '@/lib/db/client';
import { applyLive } from '@/lib/services/apply/apply-live';
import { race } from '@/lib/testing/race';
import { refusedIn } from '@/lib/testing/refusal';
import { by, day, fix, idOf, ingress, moveAs, openShop, type Shop } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let shop: Shop;
let week = '';
let before = '';

beforeAll(async () => {
  shop = await openShop();
  week = await shop.w.rehearsed(fix());
  before = await shop.w.rehearsed(
    fix({
      release: 'before',
      targetGeneration: 'before-g',
      range: { from: '2011-01-02T00:00:00Z', to: '2011-01-04T00:00:00Z' },
    }),
  );
});
afterAll(() => shop.t.close());

let next = 0;
const sealAs = (db: Database, release: string) =>
  moveAs(by(db, 'dee', ['oncall']), 'seal', release);
const live = (db: Database) => applyLive(db, 'order_tax', null, { wait: true });
const append = () => shop.w.append([event({ line: `n${++next}`, at: day(5), price: '10.00' })]);

/** Both releases are built and rehearsed, and ingress is open. */
beforeEach(async () => {
  for (const release of [week, before]) {
    if ((await shop.w.state(release)) !== 'BUILDING') await shop.w.move('dee', 'reopen', release);
  }
  await shop.w.live();
  await append();
});

describe.each([
  ['the week first', () => [week, before] as const],
  ['the days before it first', () => [before, week] as const],
])('seal against seal of a disjoint range, %s', (_, order) => {
  it('lets one win and tells the other', async () => {
    const [winner, loser] = order();
    const { first, second } = await race(
      shop.t.url,
      (db) => sealAs(db, winner),
      (db) => sealAs(db, loser),
    );
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toEqual({
      status: 409,
      code: 'EPOCH_SEALED',
      codes: ['EPOCH_SEALED'],
    });
    expect([await shop.w.state(winner), await shop.w.state(loser)]).toEqual([
      'INGRESS_SEALED',
      'BUILDING',
    ]);
    expect(await ingress(shop.t.db)).toMatchObject({
      state: 'SEALED',
      sealer: `release:${await idOf(shop.t.db, winner)}`,
    });
  });
});

describe('a seal past its time', () => {
  const expire = () =>
    affected(
      shop.t.db,
      sql`update control.registry set sealed_until = clock_timestamp() - interval '1 second'`,
    );

  it('is reopened by any applier that meets it, once', async () => {
    await shop.w.reconciled(week);
    await shop.w.sign(week);
    const { epoch } = await ingress(shop.t.db);
    await expire();
    const { first, second } = await race(
      shop.t.url,
      (db) => live(db),
      (db) => live(db),
    );
    expect(first).toMatchObject({ value: { kind: 'reopened', epoch: epoch + 1 } });
    expect(second).toMatchObject({ value: { kind: 'applied', epoch: epoch + 1 } });
    expect(await ingress(shop.t.db)).toEqual({
      epoch: epoch + 1,
      state: 'OPEN',
      active: 'order_tax-g1',
      sealer: null,
    });
    expect(await shop.w.state(week)).toBe('BUILDING');
    const audit = await one(
      shop.t.db,
      sql`select actor, verb, reason from control.audit_event where chain = 'dataset:order_tax'
        order by seq desc limit 1`,
    );
    expect(audit).toEqual({
      actor: 'runner',
      verb: 'release.reopen',
      reason: 'sealed for longer than allowed',
    });
  });

  it('is lost to the cutover where the cutover comes first in time', async () => {
    await shop.w.reconciled(week);
    await shop.w.sign(week);
    const { first, second } = await race(
      shop.t.url,
      (db) => moveAs(by(db, 'dee', ['oncall']), 'activate', week),
      (db) => live(db),
    );
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ value: { kind: 'applied' } });
    expect((await shop.w.served())[`n${next}`]?.tax).toBe('2.00');
  });
});
