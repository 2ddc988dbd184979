import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { formatDecimal } from '@/lib/domain/figures';
import { Lab, root } from './range-lab';

interface Added {
  amount_total: bigint;
}

it('the page about totals has the figures that the demo shows', async () => {
  using lab = new Lab();
  const demo = await lab.run('demo');
  const { double, report } = demo.json as {
    double: Record<string, bigint> & { backfill_range: [string, string] };
    report: Record<string, bigint>;
  };
  const [from, to] = double.backfill_range;
  const job = async () => {
    await lab.run('run', from, to, 'backfill');
    return ((await lab.run('rollup-add', from, to)).json as Added).amount_total;
  };
  const derived = async () => ((await lab.run('rollup')).json as Added).amount_total;
  const whole = await derived();
  const [once, twice] = [await job(), await job()];
  expect([whole, once, twice]).toEqual([
    double.true_total,
    double.add_after_backfill,
    whole + 2n * (double.gap as bigint),
  ]);
  expect([await derived(), await derived()]).toEqual([whole, whole]);
  const [correction] = lab.dump().corrections ?? [];
  const [sent, now] = [correction?.amount_before as bigint, correction?.amount_after as bigint];
  const days = lab.rows('select count(*) as days from daily')[0]?.days;
  expect([days, report.partitions]).toEqual([14n, 14n]);

  const text = readFileSync(path.join(root, 'docs/totals.md'), 'utf8').replace(/\s+/g, ' ');
  const figure = (value: unknown) => formatDecimal(String(value));
  for (const said of [
    `and their total is taken | ${figure(whole)} | ${figure(whole)} |`,
    `${from} to ${to} is run again, and added as the job always does | **${figure(once)}** | ${figure(whole)} |`,
    `once more | **${figure(twice)}** | ${figure(whole)} |`,
    `so the share, ${figure(double.gap)}, is in it`,
    `${figure(once)} looks as good as ${figure(whole)}`,
    `${correction?.dt} is sealed at ${figure(sent)}`,
    `would be ${figure(now)}.`,
    `The total stays ${figure(whole)}`,
    `as of now it is ${figure(whole + now - sent)}`,
    `the difference, ${figure(now - sent)}, is the late order`,
  ]) {
    expect(text).toContain(said);
  }
});
