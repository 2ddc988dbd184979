import { type Browser, expect, test } from '@playwright/test';
import { another, type Persona } from './people';

/**
 * A rehearsed release's way from the seal through two signatures and the cutover to the rollback, by
 * those whose turn it is. `live`: events go on arriving, so the first one after the cutover is seen.
 */
export async function sealSignSwitchRollBack(
  browser: Browser,
  release: string,
  { live }: { live: boolean },
): Promise<void> {
  const as = (person: Persona, path: string) => another(browser, person, path);
  const oncall = await as('oncall', `/releases/${release}`);

  await test.step('on-call seals; the runner catches up and reconciles', async () => {
    await oncall.getByRole('button', { name: 'Seal ingress' }).first().click();
    await oncall.getByRole('dialog').getByRole('button', { name: 'Seal ingress' }).click();
    await expect(oncall.getByText('0 of 2 signatures for the cutover').first()).toBeVisible({
      timeout: 90_000,
    });
  });

  await test.step('the owner is not asked to sign what the owner wrote', async () => {
    const owner = await as('owner', `/releases/${release}/approval`);
    await expect(owner.getByText(/owner may not sign: an author of this release/)).toBeVisible();
    await expect(owner.getByRole('button', { name: /^Sign/ })).toHaveCount(0);
    await owner.context().close();
  });

  for (const [n, person] of (['approver', 'approver2'] as const).entries()) {
    await test.step(`${person} signs`, async () => {
      const page = await as(person, `/releases/${release}/approval`);
      await page.getByLabel(/Type the release/).fill(release);
      await page.getByRole('button', { name: /^Sign cutover/ }).click();
      await expect(page.getByText(`Signatures for the cutover, ${n + 1} of 2`)).toBeVisible();
      // offered in the same sitting, and taken
      await expect(page.getByText('Signatures for the rollback, 1 of 1')).toBeVisible();
      await page.context().close();
    });
  }

  await test.step('on-call cuts over', async () => {
    await oncall.goto(`/releases/${release}/cutover`);
    await oncall.getByRole('button', { name: /^Cut over to/ }).click();
    const dialog = oncall.getByRole('dialog');
    await dialog.getByLabel(`Type ${release} to confirm`).fill(release);
    await dialog.getByRole('button', { name: /^Cut over to/ }).click();
    await expect(oncall.getByText(/^Serving since/).first()).toBeVisible();
    if (live) {
      // the takeover is seen without anybody's doing
      await expect(oncall.getByText(/applied under epoch/).first()).toBeVisible({
        timeout: 30_000,
      });
    }
  });

  await test.step('on-call rolls back', async () => {
    await oncall.goto('/oncall');
    const card = oncall.getByRole('region', { name: release });
    const button = { name: `Roll back ${release}` };
    await card.getByRole('button', button).first().click();
    const dialog = oncall.getByRole('dialog', { name: `Roll back ${release}?` });
    await dialog.getByLabel('Why, for the audit chain').fill('a rehearsal of the worst');
    await dialog.getByRole('button', button).click();
    await expect(card.getByText(/^Rolled back in .* of 15:00\.$/)).toBeVisible({ timeout: 90_000 });
    await oncall.goto(`/releases/${release}`);
    await expect(oncall.getByText('Rolled back', { exact: true }).first()).toBeVisible();
  });
  await oncall.context().close();
}
