import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Lab } from './range-lab';
import { RangeStore } from './store';

const [BEFORE, DAY, AFTER] = ['2024-02-28', '2024-02-29', '2024-03-01'] as const;
const good = (over: Record<string, unknown> = {}) =>
  JSON.stringify({ order_id: 'a', dt: DAY, amount: 5, status: 'paid', ...over });
const without = (name: string) => good({ [name]: undefined });
const withAmount = (text: string) => good().replace('"amount":5', `"amount":${text}`);

/** Partitions on both sides of the day, already counted once, and then changed. */
async function lab(): Promise<Lab> {
  const made = new Lab();
  await made.run('init');
  for (const dt of [BEFORE, DAY, AFTER]) made.orders(dt, [{ amount: 1n, status: 'paid' }]);
  await made.run('run', BEFORE, AFTER, 'first');
  for (const dt of [BEFORE, AFTER]) made.orders(dt, [{ amount: 2n, status: 'paid' }]);
  return made;
}

const BROKEN: [string, string | Buffer][] = [
  ['not JSON', '{"order_id": "a", '],
  ['JSON of JavaScript', `{order_id: "a", dt: "${DAY}", amount: 5, status: "paid"}`],
  ['two objects', `${good()} ${good()}`],
  ['an array', '[]'],
  ['a number', '5'],
  ['a string', '"paid"'],
  ['null', 'null'],
  ['no order_id', without('order_id')],
  ['an order_id that is a number', good({ order_id: 5 })],
  ['no dt', without('dt')],
  ['the dt of another partition', good({ dt: AFTER })],
  ['a dt with a time', good({ dt: `${DAY}T00:00:00Z` })],
  ['no amount', without('amount')],
  ['an amount with a fraction', withAmount('1.5')],
  ['an amount with a fraction of nothing', withAmount('1.0')],
  ['an amount with an exponent', withAmount('1e3')],
  ['an amount that is text', withAmount('"5"')],
  ['an amount that is a boolean', withAmount('true')],
  ['an amount that is null', withAmount('null')],
  ['an amount that is not a number', withAmount('NaN')],
  ['no status', without('status')],
  ['another status', good({ status: 'void' })],
  ['a refund that is positive', good({ status: 'refund' })],
  ['a refund of nothing', good({ status: 'refund', amount: 0 })],
  ['a name that comes twice', withAmount('5,"amount":6')],
  ['a name that comes twice, once in disguise', withAmount('5,"amoun\\u0074":6')],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['a line without end', `{"order_id": "${'x'.repeat(1_100_000)}`],
];

describe('a broken line', () => {
  it.each(BROKEN)('changes nothing: %s', async (_what, line) => {
    using made = await lab();
    const text = Buffer.concat([Buffer.from(`${good()}\n`), Buffer.from(line), Buffer.from('\n')]);
    made.lines(DAY, text);
    const before = made.dump();
    const ran = await made.run('run', BEFORE, AFTER, 'second');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(new RegExp(`^dt=${DAY}\\.jsonl line 2: `));
    expect(made.dump()).toEqual(before);

    await made.run('seal', DAY, DAY);
    expect(await made.run('amend', DAY, 'late')).toMatchObject({ code: 1, stdout: '' });
    expect(made.dump()).toEqual({ ...before, seals: [{ dt: DAY }] });
    // What a run does not touch, it does not read.
    expect(await made.run('run', BEFORE, AFTER, 'second')).toMatchObject({ code: 5 });
  });

  it('is told for each partition of the range', async () => {
    using made = await lab();
    made.lines(BEFORE, 'x\n');
    made.lines(AFTER, `${good({ dt: AFTER })}\n\n\n${good({ dt: AFTER })}`);
    const ran = await made.run('run', BEFORE, AFTER, 'second');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(`dt=${BEFORE}.jsonl line 1: not JSON`);
    expect(ran.stderr).toContain(`dt=${AFTER}.jsonl line 2: empty, although lines follow`);
    expect(ran.stderr).toContain('nothing was changed');
  });

  it('may be a folder where a file should be', async () => {
    using made = await lab();
    const before = made.dump();
    made.remove(DAY);
    mkdirSync(made.pathOf(DAY));
    const ran = await made.run('run', BEFORE, AFTER, 'second');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(`dt=${DAY}.jsonl is not a file`);
    expect(made.dump()).toEqual(before);
  });
});

describe('a whole line', () => {
  it.each([
    ['with a line end of Windows', `${good()}\r\n${good()}\r\n`, 2n],
    ['with nothing behind the last', `${good()}\n${good()}`, 2n],
    ['with empty lines behind the last', `${good()}\n\n \n`, 1n],
    ['of a file that begins with a byte order mark', `\ufeff${good()}\n`, 1n],
    ['with more than is asked for', `${good({ note: 'x', more: { dt: 1, amount: [] } })}\n`, 1n],
    ['that is long', `${good({ order_id: '주'.repeat(300_000) })}\n`, 1n],
    ['of one order beside another of it', `${good()}\n${good({ amount: 7 })}\n`, 2n],
    ['in an empty file', '', 0n],
  ])('is counted: %s', async (_what, text, orders) => {
    using made = await lab();
    made.lines(DAY, text);
    const ran = await made.run('run', DAY, DAY, 'second');
    expect(ran).toMatchObject({ code: 0, json: { done: [DAY], orders } });
  });
});

describe('amounts', () => {
  const MAX = 2n ** 63n - 1n;

  it.each([2n ** 53n + 1n, MAX, -(2n ** 63n)])('are exact: %d', async (amount) => {
    using made = await lab();
    // The parts of a sum may be larger than it.
    const parts = [withAmount(String(amount - 5n)), good()];
    made.lines(DAY, parts.join('\n'));
    const ran = await made.run('run', DAY, DAY, 'second');
    expect(ran).toMatchObject({ code: 0, json: { amount } });
    expect(made.rows(`select amount from daily where dt = '${DAY}'`)).toEqual([{ amount }]);
  });

  it.each([MAX + 1n, -(2n ** 63n) - 1n])(
    'are refused where SQLite would round: %d',
    async (sum) => {
      using made = await lab();
      made.lines(DAY, withAmount(String(sum)));
      const before = made.dump();
      const ran = await made.run('run', BEFORE, AFTER, 'second');
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toContain('64 bits');
      expect(made.dump()).toEqual(before);
    },
  );

  it('are never rounded in totals either', async () => {
    using made = await lab();
    made.orders(DAY, [{ amount: MAX - 1n, status: 'paid' }]);
    await made.run('run', DAY, DAY, 'second');
    expect(await made.run('rollup-add', DAY, DAY)).toMatchObject({
      code: 0,
      json: { mode: 'add', order_total: 1n, amount_total: MAX - 1n },
    });
    const before = made.dump();
    expect(await made.run('rollup-add', DAY, DAY)).toMatchObject({ code: 1, stdout: '' });
    expect(await made.run('rollup')).toMatchObject({ code: 1, stdout: '' });
    expect(made.dump()).toEqual(before);
    // One that no row can hold may still be told.
    const ran = await made.run('run', BEFORE, AFTER, 'second');
    expect(ran).toMatchObject({ code: 0, json: { amount: MAX + 3n } });
  });
});

it('leaves a partition alone that was sealed after the run had looked', async () => {
  using made = await lab();
  const store = RangeStore.open(made.db);
  try {
    const before = made.dump();
    await made.run('seal', DAY, DAY);
    const count = () => ({ orders: 9n, amount: 9n });
    expect(store.replace(DAY, 'second', count)).toBe('sealed');
    expect(made.dump().daily).toEqual(before.daily);
  } finally {
    store.close();
  }
});

it('does not correct what is not sealed, or cannot be counted', async () => {
  using made = await lab();
  expect(await made.run('amend', DAY, 'late')).toMatchObject({ code: 6, stdout: '' });
  await made.run('seal', DAY, DAY);
  made.remove(DAY);
  const ran = await made.run('amend', DAY, 'late');
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain(made.pathOf(DAY));
  expect(made.dump().corrections).toEqual([]);
});
