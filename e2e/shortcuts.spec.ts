import { expect, type Page, test } from '@playwright/test';
import { signIn } from './support/people';

/** Presses until it is heard: before the page's script runs, nobody listens. */
async function list(page: Page) {
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(async () => {
    await page.keyboard.press('?');
    await expect(dialog).toBeVisible({ timeout: 1_000 });
  }).toPass();
  return dialog;
}

test('the keyboard goes to pages, walks rows and opens them', async ({ page }) => {
  await signIn(page, 'oncall', '/');
  const dialog = await list(page);
  await expect(dialog.getByRole('region', { name: 'Go to' })).toContainText('Releases');

  await test.step('no key goes anywhere while a dialog is open', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.waitForURL('/releases');
  await expect(page.getByRole('heading', { name: 'Releases', level: 1 })).toBeVisible();

  await test.step('walks the rows', async () => {
    const rows = page.getByRole('table', { name: 'Releases' }).locator('tbody tr');
    const first = rows.nth(0).getByRole('link').first();
    const second = rows.nth(1).getByRole('link').first();
    await page.keyboard.press('j');
    await expect(first).toBeFocused();
    await page.keyboard.press('j');
    await expect(second).toBeFocused();
    await page.keyboard.press('k');
    await expect(first).toBeFocused();
    const href = (await first.getAttribute('href')) ?? '';
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === href);
  });

  await test.step('opens the palette; what is typed there is text', async () => {
    await page.keyboard.press('/');
    const field = page.getByRole('combobox', { name: 'Find' });
    await field.pressSequentially('gr?');
    await expect(field).toHaveValue('gr?');
    await field.fill('shortcuts');
    await page.keyboard.press('Enter');
    await expect(dialog).toBeVisible();
  });
});

test('single keys can be switched off, and on again from the menu', async ({ page }) => {
  await signIn(page, 'oncall', '/audit');
  const dialog = await list(page);
  await dialog.getByRole('checkbox').uncheck();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  await page.reload();
  await page.getByRole('button', { name: /^oncall/ }).click();
  await expect(page.getByRole('dialog', { name: 'You' })).toBeVisible();
  await page.keyboard.press('Escape');
  for (const key of ['?', '/', 'g', 'r']) await page.keyboard.press(key);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await expect(page.getByRole('dialog', { name: 'Find' })).toBeVisible();
  await page.keyboard.press('Escape');
  expect(new URL(page.url()).pathname).toBe('/audit');

  await page.getByRole('button', { name: /^oncall/ }).click();
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await expect(dialog.getByRole('checkbox')).not.toBeChecked();
  await dialog.getByRole('checkbox').check();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.waitForURL('/releases');
});
