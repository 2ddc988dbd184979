import { expect, test } from '@playwright/test';
import { sealSignSwitchRollBack } from './support/journey';
import { another } from './support/people';

// What the README promises of the demo, with live events flowing all the while.

const release = 'vat-fix@3';
test.describe.configure({ mode: 'serial' });

test('a drill of the demo’s release cuts over and rolls back on a fork, and is measured', async ({
  browser,
}) => {
  test.setTimeout(240_000);
  const page = await another(browser, 'oncall', `/releases/${release}`);
  await page.getByRole('button', { name: `More for ${release}` }).click();
  await page.getByRole('menuitem', { name: 'Drill…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Drill the cutover and rollback/ });
  await dialog.getByRole('button', { name: /[Dd]rill/ }).click();
  await expect(page.getByText(/^The last drill passed/)).toBeVisible({ timeout: 180_000 });
  await expect(page.getByText(/It cut over in .* and rolled back in .* of 15:00\./)).toBeVisible();
  await page.goto('/oncall');
  const drills = page.getByRole('region', { name: 'Drills' });
  await expect(drills.getByRole('link', { name: release })).toBeVisible();
  await expect(drills.getByText('Passed')).toBeVisible();
  await page.goto('/datasets');
  await expect(page.getByText('order_tax~')).toHaveCount(0);
  await page.context().close();
});

test('the demo’s release is sealed, signed by two, cut over and rolled back', async ({
  browser,
}) => {
  test.setTimeout(240_000);
  await sealSignSwitchRollBack(browser, release, { live: true });
});
