import { afterAll, beforeAll, expect, it } from 'vitest';
import { correctionList } from '@/lib/queries/corrections';
import { partitionHistory } from '@/lib/queries/corrections-history';
import { publish } from '@/lib/services/publication';
import type { TestDatabase } from '@/lib/testing/database';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';
import { rollup } from '@/lib/web/api/figures';

let t: TestDatabase;
let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  t = shop.t;
});
afterAll(() => t.close());

const at = (n: number) => `2011-01-0${n}T00:00:00Z`;

it('a cutover’s corrections name the release, its receipts and who signed', async () => {
  const { w } = shop;
  await publish(as(t.db, 'ana'), { dataset: 'order_tax', from: at(3), to: at(6), sentTo: 'tax' });
  const before = await rollup(t.db, { dataset: 'order_tax' });
  const release = await w.rehearsed(fix({ sealedPartitions: 'CORRECT' }));
  await w.reconciled(release);
  await w.sign(release);
  await w.move('dee', 'activate', release);

  const { items } = await correctionList(t.db, { release }, { limit: 10 });
  const ofRange = items.filter(({ receipt }) => receipt !== null);
  expect(ofRange.map(({ partition }) => partition.start).sort()).toEqual([at(4), at(5)]);
  for (const item of ofRange) {
    expect(item).toMatchObject({
      kind: 'cutover',
      release,
      receipt: { release, partition: item.partition.start },
      signatures: ['bo', 'cyd'],
      generation: 'vat-fix-g2',
      before: { partials: { tax: '17.50' } },
      after: { partials: { tax: '20.00' } },
      delta: { rows: 0, sums: { net: '0.000' }, partials: { tax: '2.50', lines: '0' } },
    });
  }
  const now = await rollup(t.db, { dataset: 'order_tax' });
  expect(before.metrics).toEqual({ tax: '122.50', lines: '7' });
  // days 6 and 7 are served by the new rate; 4 and 5 as published, and corrected
  expect(now.metrics).toEqual({ tax: '127.50', lines: '7' });
  expect(now.asOfNow).toEqual({ tax: '132.50', lines: '7' });
  expect(now.corrections.partitions).toBe(items.length);
  const history = await partitionHistory(t.db, 'order_tax', at(4));
  expect(history).toMatchObject({
    addsUp: true,
    published: { generation: 'order_tax-g1', partials: { tax: '17.50' } },
    asOfNow: { partials: { tax: '20.00' } },
    partition: { start: at(4) },
  });
  expect(history.published.root).not.toBe(history.asOfNow.root);

  await w.move('dee', 'rollback', release);
  await w.work(release);
  expect(await w.state(release)).toBe('ROLLED_BACK');
  const after = await rollup(t.db, { dataset: 'order_tax' });
  expect(after).toMatchObject({ generation: 'order_tax-g1', metrics: before.metrics });
  expect(after.asOfNow).toEqual(before.metrics);
  const chain = await partitionHistory(t.db, 'order_tax', at(4));
  expect(chain.addsUp).toBe(true);
  expect(chain.corrections.map(({ kind, signatures }) => [kind, signatures])).toEqual([
    ['cutover', ['bo', 'cyd']],
    ['rollback', ['bo']],
  ]);
  expect(chain.delta).toEqual({
    rows: 0,
    sums: { net: '0.000' },
    partials: { tax: '0.00', lines: '0' },
  });
});
