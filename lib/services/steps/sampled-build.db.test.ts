import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { one, rows } from '@/lib/db/client';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import type * as releaseShape from './release-shape';

/** Laid around the transform by the tests: the grammar lets nobody write what it says. */
const around = vi.hoisted(() => ({ tax: 'x.tax' }));

vi.mock('./release-shape', async (original) => {
  const actual = await original<typeof releaseShape>();
  const loadReleaseShape: typeof actual.loadReleaseShape = async (tx, id) => {
    const shape = await actual.loadReleaseShape(tx, id);
    const lateral = `select x.line, x.invoiced_at, x.country, x.net, ${around.tax} as tax from (${shape.new.lateral}) x`;
    return { ...shape, new: { ...shape.new, lateral } };
  };
  return { ...actual, loadReleaseShape };
});

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(async () => {
  around.tax = 'x.tax';
  await shop.t.close();
});

async function build(): Promise<string> {
  const release = await shop.w.draft(fix({ stopLoss: { failedPartitions: 1 } }));
  await shop.w.move('ana', 'pin', release);
  await shop.w.work(release);
  await shop.w.move('ana', 'build', release);
  await shop.w.work(release);
  return release;
}
const receipts = () =>
  rows<{ sampled: boolean; rows: string }>(
    shop.t.db,
    sql`select sampled, rows_out as rows from control.receipt order by start_at`,
  );

describe('a build', () => {
  it('computes one partition that has rows a second time, under other settings', async () => {
    await build();
    const found = await receipts();
    expect(found.map((r) => r.sampled)).toEqual([true, false, false, false]);
  });

  it.each([
    ['the zone', `x.tax + length(current_setting('TimeZone'))`],
    ['how dates are written', `x.tax + length(x.invoiced_at::text)`],
  ])('stops where the transform depends on %s', async (_what, tax) => {
    around.tax = tax;
    const release = await build();
    expect(await shop.w.state(release)).toBe('RECONCILIATION_REQUIRED');
    const trouble = await one<{ code: string; why: string }>(
      shop.t.db,
      sql`select trouble_code as code, trouble_why as why from control.release`,
    );
    expect(trouble.code).toBe('RECEIPT_CONFLICT');
    expect(trouble.why).toMatch(/under other session settings .*not deterministic/);
    // neither rows nor receipts of it are left
    expect(await receipts()).toEqual([]);
    expect(
      await rows(
        shop.t.db,
        sql`select 1 from ds_order_tax.rows x join control.release r on r.segment = x._segment`,
      ),
    ).toEqual([]);
  });
});
