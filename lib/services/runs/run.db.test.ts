import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import { onStep, type StepName } from '@/lib/db/step';
import { runView } from '@/lib/queries/runs';
import { applyLive } from '@/lib/services/apply/apply-live';
import { verifyAudit } from '@/lib/services/audit/verify';
import { claim } from '@/lib/services/claims';
import { publish } from '@/lib/services/publication';
import { askRun, cancelRun, confirmRun, retryRun, runQuestions } from '@/lib/services/runs';
import { walkRun } from '@/lib/services/steps/run-walk';
import { sweep } from '@/lib/services/steps/sweep';
import { race } from '@/lib/testing/race';
import { refusalOf } from '@/lib/testing/refusal';
import { day, fix, line, openShop, type Shop } from '@/lib/testing/shop';
import { as, event } from '@/lib/testing/world';

let shop: Shop;
let db: Database;
let stop = () => {};
afterEach(async () => {
  stop();
  await shop.t.close();
});
const open = async (policy: Record<string, unknown> = {}) => {
  shop = await openShop({ policy: { approvals: { cutover: 2, rollback: 1 }, ...policy } });
  db = shop.t.db;
};

const dataset = 'order_tax';
const at = (n: number) => day(n, 0);
const ask = (first: number, end: number, more: Record<string, unknown> = {}) =>
  askRun(as(db, 'ana'), { dataset, from: at(first), to: at(end), ...more } as never);
/** Asks and walks. */
async function run(first: number, end: number, more: Record<string, unknown> = {}) {
  const { id } = await ask(first, end, more);
  expect(await walkRun(db, id)).toBe('ended');
  return runView(db, id);
}
/** At a named point, once: what happens there in the meantime. */
function meanwhile(step: StepName, does: () => Promise<unknown>): void {
  let done = false;
  stop = onStep(async (name) => {
    if (name !== step || done) return;
    done = true;
    await does();
  });
}
const served = async () =>
  (
    await rows<{ text: string }>(
      db,
      sql`select concat_ws(' ', line, net, tax) as text from read.order_tax order by 1`,
    )
  ).map((row) => row.text);
const whole = (extra: string[] = [], but: string[] = []) =>
  [...[2, 3, 4, 5, 6, 7, 8].map((n) => `l${n} 100.000 17.50`), ...extra]
    .filter((row) => !but.some((prefix) => row.startsWith(prefix)))
    .sort();
/** Changes what is served, as nothing of the product would. */
const tamper = () =>
  affected(db, sql`update ds_order_tax.rows set tax = 1 where _key in ('l4', 'l5')`);
/** What a process leaves that dies: its lease runs out. */
const forget = () =>
  affected(db, sql`update control.run set lease_until = clock_timestamp() - interval '1 second'`);
/** As a lost connection: nobody's data is at fault. */
const dies = () => Promise.reject(Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' }));

describe('a run', () => {
  beforeEach(() => open());

  it('brings what was changed by hand back to the facts, and leaves the rest where it stands', async () => {
    await tamper();
    await affected(db, sql`delete from ds_order_tax.rows where _key = 'l6'`);
    await affected(
      db,
      sql`insert into ds_order_tax.rows (_segment, _partition, _key, _source_key, _revision, line, invoiced_at, net, tax)
        select _segment, _partition, 'ghost', 'ghost', 1, 'ghost', invoiced_at, 5, 5
        from ds_order_tax.rows where _key = 'l7'`,
    );
    expect(await served()).not.toEqual(whole());
    const view = await run(3, 9);
    expect(await served()).toEqual(whole());
    expect(view).toMatchObject({
      state: 'done',
      green: true,
      generation: 'order_tax-g1',
      done: [3, 4, 5, 6, 7, 8].map(at),
      changed: [4, 5, 6, 7].map(at),
      skipped: [],
      failed: [],
      planned: [],
      rows: '6',
    });
    const [, fourth, , sixth] = view.figures;
    expect(fourth).toMatchObject({ rowsBefore: '1', rows: '1', sums: { net: '100.000' } });
    expect(fourth?.root).not.toBe(fourth?.rootBefore);
    expect(sixth).toMatchObject({ rowsBefore: '0', rows: '1' });
    // nothing is left lying about, and nothing was mapped that was right
    const kinds = await rows<{ kind: string }>(
      db,
      sql`select distinct g.kind, x._partition as at from ds_order_tax.rows x
        join control.segment g on g.id = x._segment order by 2`,
    );
    expect(kinds.map((k) => k.kind)).toEqual(['load', 'load', 'run', 'run', 'run', 'run', 'load']);
    expect((await run(3, 9)).changed).toEqual([]);
    expect(await verifyAudit(db)).toMatchObject({ ok: true });
  });

  it('applies what the log holds before it decides, and says what it skipped and why', async () => {
    await shop.w.append([event({ line: 'late', at: day(10, 9) })]);
    await claim(as(db, 'dee'), { dataset, from: at(4), to: at(5), owner: 'nightly' });
    await claim(as(db, 'ana'), { dataset, from: at(5), to: at(6) });
    await publish(as(db, 'ana'), { dataset, from: at(6), to: at(7), sentTo: 'the office' });
    const view = await run(3, 11);
    expect(view).toMatchObject({
      state: 'done',
      green: false,
      done: [3, 5, 7, 8, 10].map(at),
      skipped: [
        [at(4), 'claimed_by:nightly'],
        [at(6), 'sealed'],
        [at(9), 'no_data'],
      ],
    });
    expect(await served()).toContain('late 10.000 1.75');
    expect((await run(9, 10)).green).toBe(true);
  });

  it('loses no live event that commits between computing and turning over', async () => {
    await tamper();
    meanwhile('run.aside-written', async () => {
      await shop.w.append([
        line(4, { revision: 2, price: '200.00' }),
        event({ line: 'new', at: day(4, 9), price: '10.00' }),
        line(5, { revision: 2, op: 'delete' }),
      ]);
      await shop.w.live();
    });
    const view = await run(4, 6);
    expect(await served()).toEqual(
      whole(['l4 200.000 35.00', 'new 10.000 1.75'], ['l4 100', 'l5 ']),
    );
    expect(view.figures[0]).toMatchObject({ rows: '2', sums: { net: '210.000' } });
    // what was recorded is what a fresh look says
    expect((await run(4, 6)).figures[0]).toMatchObject({
      changed: false,
      root: view.figures[0]?.root,
    });
  });

  it('is waited for by live writing while it turns over, and waits for it', async () => {
    await tamper();
    const { id } = await ask(4, 5);
    await shop.w.append([line(4, { revision: 2, price: '300.00' })]);
    // the live batch is held with the dataset's lock before its commit
    const live = (one: Database) => applyLive(one, dataset, null, { wait: true });
    const { second } = await race(shop.t.url, live, (two) => walkRun(two, id), {
      deadlineMs: 60_000,
    });
    expect(second).toMatchObject({ value: 'ended' });
    expect(await served()).toContain('l4 300.000 52.50');

    await affected(db, sql`update ds_order_tax.rows set tax = 1 where _key = 'l4'`);
    const again = await ask(4, 5);
    await shop.w.append([line(4, { revision: 3, price: '400.00' })]);
    stop = onStep(() => {});
    const held = await race(
      shop.t.url,
      async (one) => walkRun(one, again.id),
      live,
      // its transactions: live writing, the plan, a segment, the aside, the landing
      { holdAt: 5, deadlineMs: 60_000 },
    );
    expect(held.first).toMatchObject({ value: 'ended' });
    await shop.w.live();
    expect(await served()).toContain('l4 400.000 70.00');
  });

  it('computes again where too much came meanwhile, and comes to an end all the same', async () => {
    await tamper();
    let asides = 0;
    stop = onStep(async (name) => {
      if (name !== 'run.aside-written' || asides >= 2) return;
      asides += 1;
      await shop.w.append(
        [1, 2, 3, 4, 5].map((n) => event({ line: `x${n}`, at: day(4, 9), revision: asides })),
      );
      await shop.w.live();
    });
    const { id } = await ask(4, 5);
    expect(await walkRun(db, id, { mostEvents: 1n })).toBe('ended');
    expect(asides).toBe(2);
    expect((await served()).filter((row) => row.startsWith('x'))).toHaveLength(5);
    expect(await served()).toContain('l4 100.000 17.50');
  });

  it('computes again under the new generation where a cutover came between', async () => {
    const release = await shop.w.rehearsed(fix());
    await affected(db, sql`update ds_order_tax.rows set tax = 1 where _key = 'l3'`);
    await shop.w.reconciled(release);
    await shop.w.sign(release);
    // sealed: it waits, and says for whom
    const { id } = await ask(3, 6);
    expect(await walkRun(db, id)).toBe('waits');
    expect(await runView(db, id)).toMatchObject({
      state: 'running',
      why: expect.stringContaining(`ingress is sealed by ${release} until`),
    });
    await shop.w.move('dee', 'activate', release);
    await forget();
    const back = await ask(3, 4);
    meanwhile('run.aside-written', async () => {
      await shop.w.move('dee', 'rollback', release);
      for (let i = 0; i < 3; i++) await shop.w.work(release);
      expect(await shop.w.state(release)).toBe('ROLLED_BACK');
    });
    expect(await walkRun(db, back.id)).toBe('ended');
    expect(await runView(db, back.id)).toMatchObject({ generation: 'order_tax-g1', done: [at(3)] });
    expect(await walkRun(db, id)).toBe('ended');
    expect(await served()).toEqual(whole());
  });

  it('waits while ingress is sealed, and goes on by itself when its time is over', async () => {
    const release = await shop.w.rehearsed(fix());
    // beside the release's own range, which it has claimed
    await affected(db, sql`update ds_order_tax.rows set tax = 1 where _key = 'l3'`);
    const { id } = await ask(3, 5);
    meanwhile('run.aside-written', () => shop.w.move('dee', 'seal', release));
    const outcome = await walkRun(db, id);
    expect([outcome, (await runView(db, id)).failed]).toEqual(['waits', []]);
    expect(await runView(db, id)).toMatchObject({
      planned: [at(3)],
      skipped: [[at(4), `claimed_by:${release}`]],
    });
    await affected(
      db,
      sql`update control.registry set sealed_until = clock_timestamp() - interval '1 second'`,
    );
    await forget();
    expect(await walkRun(db, id)).toBe('ended');
    expect(await served()).toContain('l3 100.000 17.50');
  });

  it('leaves a partition alone that is published between', async () => {
    await tamper();
    const before = await served();
    meanwhile('run.aside-written', () =>
      publish(as(db, 'dee'), { dataset, from: at(4), to: at(5), sentTo: 'the office' }),
    );
    expect(await run(4, 5)).toMatchObject({ green: false, skipped: [[at(4), 'sealed']], done: [] });
    expect(await served()).toEqual(before);
  });

  it('never writes what a kept generation shares', async () => {
    const release = await shop.w.rehearsed(fix());
    await shop.w.reconciled(release);
    await shop.w.sign(release);
    await shop.w.move('dee', 'activate', release);
    const kept = () =>
      rows(
        db,
        sql`select x.* from control.generation g join control.generation_range r on r.generation = g.id
          join ds_order_tax.rows x on x._segment = r.segment and r.span @> x._partition
          where g.name = 'order_tax-g1' order by x._key`,
      );
    await affected(db, sql`update ds_order_tax.rows set tax = 1 where _key = 'l3'`);
    const before = await kept();
    expect((await run(2, 9)).changed).toEqual([at(3)]);
    expect(await kept()).toEqual(before);
    expect(await served()).toContain('l3 100.000 17.50');
  });

  it('is walked by one process, and goes on after one that died', async () => {
    await tamper();
    const { id } = await ask(4, 7);
    let inside = 'ended';
    meanwhile('run.aside-written', async () => {
      inside = await walkRun(db, id);
    });
    expect(await walkRun(db, id)).toBe('ended');
    expect(inside).toBe('not_mine');
    stop();

    await tamper();
    const dead = (await ask(4, 7)).id;
    meanwhile('run.aside-written', dies);
    await expect(walkRun(db, dead)).rejects.toThrow('gone');
    await forget();
    meanwhile('run.committed', dies);
    await expect(walkRun(db, dead)).rejects.toThrow('gone');
    expect((await runView(db, dead)).done).toEqual([at(4)]);
    await forget();
    // the sweeper asks for it
    await sweep(db);
    const queued = await rows(
      db,
      sql`select 1 from graphile_worker.jobs where key = ${`run:${dead}`}`,
    );
    expect(queued).toHaveLength(1);
    expect(await walkRun(db, dead)).toBe('ended');
    expect(await served()).toEqual(whole());
    // what the dead one left is cleared away by a later run
    await affected(
      db,
      sql`update control.segment set created_at = created_at - interval '16 minutes'`,
    );
    expect((await run(4, 7)).changed).toEqual([]);
    const left = await rows(
      db,
      sql`select 1 from ds_order_tax.rows x where not exists (select from control.generation_range r
        where r.segment = x._segment and r.span @> x._partition)`,
    );
    expect(left).toEqual([]);
  });

  it('writes nothing once another process has taken it over', async () => {
    await tamper();
    const { id } = await ask(4, 6);
    meanwhile('run.aside-written', async () => {
      await forget();
      expect(await walkRun(db, id)).toBe('ended');
    });
    expect(await walkRun(db, id)).toBe('not_mine');
    expect(await runView(db, id)).toMatchObject({ state: 'done', done: [at(4), at(5)] });
    expect(await served()).toEqual(whole());
  });

  it('says of a partition that fails what went wrong, goes on, and is retried over exactly those', async () => {
    await tamper();
    await claim(as(db, 'dee'), { dataset, from: at(7), to: at(8), owner: 'nightly' });
    const boom =
      sql.raw(`create function control.boom() returns trigger language plpgsql as $$ begin
      if new.state = 'done' and new.start_at = '${at(5)}' then
        raise exception 'no room here' using errcode = '22000'; end if; return new; end $$;
      create trigger boom before update on control.run_partition for each row execute function control.boom()`);
    await db.execute(boom);
    const failed = await run(4, 11);
    expect(failed).toMatchObject({
      state: 'failed',
      green: false,
      done: [4, 6, 8].map(at),
      failed: [[at(5), 'no room here (22000)']],
      skipped: [
        [at(7), 'claimed_by:nightly'],
        [at(9), 'no_data'],
        [at(10), 'no_data'],
      ],
      why: '1 partition failed; the list says why',
    });
    await db.execute(sql`drop trigger boom on control.run_partition`);
    await shop.w.append([event({ line: 'ten', at: day(10, 9) })]);
    await shop.w.live();
    await affected(db, sql`delete from control.claim`);
    const again = await retryRun(as(db, 'dee'), { run: failed.id });
    expect(await runView(db, again.id)).toMatchObject({
      retryOf: failed.id,
      range: { from: at(5), to: at(11) },
      planned: [5, 7, 10].map(at),
      owner: 'ana',
      by: 'dee',
    });
    expect((await refusalOf(retryRun(as(db, 'dee'), { run: again.id }))).code).toBe('WRONG_STATE');
    expect(await walkRun(db, again.id)).toBe('ended');
    expect(await runView(db, again.id)).toMatchObject({ green: true, done: [5, 7, 10].map(at) });
    expect((await refusalOf(retryRun(as(db, 'dee'), { run: again.id }))).code).toBe(
      'NOTHING_PLANNED',
    );
    expect(await served()).toEqual(whole(['ten 10.000 1.75']));
  });

  it('ends before its next partition when it is cancelled', async () => {
    await tamper();
    const { id } = await ask(4, 6);
    meanwhile('run.aside-written', () =>
      cancelRun(as(db, 'dee'), { run: id, reason: 'not today' }),
    );
    expect(await walkRun(db, id)).toBe('not_mine');
    const view = await runView(db, id);
    expect(view).toMatchObject({
      state: 'cancelled',
      green: false,
      why: 'cancelled by dee: not today',
      planned: [at(4), at(5)],
    });
    expect(await served()).not.toEqual(whole());
    expect(await walkRun(db, id)).toBe('not_mine');
    const error = await refusalOf(cancelRun(as(db, 'dee'), { run: id, reason: 'again' }));
    expect(error).toMatchObject({ code: 'WRONG_STATE', status: 409 });
    // what it never came to can be done again
    const { id: next } = await retryRun(as(db, 'ana'), { run: id });
    expect((await runView(db, next)).planned).toEqual([at(4), at(5)]);
  });

  it('refuses a fork, a range off the edges and other people’s roles', async () => {
    const wrong = (more: object, person = 'ana') =>
      refusalOf(
        askRun(as(db, person as 'ana'), { dataset, from: at(4), to: at(5), ...more } as never),
      );
    expect(await wrong({ dataset: 'order_tax~drill-1' })).toMatchObject({ status: 404 });
    expect(await wrong({ to: day(5, 7) })).toMatchObject({ code: 'RANGE_NOT_ON_PARTITION_EDGE' });
    expect(await wrong({ owner: 'vat-fix@1' })).toMatchObject({ code: 'INVALID_NAME' });
    expect(await wrong({}, 'bo')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await wrong({ dataset: 'nothing' })).toMatchObject({ status: 404 });
  });
});

describe('before a rerun', () => {
  it('everything is told that is so, and kept beside the answers', async () => {
    await open({ runs: { secondPersonOver: 3 } });
    await shop.w.append([event({ line: 'far', at: day(12, 9) })]);
    await shop.w.live();
    await publish(as(db, 'ana'), { dataset, from: at(4), to: at(6), sentTo: 'the office' });
    await claim(as(db, 'dee'), { dataset, from: at(6), to: at(8), owner: 'nightly' });
    const questions = await runQuestions(db, { dataset, from: at(4), to: at(13) });
    expect(questions).toMatchObject({
      range: { from: at(4), to: at(13) },
      partitions: { count: 9 },
      overwritable: { replaced: 4, lastRun: null },
      published: { count: 2, recipients: ['the office'] },
      claimed: [{ from: at(6), to: at(8), partitions: 2, owner: 'nightly', by: 'dee' }],
      contaminated: [],
      earlierMissing: { count: 0, named: [] },
      subscribersToTell: ['the office'],
      secondPersonNeeded: true,
      secondPersonOver: 3,
    });
    const later = await runQuestions(db, { dataset, from: at(12), to: at(13) });
    expect(later.earlierMissing).toEqual({
      count: 3,
      named: [9, 10, 11].map((n) => ({ start: at(n), why: 'no_rows' })),
    });
    expect(later.secondPersonNeeded).toBe(false);

    const answers = { overwritable: true, earlierComplete: true, publishedSeen: true, tell: 'kim' };
    const kept = await run(12, 13, { answers });
    expect(kept.answers).toEqual({
      ...answers,
      found: { replaced: 1, published: 0, earlierMissing: 3, claimed: 0, contaminated: 0 },
    });
    expect((await run(12, 13)).answers).toBeNull();
    const both = await refusalOf(
      ask(4, 6, { answers: { ...answers, overwritable: false, publishedSeen: false } }),
    );
    expect(both).toMatchObject({ status: 409, codes: ['NOT_OVERWRITABLE', 'PUBLISHED_NOT_SEEN'] });
    expect(
      (await runQuestions(db, { dataset, from: at(12), to: at(13) })).overwritable,
    ).toMatchObject({ replaced: 1, lastRun: { state: 'done' } });
  });

  it('a run over the policy’s size waits for another person', async () => {
    await open({ runs: { secondPersonOver: 2 } });
    const { id } = await ask(3, 6);
    expect(await runView(db, id)).toMatchObject({ state: 'second_person', secondNeeded: true });
    expect(await walkRun(db, id)).toBe('not_mine');
    expect((await refusalOf(confirmRun(as(db, 'ana'), { run: id }))).code).toBe('SELF_APPROVAL');
    expect((await refusalOf(confirmRun(as(db, 'bo'), { run: id }))).code).toBe('FORBIDDEN');
    await confirmRun(as(db, 'dee'), { run: id });
    expect(await runView(db, id)).toMatchObject({ state: 'planned', secondBy: 'dee' });
    expect((await refusalOf(confirmRun(as(db, 'dee'), { run: id }))).code).toBe('WRONG_STATE');
    expect(await walkRun(db, id)).toBe('ended');
    expect((await runView(db, (await ask(3, 5)).id)).state).toBe('planned');
    const { queued } = await one<{ queued: number }>(
      db,
      sql`select count(*)::int as queued from graphile_worker.jobs where task_identifier = 'run'`,
    );
    expect(queued).toBe(2);
  });
});
