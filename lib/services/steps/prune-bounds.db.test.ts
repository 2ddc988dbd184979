import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import { logEnd, readProgress } from '@/lib/db/statements/progress';
import { applyLive } from '@/lib/services/apply/apply-live';
import { applyDataset } from '@/lib/services/dataset';
import { diffPage } from '@/lib/services/release/diff';
import { findRelease } from '@/lib/services/release/load';
import { rollbackStep } from '@/lib/services/release/rollback-steps';
import { applySource } from '@/lib/services/source';
import { race } from '@/lib/testing/race';
import { refusalOf } from '@/lib/testing/refusal';
import { by, day, fix, ingress, line, moveAs, openShop, type Shop } from '@/lib/testing/shop';
import { as, event, orders } from '@/lib/testing/world';
import { pruneLogs } from './prune-logs';

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
  await applySource(as(shop.t.db, 'root'), { ...orders.source, retentionDays: 1 });
});
afterEach(() => shop.t.close());

/** Makes every event older than the retention, and prunes; answers how far each shard was covered. */
async function prune(): Promise<string[]> {
  await affected(
    shop.t.db,
    sql`update control.source_event set received_at = clock_timestamp() - interval '25 hours'`,
  );
  await pruneLogs(shop.t.db);
  return covered();
}

async function covered(): Promise<string[]> {
  const { offsets } = await one<{ offsets: string[] }>(
    shop.t.db,
    sql`select array_agg(retained_from - 1 order by shard) as offsets from control.source_shard`,
  );
  return offsets;
}

const end = () => logEnd(shop.t.db, 'orders');
const progressOf = async (generation: string) => {
  const { id } = await one<{ id: string }>(
    shop.t.db,
    sql`select id from control.generation where name = ${generation}`,
  );
  return readProgress(shop.t.db, id);
};

let revision = 1;
/** A newer revision of every line of the shop: something in each shard that any line is in. */
async function change(): Promise<void> {
  revision += 1;
  await shop.w.append(
    [2, 3, 4, 5, 6, 7, 8].map((n) => line(n, { revision, price: `${revision}0.00` })),
  );
}

const taxes = async (dataset = 'order_tax') =>
  Object.entries(await shop.w.served(dataset)).map(([key, row]) => `${key} ${row.tax}`);

const second = { ...orders.dataset, name: 'second' };

describe('what is still needed is kept', () => {
  it('by the generation in use, where it is behind', async () => {
    const before = await progressOf('order_tax-g1');
    await change();
    expect(await prune()).toEqual(before);
    await shop.w.live();
    expect(await prune()).toEqual(await end());
  });

  it('by the slowest of two datasets', async () => {
    await applyDataset(as(shop.t.db, 'root'), second);
    await shop.w.live('second');
    const before = await end();
    await change();
    await shop.w.live();
    expect(await prune()).toEqual(before);
    await shop.w.live('second');
    expect(await prune()).toEqual(await end());
    expect(await taxes('second')).toEqual(await taxes());
  });

  it('by a first generation that is loading', async () => {
    await change();
    await shop.w.live();
    await applyDataset(as(shop.t.db, 'root'), second);
    expect(await prune()).toEqual(Array(8).fill('0'));
    await applyLive(shop.t.db, 'second', null, { size: 1 });
    expect(await prune()).toEqual(await progressOf('second-g1'));
    expect(await covered()).not.toEqual(await end());
    await shop.w.live('second');
    expect(await taxes('second')).toEqual(await taxes());
    expect(await prune()).toEqual(await end());
  });

  it('by a candidate, until it is gone', async () => {
    const release = await shop.w.draft(fix());
    await shop.w.move('ana', 'pin', release);
    const watermark = await progressOf('vat-fix-g2');
    await change();
    await shop.w.live();
    expect(await prune()).toEqual(watermark);
    await shop.w.move('ana', 'abandon', release);
    // its release has ended, it is not retired yet
    expect(await prune()).toEqual(watermark);
    await shop.w.work(release);
    expect(await prune()).toEqual(await end());
  });

  it('by the snapshot of a release under way, also when its candidate is far beyond it', async () => {
    const release = await shop.w.rehearsed(fix());
    const watermark = await progressOf('vat-fix-g2');
    await change();
    await shop.w.live();
    await shop.w.move('ana', 'rehearse', release);
    await shop.w.work(release);
    expect(await progressOf('vat-fix-g2')).toEqual(await end());
    expect(await prune()).toEqual(watermark);
    // and so the comparison at the barrier is whole
    await shop.w.reconciled(release);
    expect(await prune()).toEqual(watermark);
    expect(await shop.w.state(release)).toBe('RECONCILED');
  });
});

describe('a rollback', () => {
  let release = '';
  beforeEach(async () => {
    release = await shop.w.rehearsed(fix());
    await change();
    await shop.w.live();
    await shop.w.reconciled(release);
    await shop.w.sign(release);
    await shop.w.move('dee', 'activate', release);
    await change();
    await shop.w.live();
  });

  const rollBack = async () => {
    await shop.w.move('dee', 'rollback', release);
    await shop.w.work(release);
  };

  it('has its events in the log for as long as its window is open, and then is pruned', async () => {
    const left = await progressOf('order_tax-g1');
    expect(await prune()).toEqual(left);
    await shop.w.append([line(5, { revision: ++revision, op: 'delete' })]);
    await shop.w.live();
    expect(await prune()).toEqual(left);
    await rollBack();
    expect(await shop.w.state(release)).toBe('ROLLED_BACK');
    const price = revision - 1;
    const tax = ((price * 10 * 175) / 1000).toFixed(2);
    expect(await taxes()).toEqual([2, 3, 4, 6, 7, 8].map((n) => `l${n} ${tax}`));

    // the one that was left is kept for its window too
    const barrier = await progressOf('vat-fix-g2');
    await change();
    await shop.w.live();
    expect(await prune()).toEqual(barrier);
    await affected(
      shop.t.db,
      sql`update control.generation set kept_until = clock_timestamp() - interval '1 second'
        where name = 'vat-fix-g2'`,
    );
    await shop.w.work(release);
    expect(await prune()).toEqual(await end());
  });

  it('that was called off half-way goes on from where it was, over a log pruned up to there', async () => {
    await shop.w.append(
      Array.from({ length: 600 }, (_, n) => event({ line: `more${n}`, at: day(5), price: '1.00' })),
    );
    await shop.w.live();
    await shop.w.move('dee', 'rollback', release);
    const { id } = await one<{ id: string }>(shop.t.db, sql`select id from control.rollback`);
    await rollbackStep(shop.t.db, id, await findRelease(shop.t.db, release));
    const half = await progressOf('order_tax-g1');
    expect(half).toEqual(await end());
    await change();
    await shop.w.live();
    expect(await prune()).toEqual(half);
    await shop.w.move('dee', 'call-off', release);
    expect(await prune()).toEqual(half);
    await rollBack();
    expect(await shop.w.state(release)).toBe('ROLLED_BACK');
    const served = await shop.w.served();
    expect(Object.keys(served)).toHaveLength(607);
    expect(served.l5?.tax).toBe(((revision * 10 * 175) / 1000).toFixed(2));
    expect(served.more7?.tax).toBe('0.18');
  });

  /** What retention never does, done by hand: the log begins at its end. */
  const losePast = () =>
    affected(shop.t.db, sql`update control.source_shard set retained_from = last_offset + 1`);

  it('that the log does not reach back for is refused, and said before', async () => {
    await losePast();
    const refused = await refusalOf(shop.w.move('dee', 'rollback', release));
    expect(refused).toMatchObject({ status: 409, codes: ['RECONCILIATION_REQUIRED'] });
    expect(await rows(shop.t.db, sql`select 1 from control.rollback`)).toEqual([]);
  });

  it('that loses its log on the way needs reconciliation, and what is served stays open', async () => {
    await shop.w.move('dee', 'rollback', release);
    await losePast();
    await shop.w.work(release);
    expect(await shop.w.state(release)).toBe('RECONCILIATION_REQUIRED');
    expect(await rows(shop.t.db, sql`select state from control.rollback`)).toEqual([
      { state: 'failed' },
    ]);
    // it had sealed for the tail; that is undone
    expect(await ingress(shop.t.db)).toMatchObject({
      state: 'OPEN',
      active: 'vat-fix-g2',
      epoch: 3,
      sealer: null,
    });
    const trouble = await findRelease(shop.t.db, release);
    expect([trouble.troubleStep, trouble.troubleCode]).toEqual(['replay', 'SNAPSHOT_EXPIRED']);
    expect(await refusalOf(shop.w.move('dee', 'rollback', release))).toMatchObject({
      code: 'RECONCILIATION_REQUIRED',
    });
    await change();
    await shop.w.live();
    expect((await shop.w.served()).l5?.tax).toBe((revision * 2).toFixed(2));
  });

  it('or no rollback: rows are not compared over a log pruned above the snapshot', async () => {
    const page = () => diffPage(shop.t.db, { release });
    expect((await page()).items.length).toBeGreaterThan(0);
    await prune();
    expect(await refusalOf(page())).toMatchObject({ code: 'SNAPSHOT_EXPIRED' });
  });
});

describe('a pruned log', () => {
  const changes = async () => {
    await shop.w.append([
      line(4, { revision: 2, op: 'delete' }),
      line(5, { revision: 2, op: 'delete' }),
      line(5, { revision: 3, price: '50.00' }),
      line(6, { revision: 7, price: '60.00' }),
      line(6, { revision: 4, price: '1.00' }),
      line(2, { revision: 2, at: day(7, 3) }),
      event({ line: 'l9', at: day(6), price: '10.00' }),
    ]);
    await shop.w.live();
  };

  it('makes a new dataset just as the whole one made the old', async () => {
    await changes();
    expect(await prune()).toEqual(await end());
    await shop.w.append([line(7, { revision: 2, price: '70.00' })]);
    await applyDataset(as(shop.t.db, 'root'), second);
    await shop.w.live();
    await shop.w.live('second');
    expect(await shop.w.served('second')).toEqual(await shop.w.served());
    expect(await taxes('second')).toEqual([
      'l2 17.50',
      'l3 17.50',
      'l5 8.75',
      'l6 10.50',
      'l7 12.25',
      'l8 17.50',
      'l9 1.75',
    ]);
  });

  it('carries a whole release, but not one from a snapshot that it was pruned above', async () => {
    const early = await shop.w.draft(fix());
    await shop.w.move('ana', 'pin', early);
    const { snapshot } = await one<{ snapshot: string }>(
      shop.t.db,
      sql`select name as snapshot from control.snapshot`,
    );
    await shop.w.work(early);
    await shop.w.move('ana', 'abandon', early);
    await shop.w.work(early);
    const from = (name: string, source: object) =>
      fix({ release: name, targetGeneration: `${name}-g`, source: { name: 'orders', ...source } });

    // as long as the log reaches back to it, it serves again
    expect(await prune()).toEqual(await end());
    const again = await shop.w.rehearsed(from('again', { snapshot }));
    await shop.w.move('ana', 'abandon', again);
    await shop.w.work(again);

    await changes();
    await prune();
    const late = await shop.w.draft(from('late', { snapshot }));
    expect(await refusalOf(shop.w.move('ana', 'pin', late))).toMatchObject({
      code: 'SNAPSHOT_EXPIRED',
    });
    const fresh = await shop.w.rehearsed(from('fresh', {}));
    await shop.w.reconciled(fresh);
    await shop.w.sign(fresh);
    await shop.w.move('dee', 'activate', fresh);
    expect(await taxes()).toEqual([
      'l2 20.00',
      'l3 17.50',
      'l5 10.00',
      'l6 12.00',
      'l7 20.00',
      'l8 17.50',
      'l9 2.00',
    ]);
  });
});

describe('pruning against', () => {
  beforeEach(async () => {
    await change();
    await shop.w.live();
    await affected(
      shop.t.db,
      sql`update control.source_event set received_at = clock_timestamp() - interval '25 hours'`,
    );
  });
  const pin = (release: string) => (db: Database) =>
    moveAs(by(db, 'ana', ['owner']), 'pin', release);
  const make = (db: Database) => applyDataset(as(db, 'root'), second);

  it('a pin, which is first: the source is left for the next round', async () => {
    const release = await shop.w.draft(fix());
    const { first, second: pruned } = await race(shop.t.url, pin(release), pruneLogs, {
      expect: 'passed',
    });
    expect(first.status).toBe('fulfilled');
    expect(pruned).toEqual({ status: 'fulfilled', value: 0 });
    expect(await covered()).toEqual(Array(8).fill('0'));
  });

  it('a pin on a snapshot that is kept, and that the next chunk would take its ground', async () => {
    const early = await shop.w.draft(fix());
    await shop.w.move('ana', 'pin', early);
    const { snapshot } = await one<{ snapshot: string }>(
      shop.t.db,
      sql`select name as snapshot from control.snapshot`,
    );
    await shop.w.work(early);
    await shop.w.move('ana', 'abandon', early);
    await shop.w.work(early);
    const watermark = await end();
    await change();
    await shop.w.live();
    await affected(
      shop.t.db,
      sql`update control.source_event set received_at = clock_timestamp() - interval '25 hours'`,
    );
    const source = { name: 'orders', snapshot };
    const late = await shop.w.draft(fix({ release: 'late', targetGeneration: 'late-g', source }));
    const { first, second: pruned } = await race(shop.t.url, pin(late), pruneLogs, {
      expect: 'passed',
    });
    expect(first.status).toBe('fulfilled');
    expect(pruned).toEqual({ status: 'fulfilled', value: 0 });
    await pruneLogs(shop.t.db);
    expect(await covered()).toEqual(watermark);
  });

  it('a pin, which waits: its snapshot is of what was kept', async () => {
    const release = await shop.w.draft(fix());
    const { first, second: pinned } = await race(shop.t.url, pruneLogs, pin(release));
    expect([first.status, pinned.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await covered()).toEqual(await end());
    await shop.w.work(release);
    await shop.w.move('ana', 'build', release);
    await shop.w.work(release);
    await shop.w.move('ana', 'rehearse', release);
    await shop.w.work(release);
    await shop.w.reconciled(release);
    expect(await shop.w.state(release)).toBe('RECONCILED');
  });

  it('a new dataset, which is first: its loading is seen in the next round', async () => {
    const { second: pruned } = await race(shop.t.url, make, pruneLogs, { expect: 'passed' });
    expect(pruned).toEqual({ status: 'fulfilled', value: 0 });
    expect(await pruneLogs(shop.t.db)).toBe(0);
    await shop.w.live('second');
    expect(await taxes('second')).toEqual(await taxes());
  });

  it('a new dataset, which waits: it loads from the base', async () => {
    const { second: made } = await race(shop.t.url, pruneLogs, make);
    expect(made).toMatchObject({ status: 'fulfilled' });
    expect(await covered()).toEqual(await end());
    await shop.w.live('second');
    expect(await taxes('second')).toEqual(await taxes());
  });

  it('live writing, which has its turn after it: nothing is applied twice or left out', async () => {
    await change();
    const { first, second: applied } = await race(shop.t.url, pruneLogs, (db) =>
      applyLive(db, 'order_tax', null, { wait: true }),
    );
    expect(first.status).toBe('fulfilled');
    expect(applied).toMatchObject({ value: { kind: 'applied', caughtUp: true } });
    expect(await progressOf('order_tax-g1')).toEqual(await end());
    expect((await shop.w.served()).l5?.tax).toBe(((revision * 10 * 175) / 1000).toFixed(2));
  });
});

it('one release holds only its own source’s log', async () => {
  await applySource(as(shop.t.db, 'root'), { ...orders.source, name: 'other', retentionDays: 1 });
  await shop.w.rehearsed(fix());
  await change();
  await shop.w.append(
    [1, 2, 3].map((n) => line(2, { revision: n })),
    'other',
  );
  await shop.w.live();
  await prune();
  const left = await rows<{ source: string; count: number }>(
    shop.t.db,
    sql`select source, count(*)::int as count from control.source_event group by 1 order by 1`,
  );
  expect(left).toEqual([
    { source: 'orders', count: 14 },
    { source: 'other', count: 1 },
  ]);
});
