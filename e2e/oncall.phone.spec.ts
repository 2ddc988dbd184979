import { expect, test } from '@playwright/test';
import { another, expectAccessible, signIn } from './support/people';
import { ReleaseShop } from './support/release-shop';

let shop: ReleaseShop;
let release: string;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', 'phone');
  release = await shop.rehearsed();
  await shop.reconciled(release);
  await shop.sign(release, 'approver');
  await shop.sign(release, 'approver2');
});
test.afterAll(() => shop.close());

test('on a phone: cut over, find nobody signed the rollback, have it signed, roll back', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000);

  await test.step('cuts over with the button under the thumb', async () => {
    await signIn(page, 'oncall', `/releases/${release}/cutover`);
    const button = page.getByRole('button', { name: /^Cut over to/ }).last();
    await expect(button).toBeInViewport();
    await expectAccessible(page);
    await button.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(`Type ${release} to confirm`).fill(release);
    await dialog.getByRole('button', { name: /^Cut over to/ }).click();
    await expect(page.getByRole('heading', { name: 'What it moved' })).toBeVisible();
  });

  const card = page.getByRole('region', { name: release });

  await test.step('is told whom to call, and the button lists what is missing', async () => {
    await page.goto('/oncall');
    await expect(card.getByText('Not signed, so it cannot be rolled back.')).toBeVisible();
    await expect(card.getByText('approver2')).toBeVisible();
    await card
      .getByRole('button', { name: `Roll back ${release}` })
      .last()
      .click();
    await expect(page.getByText('0 of 1 signatures for the rollback stand.')).toBeVisible();
    await page.keyboard.press('Escape');
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
    await expectAccessible(page);
  });

  await test.step('the approver signs it on a phone, too', async () => {
    const cyd = await another(browser, 'approver', `/releases/${release}/approval`, page);
    await cyd.getByRole('link', { name: 'To the signature' }).click();
    await cyd.getByLabel('Type the release’s name to sign').fill(release);
    await cyd.getByRole('button', { name: 'Sign rollback' }).click();
    await expect(cyd.getByText('Signatures for the rollback, 1 of 1')).toBeVisible();
    await expectAccessible(cyd);
  });

  await test.step('rolls back from the sticky bar', async () => {
    await expect(card.getByText('Not signed, so it cannot be rolled back.')).toHaveCount(0);
    await card
      .getByRole('button', { name: `Roll back ${release}` })
      .last()
      .click();
    const dialog = page.getByRole('dialog', { name: `Roll back ${release}?` });
    await dialog.getByLabel('Why, for the audit chain').fill('figures are off by a penny');
    await dialog.getByRole('button', { name: `Roll back ${release}` }).click();
    await expect(card.getByText(/^Rolled back in/)).toBeVisible({ timeout: 60_000 });
  });
});
