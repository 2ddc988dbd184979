import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, rows } from '@/lib/db/client';
import { Scenario } from '@/lib/faults/support/scenario';
import { setRoles } from '@/lib/services/people';
import { race } from '@/lib/testing/race';
import { refusedIn } from '@/lib/testing/refusal';
import { by, day, ingress, moveAs } from '@/lib/testing/shop';
import { as, event } from '@/lib/testing/world';

let s: Scenario;
let release = '';

/** A release that is signed and ready to be cut over. */
beforeEach(async () => {
  s = await Scenario.open();
  release = await s.rehearsed();
  await s.signed(release);
  await s.expectServed('order_tax-g1');
});
afterEach(() => s.t.close());

const activate = (db: Database) => moveAs(by(db, 'dee', ['oncall']), 'activate', release);
const hold = (db: Database) =>
  moveAs(by(db, 'bo', ['approver']), 'hold', release, { reason: 'stop' });
const reject = (db: Database) =>
  moveAs(by(db, 'bo', ['approver']), 'reject', release, { comment: 'no' });
const dismiss = (db: Database) => setRoles(as(db, 'root'), { person: 'bo', roles: ['auditor'] });

const old = { epoch: 1, state: 'SEALED', active: 'order_tax-g1' };
const switched = { epoch: 2, state: 'OPEN', active: 'vat-fix-g2', sealer: null };
const cutovers = () => rows(s.db, sql`select epoch_before as epoch from control.cutover`);

async function expectSwitched() {
  expect(await ingress(s.db)).toEqual(switched);
  expect(await s.w.state(release)).toBe('ACTIVE');
  await s.expectAll('vat-fix-g2');
  expect(await cutovers()).toEqual([{ epoch: 1 }]);
}

describe('cutover against hold', () => {
  it('the cutover first: there is nothing left to hold', async () => {
    const { first, second } = await race(s.t.url, activate, hold);
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toMatchObject({ status: 409, code: 'WRONG_STATE' });
    await expectSwitched();
    expect(await rows(s.db, sql`select 1 from control.release where held_at is not null`)).toEqual(
      [],
    );
  });

  it('the hold first: the cutover is refused', async () => {
    const { first, second } = await race(s.t.url, hold, activate);
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toEqual({ status: 409, code: 'HELD', codes: ['HELD'] });
    expect(await ingress(s.db)).toMatchObject(old);
    await s.expectServed('order_tax-g1');
    expect(await cutovers()).toEqual([]);
    await s.w.move('bo', 'unhold', release);
    await activate(s.db);
    await expectSwitched();
  });
});

describe('cutover against the loss of a signer’s role', () => {
  it('the cutover first: the role is lost after it', async () => {
    const { first, second } = await race(s.t.url, activate, dismiss);
    expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
    await expectSwitched();
  });

  it('the loss first: the cutover is short of a signature', async () => {
    const { first, second } = await race(s.t.url, dismiss, activate);
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toEqual({
      status: 409,
      code: 'APPROVALS_MISSING',
      codes: ['APPROVALS_MISSING'],
    });
    expect(await ingress(s.db)).toMatchObject(old);
    await s.expectServed('order_tax-g1');
  });
});

describe('cutover against rejection', () => {
  it('the cutover first: there is nothing left to reject', async () => {
    const { first, second } = await race(s.t.url, activate, reject);
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toMatchObject({ code: 'WRONG_STATE' });
    await expectSwitched();
  });

  it('the rejection first: ingress is open again on the old generation, the candidate dropped', async () => {
    await s.append([event({ line: 'tail', at: day(5), price: '10.00' })]);
    const { first, second } = await race(s.t.url, reject, activate);
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toMatchObject({ status: 409, code: 'WRONG_STATE' });
    expect(await s.w.state(release)).toBe('REJECTED');
    expect(await ingress(s.db)).toEqual({
      epoch: 2,
      state: 'OPEN',
      active: 'order_tax-g1',
      sealer: null,
    });
    await s.w.live();
    await s.expectAll('order_tax-g1');
    await s.w.work(release);
    expect(
      await rows(s.db, sql`select state from control.generation where name = 'vat-fix-g2'`),
    ).toEqual([{ state: 'retired' }]);
    expect(await rows(s.db, sql`select distinct _segment from ds_order_tax.rows`)).toHaveLength(1);
  });
});
