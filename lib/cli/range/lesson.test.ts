import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { datesOf } from './dates';
import { Lab, type Order } from './range-lab';

const KOREAN = [
  '## 무엇을 다시 돌렸나',
  '## 정기 실행과 어떻게 부딪혔나',
  '## 누적 집계는 왜 두 배가 되나',
  '## 되돌리면 안 되는 자리',
];
const ENGLISH = [
  '## What was run again',
  '## How it met the regular run',
  '## Why an accumulated total doubles',
  '## Places that must not be gone back to',
];
const headings = (page: string) => page.split('\n').filter((line) => line.startsWith('## '));

describe('demo', () => {
  it('walks the whole lesson, and says what it shows on stderr', async () => {
    using lab = new Lab();
    const ran = await lab.start('demo', '--lang', 'ko').ended;
    expect(ran.code).toBe(0);
    expect(ran.stdout.split('\n')).toHaveLength(2);

    const dates = datesOf('2026-02-01', '2026-02-14');
    expect(readdirSync(lab.events).sort()).toEqual(dates.map((dt) => `dt=${dt}.jsonl`));
    const { daily = [], corrections = [], seals } = lab.dump();
    expect(daily.map(({ dt }) => dt)).toEqual(dates);
    expect(new Set(daily.map(({ orders }) => orders)).size).toBe(14);

    const split = JSON.parse(lab.page('split.json'));
    const double = JSON.parse(lab.page('double.json'));
    const report = JSON.parse(lab.page('backfill_report.json'));
    expect(JSON.parse(ran.stdout)).toEqual({ split, double, report });
    const total = (name: string, from = '', to = '9') =>
      daily
        .filter(({ dt }) => String(dt) >= from && String(dt) <= to)
        .reduce((all, row) => all + Number(row[name]), 0);
    const whole = { orders: total('orders'), amount: total('amount') };
    expect(split).toEqual({ whole, by_day: whole, rerun_changed: false });
    const [from, to] = double.backfill_range;
    expect(double).toEqual({
      backfill_range: [from, to],
      true_total: whole.amount,
      add_after_backfill: whole.amount + total('amount', from, to),
      gap: total('amount', from, to),
    });
    expect(double.gap).not.toBe(0);

    expect(seals).toEqual([{ dt: '2026-02-02' }]);
    expect(corrections).toHaveLength(1);
    const [correction] = corrections;
    expect(correction?.orders_after).toBe(BigInt(String(correction?.orders_before)) + 1n);
    expect(correction?.amount_after).not.toBe(correction?.amount_before);
    expect(report).toEqual({
      partitions: 14,
      ...whole,
      sealed: ['2026-02-02'],
      corrections: 1,
      rollup: { order_total: whole.orders, amount_total: whole.amount },
      double_gap: double.gap,
    });
    const page = lab.page('backfill_report.md');
    expect(headings(page)).toEqual(KOREAN);
    expect(page).toContain(String(double.gap));
    for (const said of ['claimed_by:regular', 'sealed', 'exit code 4', 'exit code 5', '"gap"']) {
      expect(ran.stderr).toContain(said);
    }
  }, 60_000);

  it('is not mixed into what is there already', async () => {
    using lab = new Lab();
    await lab.run('init');
    await lab.run('claim', '2026-02-01', '2026-02-01', 'ana');
    const before = lab.dump();
    expect(await lab.run('demo')).toMatchObject({ code: 1, stdout: '' });
    await lab.run('release', '2026-02-01', '2026-02-01', 'ana');
    lab.lines('2020-01-01', '');
    expect(await lab.run('demo')).toMatchObject({ code: 1, stdout: '' });
    expect(lab.dump()).toEqual({ ...before, claims: [] });
    expect(readdirSync(lab.events)).toEqual(['dt=2020-01-01.jsonl']);
    lab.remove('2020-01-01');
    expect(await lab.run('demo')).toMatchObject({ code: 0 });
  });
});

describe('report', () => {
  it('writes what the store says, and changes nothing in it', async () => {
    const order: fc.Arbitrary<Order> = fc
      .bigInt(1n, 2n ** 56n)
      .chain((size) =>
        fc.constantFrom<Order>(
          { amount: size, status: 'paid' },
          { amount: -size, status: 'refund' },
        ),
      );
    const days = fc.array(fc.option(fc.array(order, { maxLength: 5 })), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(days, async (partitions) => {
        using lab = new Lab();
        const dates = datesOf('2027-12-25', '2028-01-05').slice(0, partitions.length);
        const [first = '', last = ''] = [dates[0], dates.at(-1)];
        for (const [i, orders] of partitions.entries()) {
          if (orders !== null) lab.orders(dates[i] ?? '', orders);
        }
        await lab.run('init');
        await lab.run('run', first, last, 'ana');
        await lab.run('seal', first, first);
        await lab.run('amend', first, 'late');
        const before = lab.dump();
        const ran = await lab.run('report');
        expect(ran.code).toBe(0);
        expect(lab.dump()).toEqual(before);
        expect(lab.page('backfill_report.json')).toBe(ran.stdout);
        expect(headings(lab.page('backfill_report.md'))).toEqual(ENGLISH);

        const rows = before.daily ?? [];
        const add = (all: bigint, value: unknown) => all + BigInt(String(value));
        const orders = rows.map((row) => row.orders).reduce(add, 0n);
        const amount = rows.map((row) => row.amount).reduce(add, 0n);
        const third = Math.floor(rows.length / 3);
        const again = rows.slice(third, Math.max(third + 1, Math.floor((rows.length * 2) / 3)));
        const gap = again.map((row) => row.amount).reduce(add, 0n);
        expect(ran.json).toEqual({
          partitions: BigInt(rows.length),
          orders,
          amount,
          sealed: [first],
          corrections: BigInt(before.corrections?.length ?? 0),
          rollup: { order_total: orders, amount_total: amount },
          double_gap: gap,
        });
        if (rows.length > 0) expect(lab.page('backfill_report.md')).toContain(String(gap));
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  it('keeps people’s words from being taken for markup', async () => {
    using lab = new Lab();
    lab.orders('2027-01-01', [{ amount: 1n, status: 'paid' }]);
    await lab.run('init');
    await lab.run('run', '2027-01-01', '2027-01-01', '<b>|*a*\n# b');
    await lab.run('report', '--lang', 'ko');
    const page = lab.page('backfill_report.md');
    expect(headings(page)).toEqual(KOREAN);
    expect(page).toContain('| 2027-01-01 | 1 | 1 | \\<b\\>\\|\\*a\\* \\# b |');
  });

  it('says where a stored total was added up wrongly', async () => {
    using lab = new Lab();
    lab.orders('2027-01-01', [{ amount: 41n, status: 'paid' }]);
    await lab.run('init');
    await lab.run('run', '2027-01-01', '2027-01-01', 'ana');
    await lab.run('rollup-add', '2027-01-01', '2027-01-01');
    await lab.run('rollup-add', '2027-01-01', '2027-01-01');
    await lab.run('report');
    expect(lab.page('backfill_report.md')).toContain('another one: 2 orders, amount 82');
    await lab.run('rollup');
    await lab.run('report');
    expect(lab.page('backfill_report.md')).toContain('the same: 1 orders, amount 41');
  });
});
