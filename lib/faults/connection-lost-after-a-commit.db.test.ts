import { sql } from 'drizzle-orm';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, type Database, rows } from '@/lib/db/client';
import { LossyProxy } from '@/lib/faults/support/proxy';
import { Scenario } from '@/lib/faults/support/scenario';
import { catalog } from '@/lib/runner/catalog';
import { applyLive } from '@/lib/services/apply/apply-live';
import { appendEvents } from '@/lib/services/source';
import { sweep } from '@/lib/services/steps/sweep';
import { refusalOf } from '@/lib/testing/refusal';
import { fix, idOf, ingress, line, moveAs } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';

let s: Scenario;
let proxy: LossyProxy;
/** What loses its connection. */
let db: Database;

beforeEach(async () => {
  s = await Scenario.open();
  proxy = await LossyProxy.to(s.t.url);
  db = connect(proxy.url, { role: 'runner', max: 2 });
});
afterEach(async () => {
  await db.close();
  await proxy.close();
  await s.t.close();
});

/** The call fails, although what it did is committed. */
async function lose(call: () => Promise<unknown>, n = 1): Promise<void> {
  proxy.loseCommit(n);
  await expect(call()).rejects.toThrow();
  expect(proxy.lost).toBe(1);
  proxy.lost = 0;
}
const move = (name: Parameters<typeof moveAs>[1], release: string) =>
  moveAs(as(db, 'dee'), name, release);
const done = (verb: string) =>
  rows(s.db, sql`select actor from control.audit_event where verb = ${verb} and outcome = 'done'`);

describe('a connection that is lost after the commit', () => {
  it('of events: sent again they are duplicates, and each is served once', async () => {
    const events = [line(5, { revision: 2, price: '50.00' }), line(9)];
    const append = () => appendEvents(as(db, 'feed'), { source: 'orders', events });
    await lose(append);
    s.ledger.note(events);
    expect(await append()).toMatchObject({ accepted: 0, duplicates: 2 });
    await s.w.live();
    await s.expectAll('order_tax-g1');
  });

  it('of live writing: the next batch begins where that one ended', async () => {
    await s.append([line(5, { revision: 2, price: '50.00' })]);
    await lose(() => applyLive(db, 'order_tax', null, { wait: true }));
    await s.expectAll('order_tax-g1');
    expect(await applyLive(db, 'order_tax', null, { wait: true })).toMatchObject({
      kind: 'applied',
      applied: { scanned: 0 },
    });
    await s.expectAll('order_tax-g1');
  });

  it('of a claim, and of a partition that was built: neither is built twice', async () => {
    const release = await s.w.draft(fix());
    await s.w.move('ana', 'pin', release);
    await s.w.work(release);
    await s.w.move('ana', 'build', release);
    const context = {
      db,
      worker: 'w',
      log: pino({ level: 'silent' }),
      stopping: () => false,
    };
    const build = async () =>
      catalog.build?.run(context, { release: await idOf(s.db, release) } as never);
    const attempts = () =>
      rows(
        s.db,
        sql`select p.attempt, p.state from control.release_partition p order by p.start_at`,
      );
    await lose(build);
    expect((await attempts())[0]).toEqual({ attempt: 1, state: 'building' });
    await s.leasesEnd();
    expect(await sweep(s.db)).toMatchObject({ reclaimed: 1 });

    // the first commit is the claim's, the second the partition's; the worker goes on to the others
    proxy.loseCommit(2);
    await build();
    expect(proxy.lost).toBe(1);
    expect(await attempts()).toEqual([
      { attempt: 2, state: 'built' },
      ...Array(3).fill({ attempt: 1, state: 'built' }),
    ]);
    expect(await rows(s.db, sql`select 1 from control.receipt`)).toHaveLength(4);
    await s.w.work(release);
    await s.w.move('ana', 'rehearse', release);
    await s.w.work(release);
    await s.signed(release);
    await s.w.move('dee', 'activate', release);
    await s.expectAll('vat-fix-g2');
  });

  it('of a seal, a cutover and a rollback: each was done once, and says so when asked again', async () => {
    const release = await s.rehearsed();
    await lose(() => move('seal', release));
    expect(await s.w.state(release)).toBe('INGRESS_SEALED');
    expect(await refusalOf(move('seal', release))).toMatchObject({ code: 'WRONG_STATE' });
    await s.append([line(5, { revision: 2, price: '50.00' })]);
    await s.w.work(release);
    await s.w.sign(release);
    await s.expectServed('order_tax-g1');

    await lose(() => move('activate', release));
    await s.expectServed('vat-fix-g2');
    const switched = await ingress(s.db);
    await move('activate', release);
    expect(await ingress(s.db)).toEqual(switched);
    await s.w.live();
    await s.expectAll('vat-fix-g2');

    await lose(() => move('rollback', release));
    expect(await refusalOf(move('rollback', release))).toMatchObject({
      code: 'ROLLBACK_IN_PROGRESS',
    });
    await s.w.work(release);
    await s.expectAll('order_tax-g1');
    expect(await s.w.state(release)).toBe('ROLLED_BACK');
    for (const verb of ['release.seal', 'release.activate', 'release.rollback']) {
      expect(await done(verb)).toEqual([{ actor: 'dee' }]);
    }
  });
});
