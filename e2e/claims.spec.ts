import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { type DraftShop, draftShop } from './support/draft-shop';
import { another, expectAccessible, signIn } from './support/people';

/** Of this run: a console that is tested twice keeps what the first time made. */
const mark = randomUUID().slice(0, 6);

let shop: DraftShop;

test.beforeAll(async () => {
  const days = ['25', '26', '27', '28', '29'].map((day) => `2011-03-${day}`);
  shop = await draftShop(process.env.E2E_DATABASE_URL ?? '', `claims_${mark}`, days);
});
test.afterAll(() => shop.close());

test('on-call claims days, a draft is told of them, and they are let go', async ({
  page,
  browser,
}) => {
  test.setTimeout(120_000);
  const claims = page.getByRole('region', { name: 'Claims' });
  const rows = claims.getByRole('row');
  const claim = async (from: string, to: string, owner: string) => {
    await claims.getByLabel('From', { exact: true }).fill(from);
    await claims.getByLabel('To, not included').fill(to);
    await claims.getByLabel('Owner', { exact: true }).fill(owner);
    await claims.getByRole('button', { name: 'Claim', exact: true }).click();
  };

  await test.step('claims days by the edges that clocks show', async () => {
    await signIn(page, 'oncall', `/datasets/${shop.dataset}`);
    await expect(claims.getByText('No partition is claimed.')).toBeVisible();
    await claim('2011-03-26', '2011-03-29', 'nightly');
    await expect(rows.nth(1)).toContainText('nightly');
    await expect(rows.nth(1)).toContainText('3 partitions');
    await expect(
      rows.nth(1).getByText('[2011-03-26 00:00 GMT, 2011-03-29 00:00 BST) Europe/London'),
    ).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('is granted the free day, and told whose the others are', async () => {
    await claim('2011-03-27', '2011-03-30', 'audit of March');
    await expect(claims.getByText('2 partitions of it others hold.')).toBeVisible();
    await expect(
      claims.getByText('nightly: [2011-03-27 00:00 GMT, 2011-03-29 00:00 BST)'),
    ).toBeVisible();
    await expect(rows.nth(2)).toContainText('audit of March');
    await claim('2011-03-25 07:00', '2011-03-26', 'nightly');
    await expect(claims.getByText('RANGE_NOT_ON_PARTITION_EDGE')).toBeVisible();
  });

  await test.step('a draft over them says so, and may be pinned', async () => {
    const owner = await another(browser, 'owner', '/releases/new');
    await owner.getByLabel('Name', { exact: true }).fill(`over-claims-${mark}`);
    await owner.getByLabel('Dataset', { exact: true }).selectOption(shop.dataset);
    await owner.getByLabel('From', { exact: true }).fill('2011-03-25');
    await owner.getByLabel('To, not included').fill('2011-03-30');
    const way = owner.getByRole('region', { name: 'In the way' });
    await expect(way.getByText('It can be pinned over this, but not built:')).toBeVisible();
    await expect(way.getByText('4 planned partitions are claimed')).toBeVisible();
    await owner.context().close();
  });

  await test.step('lets go', async () => {
    await rows.nth(1).getByRole('button', { name: 'Let go…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Let go', exact: true }).click();
    await expect(rows).toHaveCount(2);
    await expect(rows.nth(1)).toContainText('audit of March');
  });
});

test('an auditor sees claims, and cannot make any', async ({ page }) => {
  await signIn(page, 'auditor', `/datasets/${shop.dataset}`);
  const claims = page.getByRole('region', { name: 'Claims' });
  await expect(claims.getByText('audit of March')).toBeVisible();
  await expect(claims.getByRole('button')).toHaveCount(0);
});
