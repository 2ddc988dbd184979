import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { affected, rows } from '@/lib/db/client';
import { type Child, Children } from '@/lib/faults/support/child';
import { Scenario } from '@/lib/faults/support/scenario';
import { askRun } from '@/lib/services/runs';
import { day } from '@/lib/testing/shop';
import { as, event } from '@/lib/testing/world';

let s: Scenario;
let children: Children;

/** Beside each day's line another one, whose events are what may be lost. */
beforeEach(async () => {
  s = await Scenario.open();
  children = await Children.of(s.t.url, s.db);
  await s.write(
    [4, 5, 6, 7].flatMap((n) => [
      event({ line: `stays${n}`, at: day(n, 8) }),
      event({ line: `moves${n}`, at: day(n, 9) }),
      event({ line: `goes${n}`, at: day(n, 10) }),
    ]),
  );
});
afterEach(async () => {
  await children.end();
  await s.t.close();
});

let revision = 1;
/** On a day: a change, a newcomer, one that goes, one that comes from the next day and one back. */
async function arrive(n: number): Promise<void> {
  revision += 1;
  await s.append([
    event({ line: `stays${n}`, at: day(n, 8), price: `${revision}.00`, revision }),
    event({ line: `new${n}-${revision}`, at: day(n, 11) }),
    event({ line: `goes${n}`, at: day(n, 10), op: 'delete', revision }),
    event({ line: `moves${n + 1}`, at: day(n, 12), revision }),
    event({ line: `moves${n}`, at: day(n + 1, 12), revision }),
  ]);
}

const ask = (from: number, to: number) =>
  askRun(as(s.db, 'ana'), { dataset: 'order_tax', from: day(from, 0), to: day(to, 0) });

/** What the log does not yield, so that a run has something to turn over. */
const tamper = () =>
  affected(s.db, sql`update ds_order_tax.rows set tax = 1 where _key in ('l4', 'l5', 'l6', 'l7')`);

/** Waits until a process stands in line for a lock. */
async function untilBlocked(child: Child): Promise<void> {
  const waiting = () =>
    rows(
      s.db,
      sql`select 1 from pg_stat_activity
        where application_name = ${child.name} and wait_event_type = 'Lock'`,
    );
  await expect.poll(waiting, { timeout: 60_000, interval: 5 }).toHaveLength(1);
}

const reports = () =>
  rows<{ run: string; day: string; state: string; changed: boolean }>(
    s.db,
    sql`select run, to_char(start_at, 'DD') as day, state, changed from control.run_partition
      order by run, start_at`,
  );

const done = { kind: 'done' };

it.each([
  ['as its rows stand', false],
  ['of which rows were changed by hand', true],
])('a run of a range %s loses no event and doubles none', async (_, changed) => {
  if (changed) await tamper();
  const body = async () => {
    // before: in the log, and not applied yet
    await arrive(4);
    await ask(4, 8);
    const runner = children.take();
    const reached = { kind: 'reached', step: 'run.aside-written' };
    expect(await runner.do({ kind: 'runner' }, 'run.aside-written')).toEqual(reached);
    // between: computed, and not turned over
    await arrive(4);
    await arrive(6);
    expect(await children.take().do({ kind: 'live' })).toEqual(done);
    expect(await runner.go()).toEqual(done);
    // after
    await arrive(4);
    await arrive(7);
    expect(await children.take().do({ kind: 'live' })).toEqual(done);
  };
  // what was changed by hand is not what readers are to get
  if (changed) await body();
  else await s.watching(body);
  await s.expectAll('order_tax-g1');
  const found = await reports();
  expect(found.map(({ day: on, state }) => `${on} ${state}`)).toEqual(
    ['04', '05', '06', '07'].map((on) => `${on} done`),
  );
  expect(found.every((part) => part.changed === changed)).toBe(true);
});

it('a live writer waits for a run that turns a partition over, and writes to what it then is', async () => {
  await tamper();
  await ask(4, 8);
  const runner = children.take();
  const reached = { kind: 'reached', step: 'run.before-commit' };
  expect(await runner.do({ kind: 'runner' }, 'run.before-commit')).toEqual(reached);
  await arrive(4);
  const writer = children.take();
  const written = writer.do({ kind: 'live' });
  await untilBlocked(writer);
  expect(await runner.go()).toEqual(done);
  expect(await written).toEqual(done);
  await s.expectAll('order_tax-g1');
});

it('a run waits for a live writer, and turns over what that wrote', async () => {
  await tamper();
  await ask(4, 8);
  const runner = children.take();
  const aside = { kind: 'reached', step: 'run.aside-written' };
  expect(await runner.do({ kind: 'runner' }, 'run.aside-written')).toEqual(aside);
  await arrive(4);
  const writer = children.take();
  const written = { kind: 'reached', step: 'live.before-commit' };
  expect(await writer.do({ kind: 'live' }, 'live.before-commit')).toEqual(written);
  const ended = runner.go();
  await untilBlocked(runner);
  expect(await writer.go()).toEqual(done);
  expect(await ended).toEqual(done);
  await s.expectAll('order_tax-g1');
});

it('a run that another one was quicker than finds its partitions right', async () => {
  await tamper();
  const aside = { kind: 'reached', step: 'run.aside-written' };
  const { id: first } = await ask(4, 8);
  const one = children.take();
  expect(await one.do({ kind: 'runner' }, 'run.aside-written')).toEqual(aside);
  const { id: second } = await ask(4, 8);
  const other = children.take();
  expect(await other.do({ kind: 'runner' }, 'run.aside-written')).toEqual(aside);
  expect(await one.go()).toEqual(done);
  // of what it computed, the rows that it was compared with are no longer served
  expect(await other.go()).toEqual(done);
  await s.expectAll('order_tax-g1');
  const found = await reports();
  expect(found.filter(({ state }) => state === 'done')).toHaveLength(8);
  expect(found.filter(({ run }) => run === first).every(({ changed }) => changed)).toBe(true);
  expect(found.filter(({ run }) => run === second).some(({ changed }) => changed)).toBe(false);
});

it('two runs over one range at once come to the same', async () => {
  await tamper();
  const { id: first } = await ask(4, 8);
  const one = children.take();
  const reached = { kind: 'reached', step: 'run.before-commit' };
  expect(await one.do({ kind: 'runner' }, 'run.before-commit')).toEqual(reached);
  const { id: second } = await ask(4, 8);
  await arrive(5);
  const other = children.take();
  const ended = other.do({ kind: 'runner' });
  await untilBlocked(other);
  expect(await one.go()).toEqual(done);
  expect(await ended).toEqual(done);
  await s.expectAll('order_tax-g1');
  const found = await reports();
  expect(found.filter(({ state }) => state === 'done')).toHaveLength(8);
  for (const each of ['04', '05', '06', '07']) {
    // whoever comes second finds what the first one made
    const changed = found.filter((part) => part.day === each && part.changed);
    expect(changed, each).toHaveLength(1);
  }
  expect(new Set(found.map(({ run }) => run))).toEqual(new Set([first, second]));
});
