import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, one, rows } from '@/lib/db/client';
import { LogPruned } from '@/lib/db/statements/progress';
import { onStep, type StepName } from '@/lib/db/step';
import { applyLive } from '@/lib/services/apply/apply-live';
import { verifyAudit } from '@/lib/services/audit/verify';
import { publish } from '@/lib/services/publication';
import { sweep } from '@/lib/services/steps/sweep';
import {
  drilled,
  leftOf,
  newestDrill,
  nothingLeft,
  production,
  runDrill,
} from '@/lib/testing/drill';
import { built, openItems, priceRelease } from '@/lib/testing/items';
import { race } from '@/lib/testing/race';
import { refusalOf, refusedIn } from '@/lib/testing/refusal';
import { by, day, fix, line, moveAs, openShop, type Shop } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let shop: Shop;
let release = '';

beforeEach(async () => {
  shop = await openShop();
  release = await shop.w.rehearsed(fix());
});
afterEach(() => shop.t.close());

describe('a drill', () => {
  it('cuts a fork over and back, writes down how long it took, and leaves nothing else', async () => {
    const before = await production(shop.t.db);
    const drill = await drilled(shop.w, release);
    expect(drill).toMatchObject({ outcome: 'passed', why: null, eventsReplayed: '0' });
    expect(drill.steps.map(({ step }) => step)).toEqual([
      'copy',
      'catch up',
      'seal',
      'barrier',
      'reconcile',
      'cutover',
      'write',
      'rollback',
      'compare',
    ]);
    for (const { seconds, endedAt } of drill.steps) {
      expect(endedAt).not.toBeNull();
      expect(seconds).toBeGreaterThan(0);
    }
    expect(drill.cutoverSeconds).toBeGreaterThan(0);
    expect(drill.rollbackSeconds).toBeGreaterThan(0);
    expect(drill.rowsCopied).toBe('4');
    expect(await production(shop.t.db)).toEqual(before);
    expect(await leftOf(shop.t.db, drill.fork)).toEqual(nothingLeft);
    expect(await shop.w.state(release)).toBe('BUILDING');
  });

  it('keeps what was published, on its fork too, and corrects nothing', async () => {
    await shop.w.move('ana', 'abandon', release);
    const days = { dataset: 'order_tax', from: day(5, 0), to: day(7, 0) };
    await publish(by(shop.t.db, 'ana', ['owner']), days);
    await shop.w.append([
      line(5, { revision: 2, price: '1.00' }),
      line(6, { revision: 2, at: day(4, 3) }),
    ]);
    await shop.w.live();
    const again = await shop.w.rehearsed(fix({ release: 'again', targetGeneration: 'again-g' }));
    const before = await production(shop.t.db);
    await shop.w.move('dee', 'drill', again);
    // its fork would compare days that froze at two moments
    const refused = await refusalOf(
      publish(by(shop.t.db, 'ana', ['owner']), { ...days, from: day(2, 0), to: day(3, 0) }),
    );
    expect(refused.codes).toEqual(['WORKING']);
    expect(await runDrill(shop.w)).toMatchObject({ outcome: 'passed', why: null });
    expect(await production(shop.t.db)).toEqual(before);
    expect(await rows(shop.t.db, sql`select 1 from control.correction`)).toEqual([]);
  });

  it('is audited on the chain of the dataset, asked for and ended', async () => {
    const { fork } = await drilled(shop.w, release);
    const found = await rows(
      shop.t.db,
      sql`select actor, verb, outcome, after ->> 'outcome' as result from control.audit_event
        where chain = 'dataset:order_tax' and subject = ${release} and verb like 'release.drill%' order by id`,
    );
    expect(found).toEqual([
      { actor: 'dee', verb: 'release.drill', outcome: 'done', result: null },
      { actor: 'runner', verb: 'release.drill-ended', outcome: 'done', result: 'passed' },
    ]);
    const own = await rows(
      shop.t.db,
      sql`select verb from control.audit_event where chain = ${`dataset:${fork}`} order by id`,
    );
    expect(own.map((row) => (row as { verb: string }).verb)).toEqual([
      'release.seal',
      'release.caught-up',
      'release.reconciled',
      'release.approve',
      'release.activate',
      'release.rollback',
      'release.rolled-back',
    ]);
    expect(await verifyAudit(shop.t.db)).toMatchObject({ ok: true });
  });

  it('does not keep the release from its own cutover, nor that from another drill', async () => {
    await drilled(shop.w, release);
    const again = await drilled(shop.w, release);
    expect(again.outcome).toBe('passed');
    await shop.w.reconciled(release);
    await shop.w.sign(release);
    await shop.w.move('dee', 'activate', release);
    expect((await shop.w.served()).l5?.tax).toBe('20.00');
    await shop.w.move('dee', 'rollback', release);
    await shop.w.work(release);
    expect((await shop.w.served()).l5?.tax).toBe('17.50');
  });
});

describe('live writing during a drill', () => {
  const writes = [
    [line(5, { revision: 2, price: '200.00' })],
    [line(6, { revision: 2, op: 'delete' }), event({ line: 'n1', at: day(4, 9), price: '10.00' })],
    [line(2, { revision: 2, at: day(7, 3) })],
    [line(7, { revision: 2, at: day(3, 3) }), event({ line: 'n2', at: day(6), price: '10.00' })],
    [line(4, { revision: 2, op: 'delete' })],
    [line(4, { revision: 3, price: '50.00' }), line(8, { revision: 2, price: '1.00' })],
  ];

  it('goes on as if there were none, and is in the fork when it comes back', async () => {
    await shop.w.move('dee', 'drill', release);
    // what the fork has done and not committed, and what it has committed: production writes on
    const drill = await writingAt(shop, writes, [
      'catch-up.committed',
      'reconcile.before-verdict',
      'cutover.before-commit',
      'live.before-commit',
      'rollback.requested',
      'rollback.batch-before-commit',
      'rollback.sealed',
    ]);
    expect(drill).toMatchObject({ outcome: 'passed', why: null });
    expect(Number(drill.eventsReplayed)).toBeGreaterThan(0);
    expect(Number(drill.rowsCopied)).toBeGreaterThan(4);
    await shop.w.live();
    await shop.w.work(release);
    const disturbed = await production(shop.t.db);
    expect(await leftOf(shop.t.db, drill.fork)).toEqual(nothingLeft);

    const quiet = await openShop();
    const same = await quiet.w.rehearsed(fix());
    for (const batch of writes) {
      await quiet.w.append(batch);
      await quiet.w.live();
    }
    await quiet.w.work(same);
    expect(disturbed).toEqual(await production(quiet.t.db));
    expect(await shop.w.served()).toEqual(await quiet.w.served());
    await quiet.t.close();
  });
});

describe('a drill and live writing, under the lock', () => {
  const live = (db: Database) => applyLive(db, 'order_tax', null, { wait: true });
  const ask = (db: Database) => moveAs(by(db, 'dee', ['oncall']), 'drill', release);
  /** The partition's rows as a generation holds them, through its map. */
  const held = async (dataset: string) => {
    const found = await rows<{ line: string; net: string }>(
      shop.t.db,
      sql`select x.line, trim_scale(x.net)::text as net from control.registry g
        join control.generation_range r on r.generation = g.active_generation
        join ds_order_tax.rows x on x._segment = r.segment
          and x._partition >= coalesce(lower(r.span), '-infinity')
          and x._partition < coalesce(upper(r.span), 'infinity')
        where g.dataset = ${dataset} and x.line = 'l5'`,
    );
    return found.map(({ net }) => net);
  };

  it('a writer who saw that nothing is shared: the fork waits, and has what was written', async () => {
    await shop.w.append([line(5, { revision: 2, price: '7.00' })]);
    const { first, second } = await race(shop.t.url, live, ask);
    expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
    const { fork } = await newestDrill(shop.t.db);
    expect([await held('order_tax'), await held(fork)]).toEqual([['7'], ['7']]);
    expect(await progresses(fork)).toBe(true);
  });

  it('the fork first: the writer waits, sees that it is shared, and copies', async () => {
    await shop.w.append([line(5, { revision: 2, price: '7.00' })]);
    const { first, second } = await race(shop.t.url, ask, live);
    expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
    const { fork } = await newestDrill(shop.t.db);
    expect([await held('order_tax'), await held(fork)]).toEqual([['7'], ['100']]);
    expect(await progresses(fork)).toBe(false);
    expect(await runDrill(shop.w)).toMatchObject({ outcome: 'passed' });
    expect(await leftOf(shop.t.db, fork)).toEqual(nothingLeft);
  });

  it('is asked for once', async () => {
    const { first, second } = await race(shop.t.url, ask, ask);
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toEqual({ status: 409, code: 'WORKING', codes: ['WORKING'] });
    expect(await rows(shop.t.db, sql`select 1 from control.drill`)).toHaveLength(1);
  });

  /** Whether a fork's generation is as far as production's. */
  async function progresses(fork: string): Promise<boolean> {
    const { same } = await one<{ same: boolean }>(
      shop.t.db,
      sql`select count(distinct p.offsets) = 1 as same from control.registry r
        join control.generation_progress p on p.generation = r.active_generation
        where r.dataset in ('order_tax', ${fork})`,
    );
    return same;
  }
});

describe('a drill whose process dies', () => {
  it('goes on, at whichever step it was', async () => {
    const before = await production(shop.t.db);
    await shop.w.move('dee', 'drill', release);
    const died = new Set<StepName>();
    const stop = onStep((name) => {
      if (died.has(name)) return;
      died.add(name);
      throw new Error(`died at ${name}`);
    });
    let runs = 0;
    for (let ended = false; !ended; runs++) {
      const told = await runDrill(shop.w).then(
        () => null,
        (error: Error) => error.message,
      );
      ended = told === null;
      if (!ended) expect(told).toMatch(/^died at /);
    }
    stop();
    const drill = await newestDrill(shop.t.db);
    expect(drill).toMatchObject({ outcome: 'passed', rowsCopied: '4' });
    expect(runs).toBe(died.size + 1);
    expect([...died]).toEqual(
      expect.arrayContaining([
        'catch-up.before-commit',
        'seal.before-commit',
        'manifest.before-commit',
        'reconcile.before-verdict',
        'cutover.before-commit',
        'rollback.sealed',
        'rollback.before-commit',
        'retire.rows-deleted',
      ]),
    );
    expect(await production(shop.t.db)).toEqual(before);
    expect(await leftOf(shop.t.db, drill.fork)).toEqual(nothingLeft);
  });

  it('is looked for again by the sweeper until nothing of it is left', async () => {
    await shop.w.move('dee', 'drill', release);
    const { forkRelease } = await newestDrill(shop.t.db);
    const due = async () => {
      await shop.t.db.execute(sql`delete from graphile_worker._private_jobs`);
      await sweep(shop.t.db);
      const found = await rows(
        shop.t.db,
        sql`select 1 from graphile_worker._private_jobs
          where payload ->> 'release' = ${forkRelease}::text`,
      );
      return found.length;
    };
    expect(await due()).toBe(1);
    const stop = onStep((name) => {
      if (name === 'retire.rows-deleted') throw new Error('died while clearing');
    });
    await expect(runDrill(shop.w)).rejects.toThrow('died while clearing');
    stop();
    expect((await newestDrill(shop.t.db)).outcome).toBe('passed');
    expect(await due()).toBe(1);
    const { fork } = await runDrill(shop.w);
    expect(await leftOf(shop.t.db, fork)).toEqual(nothingLeft);
    expect(await due()).toBe(0);
  });
});

describe('a drill that fails', () => {
  it('says why, is cleared away, and can be asked for again', async () => {
    const before = await production(shop.t.db);
    await shop.w.move('dee', 'drill', release);
    const { forkRelease } = await newestDrill(shop.t.db);
    const stop = onStep(async (name) => {
      if (name !== 'cutover.before-commit') return;
      await shop.t.db.execute(
        sql`update control.dataset set policy = policy || '{"touched": true}' where name = 'order_tax'`,
      );
      throw new LogPruned('orders', 'told by the test');
    });
    const failed = await runDrill(shop.w);
    stop();
    expect(failed).toMatchObject({
      outcome: 'failed',
      cutoverSeconds: null,
      rollbackSeconds: null,
    });
    expect(failed.why).toContain('told by the test');
    expect(failed.steps.at(-1)).toMatchObject({ step: 'cutover', endedAt: expect.any(String) });
    expect(await production(shop.t.db)).toEqual(before);
    expect(await leftOf(shop.t.db, failed.fork)).toEqual(nothingLeft);
    const { state } = await one<{ state: string }>(
      shop.t.db,
      sql`select state from control.release where id = ${forkRelease}`,
    );
    expect(state).toBe('ABANDONED');
    expect((await drilled(shop.w, release)).outcome).toBe('passed');
  });

  it('because the fork came back with other rows than production has', async () => {
    await shop.w.move('dee', 'drill', release);
    const { fork } = await newestDrill(shop.t.db);
    await shop.w.append([line(5, { revision: 2, price: '7.00' })]);
    await shop.w.live();
    const stop = onStep(async (name) => {
      if (name !== 'rollback.before-commit') return;
      await shop.t.db.execute(sql`
        with touched as (
          update ds_order_tax.rows set net = 1 where line = 'l5' and _segment in (
            select r.segment from control.generation_range r
            join control.generation g on g.id = r.generation
            where g.dataset = ${fork} and g.state = 'kept') returning _segment, _partition)
        update control.segment_partition p set version = version + 1 from touched t
        where p.segment = t._segment and p.start_at = t._partition`);
    });
    const drill = await runDrill(shop.w);
    stop();
    expect(drill.outcome).toBe('failed');
    expect(drill.why).toMatch(/^1 partition of 7 came back with another root .* 2011-01-05/);
    expect(await leftOf(shop.t.db, drill.fork)).toEqual(nothingLeft);
  });

  it('because its release was given up', async () => {
    await shop.w.move('dee', 'drill', release);
    await shop.w.move('ana', 'abandon', release);
    await shop.w.work(release);
    const drill = await runDrill(shop.w);
    expect(drill).toMatchObject({ outcome: 'failed', why: 'the release was abandoned' });
    expect(await leftOf(shop.t.db, drill.fork)).toEqual(nothingLeft);
  });

  it('because it does not end', async () => {
    await shop.w.move('dee', 'drill', release);
    await shop.t.db.execute(
      sql`update control.drill set started_at = started_at - interval '7 hours'`,
    );
    expect(await runDrill(shop.w)).toMatchObject({
      outcome: 'failed',
      why: 'it did not end within its time',
    });
  });
});

describe('a drill is not open', () => {
  const ask = () => refusalOf(shop.w.move('dee', 'drill', release));

  it('to others than on-call and owner', async () => {
    expect(await refusalOf(shop.w.move('bo', 'drill', release))).toMatchObject({ status: 403 });
    await shop.w.move('ana', 'drill', release);
  });

  it('while ingress is sealed', async () => {
    await shop.w.move('dee', 'seal', release);
    expect((await ask()).codes).toEqual(['WRONG_STATE', 'EPOCH_SEALED']);
  });

  it('to what is not rehearsed, or did not come out clean', async () => {
    const other = await shop.w.draft(
      fix({
        release: 'other',
        targetGeneration: 'other-g',
        range: { from: '2011-01-08T00:00:00Z', to: '2011-01-09T00:00:00Z' },
      }),
    );
    expect(await refusalOf(shop.w.move('dee', 'drill', other))).toMatchObject({
      code: 'WRONG_STATE',
    });
    await shop.w.move('ana', 'pin', other);
    await shop.w.move('ana', 'build', other);
    await shop.w.work(other);
    expect((await refusalOf(shop.w.move('dee', 'drill', other))).codes).toEqual([
      'REHEARSAL_MISSING',
    ]);
  });

  it('to people by the name of its fork', async () => {
    await shop.w.move('dee', 'drill', release);
    expect(await refusalOf(shop.w.move('dee', 'seal', 'vat-fix~drill-1@1'))).toMatchObject({
      status: 404,
    });
    expect(await refusalOf(shop.w.move('dee', 'rollback', 'vat-fix~drill-1@1'))).toMatchObject({
      status: 404,
    });
  });
});

describe('a drill of a dataset with events in quarantine', () => {
  it('goes by the acceptances of its release, and comes back with the same', async () => {
    const { t, w, append } = await openItems();
    const [a, b, c] = ['2011-01-04T01:00:00Z', '2011-01-05T01:00:00Z', '2011-01-06T01:00:00Z'];
    await append([
      { id: 's1', code: 'A', at: a },
      { id: 's2', code: 'B', at: b },
      { id: 's3', code: 'C', at: c, value: '3' },
    ]);
    await w.live('prices');
    await append([{ id: 's2', code: 'A', at: b, revision: 2 }]);
    await w.live('prices');
    const release = await built(
      w,
      priceRelease('twice', 'select code, at, value * 2 as value from source', {
        expectedDiff: [{ rule: 'all', where: 'true', columns: ['value'] }],
      }),
    );
    const quarantine = await one<{ count: string; digest: string }>(
      t.db,
      sql`select detail ->> 'count' as count, detail ->> 'digest' as digest from control.check_result
        where name = 'quarantine' order by reconciliation desc limit 1`,
    );
    expect(quarantine.count).not.toBe('0');
    await w.move('ana', 'accept', release, { what: 'quarantine', ...quarantine, reason: 'known' });
    const before = await production(t.db, 'prices');
    await w.move('dee', 'drill', release);
    let left = [
      [{ id: 's3', code: 'C', at: c, value: '4', revision: 2 }],
      [{ id: 's4', code: 'A', at: c }],
      [{ id: 's2', code: 'B', at: c, revision: 3 }],
    ];
    let busy = false;
    const stop = onStep(async (name) => {
      if (
        busy ||
        (name !== 'rollback.requested' &&
          name !== 'cutover.before-commit' &&
          name !== 'rollback.sealed')
      )
        return;
      busy = true;
      const [batch, ...rest] = left;
      left = rest;
      if (batch) await append(batch);
      await w.live('prices');
      busy = false;
    });
    const drill = await runDrill(w);
    stop();
    expect(drill).toMatchObject({ outcome: 'passed', why: null });
    expect((await production(t.db, 'prices')).registry).toEqual(before.registry);
    await t.close();
  });
});

/** Runs a drill, and at each of the named points writes the next batch to production. */
async function writingAt(
  { w }: Shop,
  batches: readonly (readonly unknown[])[],
  points: readonly StepName[],
) {
  const left = [...batches];
  let busy = false;
  const stop = onStep(async (name) => {
    if (busy || !points.includes(name)) return;
    const batch = left.shift();
    if (!batch) return;
    busy = true;
    await w.append(batch);
    await w.live();
    busy = false;
  });
  try {
    return await runDrill(w);
  } finally {
    stop();
    expect(left).toEqual([]);
  }
}
