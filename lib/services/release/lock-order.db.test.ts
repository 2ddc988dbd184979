import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, one } from '@/lib/db/client';
import { readProgress } from '@/lib/db/statements/progress';
import { catchUp } from '@/lib/services/apply/apply-live';
import { race } from '@/lib/testing/race';
import { by, fix, line, moveAs, openShop, type Shop } from '@/lib/testing/shop';

let shop: Shop;
let release = '';
let candidate = '';
let old = '';

/** A candidate that is rehearsed, and an event that it has to catch up with. */
beforeEach(async () => {
  shop = await openShop();
  release = await shop.w.rehearsed(fix());
  await shop.w.append([line(5, { revision: 2, price: '50.00' })]);
  await shop.w.live();
  ({ candidate, old } = await one<{ candidate: string; old: string }>(
    shop.t.db,
    sql`select generation as candidate, old_generation as old from control.release`,
  ));
});
afterEach(() => shop.t.close());

const follow = (db: Database) => catchUp(db, 'order_tax', candidate, (tx) => readProgress(tx, old));
const move = (name: 'seal' | 'abandon') => (db: Database) =>
  moveAs(by(db, 'dee', ['oncall', 'owner']), name, release);

describe('catch-up, which has the candidate’s row and its progress,', () => {
  it('is not in the way of a seal, which takes registry and release', async () => {
    const { first, second } = await race(shop.t.url, follow, move('seal'), { expect: 'passed' });
    expect(first).toMatchObject({ value: { caughtUp: true } });
    expect(second.status).toBe('fulfilled');
    await shop.w.work(release);
    expect(await shop.w.state(release)).toBe('RECONCILED');
  });

  it('is waited for by abandoning, which takes the generation last: neither is ended by a deadlock', async () => {
    const { first, second } = await race(shop.t.url, follow, move('abandon'));
    expect(first).toMatchObject({ value: { caughtUp: true } });
    expect(second.status).toBe('fulfilled');
    expect(await shop.w.state(release)).toBe('ABANDONED');
  });
});
