import { afterAll, beforeAll, expect, it } from 'vitest';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
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
