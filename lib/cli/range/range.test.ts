import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { childEnv, parseEnv } from '@/lib/env';
import { endOf, Lab, root } from './range-lab';

const FROM = '2031-12-30';
const TO = '2032-01-02';
const paid = (amount: bigint) => ({ amount, status: 'paid' }) as const;
const refund = (amount: bigint) => ({ amount, status: 'refund' }) as const;

/** Arguments with which each command could be carried out. */
const COMMANDS: [name: string, ...args: string[]][] = [
  ['init'],
  ['run', FROM, TO, 'ana'],
  ['claim', FROM, TO, 'ana'],
  ['release', FROM, TO, 'ana'],
  ['seal', FROM, TO],
  ['amend', FROM, 'late'],
  ['rollup-add', FROM, TO],
  ['rollup'],
];
const PAGES: [name: string][] = [['report'], ['demo']];

describe('the command line', () => {
  it('says one JSON object on stdout and nothing else, started by npm and by node', async () => {
    using lab = new Lab();
    lab.orders(FROM, [paid(3n), refund(-1n)]);
    const npm = spawn('npm', ['run', '-s', 'range', '--', 'init'], {
      cwd: root,
      env: childEnv({ BACKFILL_DB: lab.db, BACKFILL_EVENTS: lab.events }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(await endOf(npm)).toEqual({
      code: 0,
      stdout: '{"ok": true}\n',
      stderr: '',
      json: { ok: true },
    });
    const run = await lab.start('run', FROM, FROM, 'ana').ended;
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.split('\n')).toHaveLength(2);
    expect(run.json).toEqual({ owner: 'ana', done: [FROM], skipped: [], orders: 2n, amount: 2n });

    const wrong = await lab.start('run', FROM).ended;
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('FROM TO OWNER');
  }, 60_000);

  it('keeps state and partitions where the settings say', () => {
    expect(parseEnv({})).toMatchObject({
      BACKFILL_DB: path.resolve('state.db'),
      BACKFILL_EVENTS: path.resolve('events'),
    });
    expect(parseEnv({ BACKFILL_DB: '/x/y.db', BACKFILL_EVENTS: '/x/e' })).toMatchObject({
      BACKFILL_DB: '/x/y.db',
      BACKFILL_EVENTS: '/x/e',
    });
  });

  it('says what it can do, to people', async () => {
    using lab = new Lab();
    const help = await lab.run('--help');
    expect(help).toMatchObject({ code: 0, stdout: '' });
    for (const [name] of [...COMMANDS, ...PAGES]) expect(help.stderr).toContain(`  ${name} `);
  });

  it.each([[], ['frobnicate'], ['RUN', FROM, TO, 'ana'], ['']])(
    'does not know the command %j',
    async (...argv) => {
      using lab = new Lab();
      expect(await lab.run(...argv)).toMatchObject({ code: 2, stdout: '' });
      expect(existsSync(lab.db)).toBe(false);
    },
  );

  it.each(COMMANDS)('wants its number of arguments: %s', async (...argv) => {
    using lab = new Lab();
    const bad = [[...argv, 'more'], ...(argv.length > 1 ? [argv.slice(0, -1)] : [])];
    for (const each of bad) expect(await lab.run(...each)).toMatchObject({ code: 2, stdout: '' });
    await lab.run('init');
    const before = lab.dump();
    for (const each of bad) expect(await lab.run(...each)).toMatchObject({ code: 2, stdout: '' });
    expect(lab.dump()).toEqual(before);
  });

  it.each(PAGES)('knows two languages: %s', async (name) => {
    using lab = new Lab();
    await lab.run('init');
    for (const args of [['--lang', 'fr'], ['--lang', 'toString'], ['--lang'], ['--x'], ['ko']]) {
      expect(await lab.run(name, ...args)).toMatchObject({ code: 2, stdout: '' });
    }
  });

  it.each([...COMMANDS.filter(([name]) => name !== 'init'), ['report']])(
    'misses the store: %s',
    async (...argv) => {
      using lab = new Lab();
      expect(await lab.run(...argv)).toMatchObject({ code: 3, stdout: '' });
      expect(existsSync(lab.db)).toBe(false);
      for (const other of ['', 'no database, but long enough to be taken for one'.repeat(9)]) {
        writeFileSync(lab.db, other);
        const ran = await lab.run(...argv);
        expect(ran).toMatchObject({ code: 3, stdout: '' });
        expect(ran.stderr).toContain(lab.db);
      }
    },
  );

  it.each([
    '2026-02-30',
    '2025-02-29',
    '2026-2-1',
    '20260201',
    '2026-13-01',
    '0000-01-01',
    '2026-02-01T00:00:00Z',
    ' 2026-02-01',
    'today',
    '',
  ])('refuses %j as a date', async (date) => {
    using lab = new Lab();
    await lab.run('init');
    const before = lab.dump();
    for (const [name, ...args] of COMMANDS.filter((command) => command.includes(FROM))) {
      const at = args.flatMap((arg, i) => (arg === FROM || arg === TO ? [i] : []));
      for (const i of at) {
        const ran = await lab.run(name, ...args.with(i, date));
        expect(ran).toMatchObject({ code: 2, stdout: '' });
        expect(ran.stderr).toContain(JSON.stringify(date));
      }
    }
    expect(lab.dump()).toEqual(before);
  });

  it.each(COMMANDS.filter((command) => command.includes(TO)))(
    'refuses a reversed range: %s',
    async (name, _from, _to, ...rest) => {
      using lab = new Lab();
      await lab.run('init');
      const ran = await lab.run(name, TO, FROM, ...rest);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toContain('reversed');
    },
  );

  it('refuses an empty owner and an empty reason', async () => {
    using lab = new Lab();
    await lab.run('init');
    for (const name of ['run', 'claim', 'release']) {
      expect(await lab.run(name, FROM, TO, ' ')).toMatchObject({ code: 2, stdout: '' });
    }
    expect(await lab.run('amend', FROM, '')).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('the store', () => {
  it('has the five tables, daily without a key and claims with the date as its key', async () => {
    using lab = new Lab();
    await lab.run('init');
    const columns = (table: string) =>
      lab.rows(`select name, pk from pragma_table_info('${table}') order by cid`);
    const named = (...names: string[]) => names.map((name) => ({ name, pk: 0n }));
    expect(columns('daily')).toEqual(named('dt', 'orders', 'amount', 'owner'));
    expect(columns('rollup').map(({ name }) => name)).toEqual(['metric', 'value']);
    expect(columns('claims')).toEqual([{ name: 'dt', pk: 1n }, ...named('owner')]);
    expect(columns('seals').map(({ name }) => name)).toEqual(['dt']);
    expect(columns('corrections').map(({ name }) => name)).toEqual([
      'dt',
      'orders_before',
      'amount_before',
      'orders_after',
      'amount_after',
      'reason',
    ]);
    expect(lab.rows("select name from sqlite_master where type = 'table'")).toHaveLength(5);
    expect(lab.rows("select name from pragma_index_list('daily')")).toEqual([]);
  });

  it('keeps what it holds when it is made again', async () => {
    using lab = new Lab();
    lab.orders(FROM, [paid(3n)]);
    await lab.run('init');
    await lab.run('run', FROM, FROM, 'ana');
    await lab.run('claim', FROM, TO, 'ana');
    const before = lab.dump();
    expect(await lab.run('init')).toMatchObject({ code: 0, json: { ok: true } });
    expect(lab.dump()).toEqual(before);
  });

  it('puts one row for the many that a partition may have', async () => {
    using lab = new Lab();
    lab.orders(FROM, [paid(3n)]);
    await lab.run('init');
    lab.rows(
      `insert into daily values ('${FROM}', 9, 9, 'x'), ('${FROM}', 9, 9, 'y') returning dt`,
    );
    await lab.run('run', FROM, FROM, 'ana');
    expect(lab.dump().daily).toEqual([{ dt: FROM, orders: 1n, amount: 3n, owner: 'ana' }]);
  });

  it('warns of a folder that is not there, where every date has no data', async () => {
    using lab = new Lab();
    await lab.run('init');
    const { events } = lab;
    Object.assign(lab, { events: `${events}-elsewhere` });
    const ran = await lab.run('run', FROM, FROM, 'ana');
    expect(ran).toMatchObject({ code: 0, json: { done: [], skipped: [[FROM, 'no_data']] } });
    expect(ran.stderr).toContain('there is no folder');
  });
});
