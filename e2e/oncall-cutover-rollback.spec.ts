import { expect, test } from '@playwright/test';
import { expectAccessible, signIn } from './support/people';
import { ReleaseShop } from './support/release-shop';

let shop: ReleaseShop;
let release: string;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', 'nights');
  release = await shop.rehearsed();
  await shop.reconciled(release);
  await shop.signRollback(release);
  await shop.sign(release, 'approver');
});
test.afterAll(() => shop.close());

test('on-call cuts over, watches it, and rolls back', async ({ page }) => {
  test.setTimeout(180_000);
  const path = `/releases/${release}/cutover`;
  const cutOver = page.getByRole('button', { name: /^Cut over to/ }).first();

  await test.step('sees each condition of the switch, and which does not hold', async () => {
    await signIn(page, 'oncall', path);
    const signatures = page.getByRole('row', { name: /Signatures on this evidence/ });
    await expect(signatures).toContainText('1 of 2: approver');
    await expect(signatures.getByRole('img', { name: 'fails' })).toBeVisible();
    await cutOver.click();
    await expect(page.getByText('One thing stands in the way.')).toBeVisible();
    await page.keyboard.press('Escape');
  });

  await test.step('is told what changed when somebody holds it', async () => {
    await shop.sign(release, 'approver2');
    await shop.hold(release, 'reading the fourth of January');
    await expect(page.getByRole('row', { name: /Not held/ })).toContainText(
      'held by owner: reading the fourth of January',
    );
    await cutOver.click();
    await expect(page.getByText('The release is held; lift the hold first.')).toBeVisible();
    await page.keyboard.press('Escape');
    await shop.unhold(release);
    await expect(page.getByText(/^(\d+) of \1 conditions hold$/)).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('cuts over by typing the release’s name', async () => {
    await cutOver.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Cut over to/ }).click();
    await expect(dialog.getByText(`This is not ${release}.`)).toBeVisible();
    await dialog.getByLabel(`Type ${release} to confirm`).fill(release);
    await dialog.getByRole('button', { name: /^Cut over to/ }).click();
    await expect(page.getByRole('heading', { name: 'What it moved' })).toBeVisible();
  });

  await test.step('watches the tail, the takeover, and writes to the old generation', async () => {
    const after = page.getByRole('region', { name: 'After the cutover' });
    await shop.sell('nights-after');
    await expect(after.getByText('0 events missing at the barrier')).toBeVisible();
    await expect(after.getByText('1 event applied under epoch 2')).toBeVisible({
      timeout: 30_000,
    });
    await expect(after.getByText('0 events applied to the generation that was left')).toBeVisible();
    await expectAccessible(page);
  });

  const card = page.getByRole('region', { name: release });

  await test.step('sees on the on-call page what a rollback would take', async () => {
    await page.goto('/oncall');
    await expect(card).toContainText('1 event');
    await expect(card).toContainText('1 of 1');
    await expectAccessible(page);
  });

  await test.step('rolls back, with a reason, and sees each step land', async () => {
    await card
      .getByRole('button', { name: `Roll back ${release}` })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: `Roll back ${release}?` });
    await dialog.getByRole('button', { name: `Roll back ${release}` }).click();
    await expect(dialog.getByText('A comment is required.')).toBeVisible();
    await dialog.getByLabel('Why, for the audit chain').fill('the ledger does not tie out');
    await dialog.getByRole('button', { name: `Roll back ${release}` }).click();
    await expect(card.getByText(/^Rolled back in .* of 15:00\.$/)).toBeVisible({ timeout: 60_000 });
    await card.getByText('each step as it landed').click();
    const steps = card.getByRole('list', { name: 'Steps of the rollback' });
    await expect(steps.getByText('the ledger does not tie out')).toBeVisible();
    await expect(steps.getByText(/^Switched back to/)).toBeVisible();
  });

  await test.step('readers have the old generation, with what was written since', async () => {
    await page.goto(`/datasets/${shop.dataset}`);
    const generations = page.getByRole('region', { name: 'Generations' });
    await expect(generations.getByRole('listitem').filter({ hasText: 'Serving' })).toContainText(
      'first load',
    );
    await expect(page.getByRole('region', { name: 'Totals' })).toContainText('9');
    await expectAccessible(page);
  });
});
