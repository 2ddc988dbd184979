import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publish } from '@/lib/services/publication';
import { day, fix, openShop, type Shop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';
import { previewSpec } from './index';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  await publish(as(shop.t.db, 'ana'), {
    dataset: 'order_tax',
    from: day(3, 0),
    to: day(6, 0),
    sentTo: 'finance',
  });
});
afterAll(() => shop.t.close());

describe('a plan over published partitions', () => {
  it('says how many of its range there are, the first few, and what becomes of them', async () => {
    const { sealed } = await previewSpec(shop.t.db, fix());
    expect(sealed).toEqual({ count: 2, first: [day(4, 0), day(5, 0)], policy: 'CORRECT' });
  });

  it('says so of a release that leaves them alone, too', async () => {
    const { sealed } = await previewSpec(shop.t.db, fix({ sealedPartitions: 'REFUSE' }));
    expect(sealed).toMatchObject({ count: 2, policy: 'REFUSE' });
  });

  it('names none where none was published', async () => {
    const range = { from: day(6, 0), to: day(8, 0) };
    const { sealed } = await previewSpec(shop.t.db, fix({ range }));
    expect(sealed).toEqual({ count: 0, first: [], policy: 'CORRECT' });
  });
});
