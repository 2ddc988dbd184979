import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSubscriber, testSubscriber } from '@/lib/services/notices';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';
import { metricsText } from './metrics';

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.t.close());

it('counts datasets, and no drill’s fork', async () => {
  const release = await shop.w.rehearsed(fix());
  await shop.w.move('dee', 'drill', release);
  const { text } = await metricsText(shop.t.db);
  expect(text).toContain('interlock_ingress_epoch{dataset="order_tax"} 1');
  expect(text).not.toContain('~');
});

it('counts what subscribers wait for, and what was given up', async () => {
  const root = as(shop.t.db, 'root');
  await addSubscriber(root, { name: 'office', url: 'https://example.org/in' });
  await testSubscriber(root, { name: 'office' });
  expect((await metricsText(shop.t.db)).text).toContain(
    'interlock_notice_deliveries{state="waiting"} 1\ninterlock_notice_deliveries{state="failed"} 0',
  );
});
