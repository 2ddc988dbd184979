import { randomUUID } from 'node:crypto';
import { expect, type Page, test } from '@playwright/test';
import { another, expectAccessible, signIn } from './support/people';
import { RunShop } from './support/run-shop';

/** Of this run: a console that is tested twice keeps what the first time made. */
const mark = randomUUID().slice(0, 6);
const day = (n: number) => `2011-02-${String(n).padStart(2, '0')}T00:00:00Z`;

let shop: RunShop;

test.beforeAll(async () => {
  const days = [1, 2, 3, 4, 5, 6].map((n) => day(n).slice(0, 10));
  shop = await RunShop.open(process.env.E2E_DATABASE_URL ?? '', `runs_${mark}`, days);
});
test.afterAll(() => shop.close());

/** Answers what is asked before a run, and asks for it. */
async function answer(page: Page, button: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('May what stands there be overwritten?')).toBeVisible();
  await dialog.getByLabel('Yes, it may be overwritten.').check();
  await dialog.getByRole('button', { name: button }).click();
  await page.waitForURL(/\/runs\/\d+$/);
}

const badge = (page: Page, text: string) =>
  page.getByRole('main').locator('.title').getByText(text, { exact: true });

test('a missing day is warned of, run from the calendar, and there again', async ({ page }) => {
  test.setTimeout(180_000);
  await test.step('a day is run again, so that somebody watches the dataset', async () => {
    await signIn(page, 'owner', `/datasets/${shop.dataset}/calendar`);
    await expect(
      page.getByRole('region', { name: 'Calendar' }).getByText('Has rows'),
    ).toBeVisible();
    await page.goto('/runs');
    const form = page.getByRole('form', { name: 'New run' });
    await form.getByLabel('Dataset').selectOption(shop.dataset);
    await form.getByLabel('From').fill('2011-02-01 07:00');
    await form.getByLabel('To, not included').fill('2011-02-02');
    await form.getByRole('button', { name: 'Look at it…' }).click();
    await form.getByRole('button', { name: '2011-02-01 00:00 GMT' }).click();
    await form.getByRole('button', { name: 'Look at it…' }).click();
    await answer(page, 'Run 1 partition');
    await expect(badge(page, 'Done')).toBeVisible({ timeout: 30_000 });
    await expect(page.getByRole('main').getByText('nothing changed')).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('a day goes missing, and the overview says so unasked', async () => {
    await shop.loseDay(day(4));
    await page.goto('/');
    await expect(page.getByText(`1 day of ${shop.dataset} is missing.`)).toBeVisible();
    await page.goto(`/datasets/${shop.dataset}/calendar`);
    await expect(page.getByText('1 day is missing.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Gap, no rows 1' })).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('run from there, with the questions answered', async () => {
    await page.getByRole('button', { name: 'Run the missing day' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText('Every day from the first row on holds rows.')).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Run 1 partition' }).click();
    // it is pressed all the same: everything that speaks against it is told
    await expect(dialog.getByText('NOT_OVERWRITABLE')).toBeVisible();
    await dialog.getByLabel('Told, and how').fill('the finance channel');
    await answer(page, 'Run 1 partition');
    await expect(badge(page, 'Done')).toBeVisible({ timeout: 30_000 });
    await expect(page.getByText('0 → 2')).toBeVisible();
    await expect(page.getByText('the finance channel')).toBeVisible();
  });

  await test.step('nothing is missing any more', async () => {
    await page.getByRole('link', { name: '[2011-02-04 00:00 GMT, 2011-02-05 00:00 GMT)' }).click();
    await expect(page.getByText('Selected: 1 day')).toBeVisible();
    await expect(page.getByText('is missing.')).toHaveCount(0, { timeout: 60_000 });
  });
});

test('a run over a claimed day is not green and says whose it is; it is done again later', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000);
  await test.step('on-call claims a day on the calendar, by the keyboard', async () => {
    const oncall = await another(browser, 'oncall', `/datasets/${shop.dataset}/calendar`);
    const calendar = oncall.getByRole('slider', { name: `Partitions of ${shop.dataset}` });
    await calendar.focus();
    await calendar.press('Home');
    await calendar.press('Shift+ArrowDown');
    await expect(oncall.getByText('Selected: 2 days')).toBeVisible();
    await calendar.press('Enter');
    await expect(oncall.getByText('Selected: 1 day')).toBeVisible();
    await oncall.getByRole('button', { name: 'Claim…' }).click();
    const dialog = oncall.getByRole('dialog');
    await expect(dialog.getByText('[2011-02-02 00:00 GMT, 2011-02-03 00:00 GMT)')).toBeVisible();
    await dialog.getByLabel('Owner').fill('nightly');
    await dialog.getByRole('button', { name: 'Claim', exact: true }).click();
    await expect(oncall.getByRole('button', { name: 'Claimed 1' })).toBeVisible();
    await oncall.context().close();
  });

  await test.step('the dialog tells of the claim, the run leaves the day alone', async () => {
    await signIn(page, 'owner', `/datasets/${shop.dataset}/calendar`);
    const from = encodeURIComponent(day(1));
    const to = encodeURIComponent(day(4));
    await page.goto(`/datasets/${shop.dataset}/calendar?from=${from}&to=${to}`);
    await page.getByRole('button', { name: 'Run these…' }).click();
    await expect(page.getByRole('dialog').getByText('claimed by nightly')).toBeVisible();
    await answer(page, 'Run 3 partitions');
    await expect(badge(page, 'Done, not green')).toBeVisible({ timeout: 30_000 });
    const partitions = page.getByRole('region', { name: 'Partitions' });
    await expect(partitions.getByRole('link', { name: 'claimed by nightly' })).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('its owner lets go', async () => {
    const run = page.url();
    await page.getByRole('link', { name: 'claimed by nightly' }).click();
    const claims = page.getByRole('region', { name: 'Claims' });
    await claims.getByRole('button', { name: 'Let go…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Let go', exact: true }).click();
    await expect(claims.getByText('No partition is claimed.')).toBeVisible();
    await page.goto(run);
  });

  await test.step('what was left out is listed, and run again', async () => {
    await page.getByRole('button', { name: 'Run again what is left (1)' }).click();
    const dialog = page.getByRole('dialog');
    await expect(
      dialog.getByText('[2011-02-02 00:00 GMT, 2011-02-03 00:00 GMT) Europe/London: claimed by'),
    ).toBeVisible();
    await dialog.getByRole('button', { name: 'Run 1 partition' }).click();
    await expect(page.getByText('again after')).toBeVisible();
    await expect(badge(page, 'Done')).toBeVisible({ timeout: 30_000 });
  });
});

test('over the policy’s size a second person confirms', async ({ page, browser }) => {
  test.setTimeout(180_000);
  await shop.secondPersonOver(1);
  const from = encodeURIComponent(day(5));
  const to = encodeURIComponent(day(7));
  await signIn(page, 'owner', `/datasets/${shop.dataset}/calendar`);
  await page.goto(`/datasets/${shop.dataset}/calendar?from=${from}&to=${to}`);
  await page.getByRole('button', { name: 'Run these…' }).click();
  await expect(page.getByText('A second person has to confirm it.')).toBeVisible();
  await answer(page, 'Ask to run 2 partitions');
  await expect(badge(page, 'Waits for a second person')).toBeVisible();
  await page.getByRole('button', { name: /^Confirm run/ }).click();
  await expect(page.getByText('You asked for it; another person confirms it.')).toBeVisible();

  const oncall = await another(browser, 'oncall', new URL(page.url()).pathname);
  await oncall.getByRole('button', { name: 'Confirm run', exact: true }).click();
  const dialog = oncall.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Confirm run', exact: true }).click();
  await expect(badge(oncall, 'Done')).toBeVisible({ timeout: 30_000 });
  await oncall.context().close();
  await expect(badge(page, 'Done')).toBeVisible({ timeout: 30_000 });
});

test('an auditor reads runs and the calendar, and runs nothing', async ({ page }) => {
  await signIn(page, 'auditor', `/datasets/${shop.dataset}/calendar`);
  await expect(page.getByRole('heading', { name: `Calendar of ${shop.dataset}` })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Run/ })).toHaveCount(0);
  await page.goto(`/runs?dataset=${shop.dataset}`);
  await expect(page.getByRole('table', { name: 'Runs' })).toContainText(shop.dataset);
  await expect(page.getByRole('region', { name: 'New run' })).toHaveCount(0);
  await expectAccessible(page);
});
