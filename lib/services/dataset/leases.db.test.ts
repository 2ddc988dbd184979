import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import { grantLeaseOnce } from '@/lib/db/statements/lease';
import { transaction } from '@/lib/db/transaction';
import { endLease, grantLease, readRows } from '@/lib/services/dataset';
import { hide, retireBlockers, retireGenerations } from '@/lib/services/steps/retire';
import { race } from '@/lib/testing/race';
import { refusalOf } from '@/lib/testing/refusal';
import { by, fix, line, moveAs, openShop, type Shop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';

let shop: Shop;
let release = '';
let first = '';

/** A release that is ready to be cut over, and the id of the generation that it would replace. */
beforeEach(async () => {
  shop = await openShop();
  release = await shop.w.rehearsed(fix());
  await shop.w.reconciled(release);
  await shop.w.sign(release);
  const found = await one<{ active: string }>(
    shop.t.db,
    sql`select active_generation as active from control.registry`,
  );
  first = found.active;
});
afterEach(() => shop.t.close());

const reader = () => as(shop.t.db, 'reader');
const activate = (db: Database) => moveAs(by(db, 'dee', ['oncall']), 'activate', release);
const closeWindow = (db: Database) =>
  affected(
    db,
    sql`update control.generation set kept_until = clock_timestamp() - interval '1 second'
      where id = ${first}`,
  );
const stateOf = async (generation: string) => {
  const found = await one<{ state: string }>(
    shop.t.db,
    sql`select state from control.generation where id = ${generation}`,
  );
  return found.state;
};
const oldTaxes = ['17.50', '17.50', '17.50', '17.50', '17.50', '17.50', '17.50'];

describe('a pin against hiding', () => {
  const pins: [string, (db: Database) => Promise<string>][] = [
    [
      'read.pin',
      (db) =>
        transaction(db, async (tx) => {
          const { id } = await one<{ id: string }>(
            tx,
            sql`select read.pin('order_tax', interval '15 min') as id`,
          );
          return id;
        }),
    ],
    [
      'a lease of the API',
      (db) =>
        transaction(db, async (tx) => {
          const lease = await grantLeaseOnce(tx as unknown as Database, {
            dataset: 'order_tax',
            person: 'reader',
            seconds: 600,
            capSeconds: 3600,
          });
          return lease?.id ?? '';
        }),
    ],
  ];

  it.each(pins)(
    '%s first: the cutover passes, hiding waits, and then sees the lease',
    async (_, pin) => {
      const { first: pinned, second } = await race(shop.t.url, pin, async (db) => {
        // a reader's pin is never in the way of the cutover
        await activate(db);
        await closeWindow(db);
        return hide(db, 'order_tax', first);
      });
      expect(pinned).toMatchObject({
        status: 'fulfilled',
        value: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(second).toEqual({ status: 'fulfilled', value: true });
      expect(
        await transaction(shop.t.db, (tx) => retireBlockers(tx, 'order_tax', first)),
      ).toMatchObject([{ code: 'LEASES_OPEN', kind: 'wait' }]);
      expect(await retireGenerations(shop.t.db, 'order_tax')).toEqual([]);
      expect(await stateOf(first)).toBe('hidden');
      expect(await shop.w.state(release)).toBe('ACTIVE');
    },
  );

  it.each(pins)(
    'hiding first: %s that waited for it goes to the generation in use',
    async (_, pin) => {
      await activate(shop.t.db);
      // as if cutover and hiding were one: the pin's snapshot still sees the old generation in use
      await affected(shop.t.db, sql`update control.registry set active_generation = ${first}`);
      await affected(
        shop.t.db,
        sql`update control.generation set state = case when id = ${first} then 'retired' else 'kept' end`,
      );
      await affected(
        shop.t.db,
        sql`update control.generation set state = 'serving' where id = ${first}`,
      );
      const hiding = (db: Database) =>
        transaction(db, async (tx) => {
          await tx.execute(sql`select 1 from control.generation where id = ${first} for update`);
          await tx.execute(sql`update control.generation set state = 'hidden' where id = ${first}`);
          await tx.execute(
            sql`update control.generation set state = 'serving' where id <> ${first}`,
          );
          await tx.execute(sql`update control.registry set active_generation = (
          select id from control.generation where id <> ${first})`);
        });
      const { second } = await race(shop.t.url, hiding, pin);
      expect(second.status).toBe('fulfilled');
      expect(
        await rows(shop.t.db, sql`select 1 from control.lease where generation = ${first}`),
      ).toEqual([]);
    },
  );
});

describe('a lease', () => {
  it('reads one generation from the first page to the last, across cutover, hiding and live writes', async () => {
    const page = await readRows(reader(), { dataset: 'order_tax', limit: 2 });
    expect(page.generation).toBe('order_tax-g1');
    await activate(shop.t.db);
    await shop.w.append([line(8, { price: '1.00', revision: 2 })]);
    await shop.w.live();
    await closeWindow(shop.t.db);
    await retireGenerations(shop.t.db, 'order_tax');
    expect(await stateOf(first)).toBe('hidden');

    const read = [...page.rows];
    for (let cursor = page.nextCursor; cursor !== null; ) {
      const next = await readRows(reader(), { dataset: 'order_tax', limit: 2, cursor });
      expect(next.generation).toBe('order_tax-g1');
      read.push(...next.rows);
      cursor = next.nextCursor;
    }
    expect(read.map((row) => row.tax)).toEqual(oldTaxes);
    // whoever comes without a lease reads what is served
    const fresh = await readRows(reader(), { dataset: 'order_tax' });
    expect(fresh.generation).toBe('vat-fix-g2');
    expect(fresh.rows.map((row) => row.tax)).toContain('20.00');
  });

  it('keeps a hidden generation from being retired until it ends, and then nothing of it is left', async () => {
    const lease = await grantLease(reader(), { dataset: 'order_tax', seconds: 600 });
    await activate(shop.t.db);
    await closeWindow(shop.t.db);
    expect(await retireGenerations(shop.t.db, 'order_tax')).toEqual([]);
    const until = await one(shop.t.db, sql`select until from control.lease where id = ${lease.id}`);
    const read = await readRows(reader(), { dataset: 'order_tax', lease: lease.id });
    expect(read.rows.map((row) => row.tax)).toEqual(oldTaxes);
    // reading on renews no lease of a generation that is on its way out
    expect(
      await one(shop.t.db, sql`select until from control.lease where id = ${lease.id}`),
    ).toEqual(until);

    expect((await refusalOf(endLease(as(shop.t.db, 'eve'), { id: lease.id }))).code).toBe(
      'FORBIDDEN',
    );
    await endLease(reader(), { id: lease.id });
    expect(
      await refusalOf(readRows(reader(), { dataset: 'order_tax', lease: lease.id })),
    ).toMatchObject({
      status: 410,
      code: 'LEASE_ENDED',
    });
    expect(await retireGenerations(shop.t.db, 'order_tax')).toEqual(['order_tax-g1']);
    expect(await shop.w.state(release)).toBe('RETIRED');
    const gone = readRows(reader(), { dataset: 'order_tax', generation: 'order_tax-g1' });
    expect(await refusalOf(gone)).toMatchObject({ status: 410, code: 'GENERATION_GONE' });
    expect(Object.values(await shop.w.served()).map((row) => row.tax)).toEqual([
      '17.50',
      '17.50',
      '20.00',
      '20.00',
      '20.00',
      '20.00',
      '17.50',
    ]);
    expect(await refusalOf(shop.w.move('dee', 'rollback', release))).toMatchObject({
      code: 'ROLLBACK_WINDOW_CLOSED',
    });
  });

  it('is not needed by a transaction that sees one snapshot: it reads whole across cutover and retiring', async () => {
    const session = shop.t.connect('tool', 1);
    const taxes = await transaction(
      session,
      async (tx) => {
        await rows(tx, sql`select 1 from control.setting`);
        await activate(shop.t.db);
        await closeWindow(shop.t.db);
        expect(await retireGenerations(shop.t.db, 'order_tax')).toEqual(['order_tax-g1']);
        return rows<{ tax: string }>(tx, sql`select tax from read.order_tax order by line`);
      },
      { isolation: 'repeatable read' },
    );
    expect(taxes.map((row) => row.tax)).toEqual(oldTaxes);
  });

  it('that ran out is LEASE_ENDED in the middle of a reading, never an empty page', async () => {
    const page = await readRows(reader(), { dataset: 'order_tax', limit: 2 });
    await affected(
      shop.t.db,
      sql`update control.lease set until = clock_timestamp() - interval '1 second'`,
    );
    const next = readRows(reader(), {
      dataset: 'order_tax',
      limit: 2,
      cursor: page.nextCursor ?? '',
    });
    expect(await refusalOf(next)).toMatchObject({ status: 410, code: 'LEASE_ENDED' });
  });

  it('is renewed by reading, up to its cap', async () => {
    const lease = await grantLease(reader(), { dataset: 'order_tax', seconds: 60 });
    const read = await readRows(reader(), { dataset: 'order_tax', lease: lease.id });
    const renewed = read.lease?.until ?? '';
    expect(renewed > lease.until).toBe(true);
    await affected(
      shop.t.db,
      sql`update control.lease set cap_until = until where id = ${lease.id}`,
    );
    const capped = await readRows(reader(), { dataset: 'order_tax', lease: lease.id });
    expect(capped.lease?.until).toBe(renewed);
  });

  it('of nobody, of another dataset or of a candidate is none', async () => {
    for (const lease of ['0'.repeat(64), first, 'vat-fix-g2']) {
      const read = readRows(reader(), { dataset: 'order_tax', lease });
      expect((await refusalOf(read)).code).toBe('LEASE_ENDED');
    }
    const candidate = readRows(reader(), { dataset: 'order_tax', generation: 'vat-fix-g2' });
    expect((await refusalOf(candidate)).code).toBe('GENERATION_GONE');
  });
});
