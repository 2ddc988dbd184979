import { expect, test } from '@playwright/test';
import { another, expectAccessible, signIn } from './support/people';
import { expectFits } from './support/phone';
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
    await expectFits(page);
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

  await test.step('rolls back from the sticky bar, and each step lands while it is looked at', async () => {
    await expect(card.getByText('Not signed, so it cannot be rolled back.')).toHaveCount(0);
    for (const line of ['phone-late-1', 'phone-late-2']) await shop.sell(line);
    await expect(card).toContainText('2 events', { timeout: 30_000 });
    // a worker has the old generation in hand: what is to be replayed waits, and can be looked at
    const letGo = await shop.keepBusy(release);
    await card
      .getByRole('button', { name: `Roll back ${release}` })
      .last()
      .click();
    const dialog = page.getByRole('dialog', { name: `Roll back ${release}?` });
    await dialog.getByLabel('Why, for the audit chain').fill('figures are off by a penny');
    await dialog.getByRole('button', { name: `Roll back ${release}` }).click();
    const running = page.getByRole('region', { name: `Rolling back ${release}` });
    const steps = running.getByRole('list', { name: `Steps of the rollback of ${release}` });
    await expect(steps.locator('[aria-current="step"]')).toContainText('Replay the tail');
    await expect(steps.locator('[aria-current="step"]')).toContainText('0 of 2');
    await expect(steps.getByRole('listitem').filter({ hasText: 'Sealed epoch' })).toContainText(
      /\d:\d\d/,
    );
    await expect(running.getByRole('timer')).toContainText('of 15:00');
    await expect(running.getByText('figures are off by a penny')).toBeVisible();
    await expectFits(page);
    await expectAccessible(page);
    await letGo();
    await expect(card.getByText(/^Rolled back in .* of 15:00\.$/)).toBeVisible({ timeout: 60_000 });
  });

  await test.step('the record is complete, and can be pasted', async () => {
    await expect(card.getByText('2 events written since the cutover are in it')).toBeVisible();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await card
      .getByRole('button', { name: `Copy the record of the rollback of ${release}` })
      .click();
    await expect(card.getByText('Copied; paste it into the incident.')).toBeVisible();
    const record = await page.evaluate(() => navigator.clipboard.readText());
    const moment = String.raw`\d+ \w+ \d{4} \d\d:\d\d:\d\d (GMT|BST) \(\d{4}-\d\d-\d\dT[\d:.]+Z\)`;
    for (const line of [
      `Rollback of ${release} on ${shop.dataset}: done`,
      `Measured time: .+ of 15:00, in time`,
      `Asked for by oncall, ${moment}`,
      `Ended ${moment}`,
      'Why: figures are off by a penny',
      `${shop.dataset} serves ${shop.dataset}-g1`,
      '2 events, each replayed once, none lost',
      `Signed by approver, ${moment}, evidence sha256:`,
      `Cut over by oncall, ${moment}`,
      String.raw`\d:\d\d switched back to`,
      `${new URL(page.url()).origin}/releases/${release}`,
    ]) {
      expect(record).toMatch(new RegExp(line));
    }
    await card.getByText('the record as text').click();
    await expect(card.locator('pre')).toHaveText(record);
    await expectFits(page);
    await expectAccessible(page);
  });
});
