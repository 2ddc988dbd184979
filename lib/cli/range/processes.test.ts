import { spawn } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { childEnv } from '@/lib/env';
import { datesOf } from './dates';
import { endOf, Lab, root } from './range-lab';

/** Carries out command after command, from the moment on at which its stdin says so. */
const RACER = `
  import { runRange } from './lib/cli/range/program.ts';
  const { DB: db, EVENTS: events, COMMANDS: commands } = process.env;
  const io = { db, events, write: (text) => process.stdout.write(text), say: console.error };
  process.stdin.once('data', async () => {
    for (const argv of JSON.parse(commands)) {
      await runRange(argv, io);
      await new Promise(setImmediate);
    }
    process.exit();
  });
  process.stderr.write('ready');
`;

/** Starts a process for each list of commands, all at one moment; gives what each has answered. */
async function race(lab: Lab, lists: string[][][]) {
  const racers = lists.map((commands) => {
    const args = ['--import', 'tsx', '--input-type=module', '--eval', RACER];
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: childEnv({ DB: lab.db, EVENTS: lab.events, COMMANDS: JSON.stringify(commands) }),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const ready = new Promise((resolve) => child.stderr.once('data', resolve));
    return { child, ready, ended: endOf(child) };
  });
  await Promise.all(racers.map(({ ready }) => ready));
  for (const { child } of racers) child.stdin.end('go');
  return racers.map(({ ended }) =>
    ended.then(({ stdout, stderr }) => {
      expect(stderr).toBe('ready');
      return stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    }),
  );
}

it('grants each date once, however many processes ask at once', async () => {
  using lab = new Lab();
  await lab.run('init');
  const dates = datesOf('2030-01-01', '2030-03-31');
  const owners = ['a', 'b', 'c', 'd'];
  const claims = owners.map((owner) => dates.map((dt) => ['claim', dt, dt, owner]));
  const answers = await Promise.all(await race(lab, claims));

  const holders = new Map(lab.dump().claims?.map(({ dt, owner }) => [dt, owner]));
  expect([...holders.keys()]).toEqual(dates);
  for (const [i, owner] of owners.entries()) {
    expect(answers[i]).toEqual(
      dates.map((dt) => {
        const holder = holders.get(dt);
        const mine = holder === owner;
        return { owner, claimed: mine ? [dt] : [], denied: mine ? [] : [[dt, holder]] };
      }),
    );
  }
}, 120_000);

it('shows a partition whole at every moment while runs of it race', async () => {
  const dt = '2030-01-01';
  using lab = new Lab();
  lab.orders(dt, [{ amount: 7n, status: 'paid' }]);
  await lab.run('init');
  await lab.run('run', dt, dt, 'a');
  const running = await race(
    lab,
    ['a', 'b', 'c'].map((owner) => Array.from({ length: 60 }, () => ['run', dt, dt, owner])),
  );
  let open = true;
  const ended = Promise.all(running).finally(() => {
    open = false;
  });
  while (open) {
    expect(lab.rows('select dt, orders, amount from daily')).toEqual([
      { dt, orders: 1n, amount: 7n },
    ]);
    await setImmediate();
  }
  for (const [i, answers] of (await ended).entries()) {
    expect(answers).toEqual(
      Array(60).fill({ owner: 'abc'[i], done: [dt], skipped: [], orders: 1, amount: 7 }),
    );
  }
  expect(lab.rows('select dt from daily')).toHaveLength(1);
}, 120_000);

it('grants a whole range date by date to commands that were started together', async () => {
  using lab = new Lab();
  await lab.run('init');
  const [from, to] = ['2030-01-01', '2030-01-09'] as const;
  const owners = ['a', 'b', 'c'];
  const ran = await Promise.all(owners.map((owner) => lab.start('claim', from, to, owner).ended));
  // Whoever came first has all of it: one command is one transaction.
  expect(ran.map(({ code }) => code).sort()).toEqual([0, 4, 4]);
  const winner = owners[ran.findIndex(({ code }) => code === 0)];
  expect(lab.dump().claims).toEqual(datesOf(from, to).map((dt) => ({ dt, owner: winner })));
}, 120_000);

it('has one row a date while two runs cross and one of them is killed', async () => {
  const [from, to] = ['2030-01-01', '2030-08-31'] as const;
  const dates = datesOf(from, to);
  using lab = new Lab();
  const orders = dates.map((_, i) => ({ count: 1 + (i % 4), amount: BigInt(100 + i) }));
  for (const [i, { count, amount }] of orders.entries()) {
    lab.orders(dates[i] ?? '', Array(count).fill({ amount, status: 'paid' }));
  }
  const figures = orders.map(({ count, amount }, i) => ({
    dt: dates[i],
    orders: BigInt(count),
    amount: BigInt(count) * amount,
  }));
  await lab.run('init');

  // A run may end before it is hit; such a round must agree too, but counts for nothing.
  let kills = 0;
  for (let round = 0; kills < 3 && round < 40; round += 1) {
    lab.rows('delete from daily returning dt');
    const { killed, other } = await cross(lab, from, to, 1 + 30 * kills);
    expect(other).toMatchObject({ code: 0, json: { done: dates, skipped: [] } });
    if (killed.code === null && killed.stdout === '') kills += 1;
    expect(lab.rows('select dt, orders, amount from daily order by dt')).toEqual(figures);
  }
  expect(kills).toBe(3);
  expect(await lab.run('run', from, to, 'after')).toMatchObject({ code: 0 });
  expect(lab.dump().daily).toEqual(figures.map((row) => ({ ...row, owner: 'after' })));
}, 240_000);

/** Runs a range in two processes and kills the one that wrote last, once so many rows are there. */
async function cross(lab: Lab, from: string, to: string, killAt: number) {
  const runs = { a: lab.start('run', from, to, 'a'), b: lab.start('run', from, to, 'b') };
  let open = true;
  const ended = Promise.all([runs.a.ended, runs.b.ended]).finally(() => {
    open = false;
  });
  let victim: 'a' | 'b' | null = null;
  while (open) {
    expect(lab.rows('select dt from daily group by dt having count(*) <> 1')).toEqual([]);
    const [last] = lab.rows(
      'select owner, (select count(*) from daily) as rows from daily order by rowid desc limit 1',
    );
    if (victim === null && Number(last?.rows ?? 0) >= killAt) {
      victim = last?.owner === 'a' ? 'a' : 'b';
      runs[victim].child.kill('SIGKILL');
    }
    await setImmediate();
  }
  const [a, b] = await ended;
  return victim === 'a' ? { killed: a, other: b } : { killed: b, other: a };
}
