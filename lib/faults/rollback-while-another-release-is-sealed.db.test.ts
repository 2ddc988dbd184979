import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '@/lib/db/client';
import { rates } from '@/lib/faults/support/oracle';
import { Scenario, week } from '@/lib/faults/support/scenario';
import { race } from '@/lib/testing/race';
import { refusalOf, refusedIn } from '@/lib/testing/refusal';
import { by, ingress, line, moveAs } from '@/lib/testing/shop';
import { taxSql } from '@/lib/testing/world';

let s: Scenario;
let first = '';
let next = '';

/** `first` serves; `next`, built on it, is rehearsed and may seal. */
beforeEach(async () => {
  s = await Scenario.open();
  first = await s.activated();
  await s.write([line(5, { revision: 2, price: '50.00' })]);
  next = await s.rehearsed({
    release: 'next',
    targetGeneration: 'next-g',
    transform: { new: { sql: taxSql('0.25') } },
    expectedDiff: [{ rule: 'more', where: 'new.tax = round(old.net * 0.25, 2)', columns: ['tax'] }],
  });
  s.rates.set('next-g', rates({ ...week, rate: '0.25' }));
});
afterEach(() => s.t.close());

const rollback = (db: Database) => moveAs(by(db, 'dee', ['oncall']), 'rollback', first);
const seal = (db: Database) => moveAs(by(db, 'ona', ['oncall']), 'seal', next);

describe('a rollback while another release is sealed', () => {
  it('the request first: the seal is refused until the rollback is over, and then for good', async () => {
    const { first: asked, second } = await race(s.t.url, rollback, seal);
    expect(asked.status).toBe('fulfilled');
    expect(await refusedIn(second)).toEqual({
      status: 409,
      code: 'ROLLBACK_IN_PROGRESS',
      codes: ['ROLLBACK_IN_PROGRESS'],
    });
    await s.w.work(first);
    expect(await s.w.state(first)).toBe('ROLLED_BACK');
    await s.expectAll('order_tax-g1');
    expect(await refusalOf(seal(s.db))).toMatchObject({ code: 'GENERATION_MOVED' });
  });

  it('the seal first: the rollback ends it, and goes first', async () => {
    const { first: sealed, second } = await race(s.t.url, seal, rollback);
    expect([sealed.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await s.w.state(next)).toBe('BUILDING');
    expect(await ingress(s.db)).toMatchObject({ state: 'OPEN', epoch: 3, sealer: null });
    await s.w.work(next);
    expect(await s.w.state(next)).toBe('BUILDING');
    await s.w.work(first);
    expect(await s.w.state(first)).toBe('ROLLED_BACK');
    expect(await ingress(s.db)).toMatchObject({ active: 'order_tax-g1', epoch: 4 });
  });

  it('a signed release of another seal is not cut over while the rollback runs', async () => {
    await s.w.reconciled(next);
    await s.w.sign(next);
    await rollback(s.db);
    const refused = await refusalOf(moveAs(by(s.db, 'ona', ['oncall']), 'activate', next));
    expect(refused.codes).toContain('ROLLBACK_IN_PROGRESS');
    expect(refused.codes).toContain('NOT_SEALED');
    expect(await ingress(s.db)).toMatchObject({ active: 'vat-fix-g2' });
  });
});
