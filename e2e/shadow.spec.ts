import { randomUUID } from 'node:crypto';
import { expect, type Page, test } from '@playwright/test';
import { another, expectAccessible, signIn } from './support/people';
import { ReleaseShop } from './support/release-shop';

/** Of this run: a console that is tested twice keeps what the first time made. */
const name = `shade${randomUUID().slice(0, 6)}`;

let shop: ReleaseShop;
test.beforeAll(async () => {
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', name);
});
test.afterAll(() => shop.close());

const saved = (page: Page) => page.getByRole('region', { name: 'Saved reports' });
const report = (page: Page, named: string) => saved(page).getByText(named, { exact: true });
const shadow = (page: Page) => page.getByRole('region', { name: 'Shadow reads' });
const byDay = () =>
  `select date_trunc('day', invoiced_at, 'Europe/London') as day, sum(tax) as tax\nfrom ${shop.dataset}\ngroup by 1`;

async function save(page: Page, named: string, sql: string): Promise<void> {
  await saved(page).getByRole('button', { name: 'Save a report…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save a report' });
  await dialog.getByLabel('Name').fill(named);
  await dialog.getByLabel('SQL').fill(sql);
  await dialog.getByRole('button', { name: 'Save it' }).click();
  await expect(dialog).toHaveCount(0);
}

test('a report is saved, read on both generations of a release, and ended', async ({
  page,
  browser,
}) => {
  test.setTimeout(240_000);

  await test.step('a release whose dataset has no report says where they are saved', async () => {
    const idle = await shop.draft(undefined, { release: `${name}-idle` });
    await signIn(page, 'owner', `/releases/${idle}/reconciliation`);
    await expect(shadow(page).getByText(`No report of ${shop.dataset} is saved.`)).toBeVisible();
    await expectAccessible(page);
    await shadow(page).getByRole('link', { name: 'Saved reports' }).click();
    await page.waitForURL(/#reports$/);
    await expect(saved(page).getByText('No report is saved.')).toBeVisible();
  });

  await test.step('the owner saves one, and is told at which place the SQL is wrong', async () => {
    await saved(page).getByRole('button', { name: 'Save a report…' }).click();
    const dialog = page.getByRole('dialog', { name: `Save a report of ${shop.dataset}?` });
    await dialog.getByRole('button', { name: 'Save it' }).click();
    await expect(dialog.getByText('Say what it is called.')).toBeVisible();
    await dialog.getByLabel('Name').fill('Tax by day');
    await dialog.getByLabel('Limit in seconds').fill('601');
    await dialog.getByLabel('SQL').fill(byDay().replace(shop.dataset, 'orders'));
    await dialog.getByRole('button', { name: 'Save it' }).click();
    await expect(dialog.getByText('Whole seconds, 1 to 600.')).toBeVisible();
    await dialog.getByLabel('Limit in seconds').fill('60');
    await dialog.getByRole('button', { name: 'Save it' }).click();
    await expect(dialog.getByRole('button', { name: 'line 2, column 6' })).toBeVisible();
    await expectAccessible(page);
    await dialog.getByLabel('SQL').fill(byDay());
    await expect(dialog.getByRole('button', { name: 'line 2, column 6' })).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Save it' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(report(page, 'Tax by day')).toBeVisible();
    await expect(saved(page).getByText('limit 60 s')).toBeVisible();
  });

  await test.step('another is changed in its place, and what they say can be read', async () => {
    await save(page, 'Lines', `select count(*) as lines, 1 as one from ${shop.dataset}`);
    await saved(page)
      .getByRole('listitem')
      .filter({ hasText: 'Lines' })
      .getByRole('button', { name: 'Change…' })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Change the report Lines?' });
    await dialog.getByLabel('SQL').fill(`select count(*) as lines from ${shop.dataset}`);
    await dialog.getByRole('button', { name: 'Save it' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(report(page, 'Lines')).toHaveCount(1);
    await saved(page).getByText('SQL of Tax by day').click();
    await expect(saved(page).getByRole('region', { name: 'SQL of Tax by day' })).toContainText(
      'date_trunc',
    );
    await save(
      page,
      'Mean',
      `select country, sum(tax) / sum(net - net) as mean from ${shop.dataset} group by 1`,
    );
    // without what is told in passing: of several, those behind fade
    await page.reload();
    await expect(report(page, 'Mean')).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('before the build there is nothing to read on', async () => {
    await page.goto(`/releases/${name}-idle@1/reconciliation`);
    await shadow(page).getByRole('button', { name: 'Read in shadow' }).click();
    await expect(shadow(page).getByRole('alert')).toContainText('WRONG_STATE');
    await expect(shadow(page).getByText('not read on this release yet')).toHaveCount(3);
  });

  const release = await shop.rehearsed();
  const row = (report: string) => shadow(page).getByRole('listitem').filter({ hasText: report });

  await test.step('what is read arrives on the page as it stands', async () => {
    await page.goto(`/releases/${release}/reconciliation`);
    await page.evaluate(() => Object.assign(window, { stays: true }));
    await shadow(page).getByRole('button', { name: 'Read in shadow' }).click();
    await expect(row('Tax by day').getByText('3 of 4 rows differ')).toBeVisible();
    await expect(row('Lines').getByText('1 row, the same on both')).toBeVisible();
    await expect(row('Mean').getByText('division by zero')).toBeVisible();
    await expect(row('Tax by day').getByRole('button', { name: /^digest/ })).toBeVisible();
    expect(await page.evaluate(() => 'stays' in window)).toBe(true);
  });

  await test.step('the rows that differ are shown, old beside new', async () => {
    await row('Tax by day').getByText('3 rows that differ').click();
    const table = row('Tax by day').getByRole('table');
    const first = table.getByRole('row').filter({ hasText: '2011-01-04 00:00 GMT' });
    await expect(first.getByText('52.50')).toHaveClass('chg o');
    await expect(first.getByText('60.00')).toHaveClass('chg w');
    await expectAccessible(page);
  });

  await test.step('one that is read again says which events came in between', async () => {
    await shop.sell('late');
    await expect(async () => {
      const answer = await page.request.get(`/api/v1/datasets/${shop.dataset}/rows`);
      expect(((await answer.json()) as { rows: unknown[] }).rows).toHaveLength(9);
    }).toPass({ timeout: 15_000 });
    await row('Lines').getByRole('button', { name: 'Read again' }).click();
    await expect(row('Lines').getByText('1 of 1 row differs')).toBeVisible();
    await expect(row('Lines').getByText('1 event lay between the two then')).toBeVisible();
    await expect(row('Tax by day').getByText('3 of 4 rows differ')).toBeVisible();
    await expect(row('Tax by day').getByRole('table')).toBeVisible();
  });

  await test.step('an auditor sees it, and is offered nothing', async () => {
    const auditor = await another(browser, 'auditor', `/releases/${release}/reconciliation`);
    await expect(shadow(auditor).getByText('3 of 4 rows differ')).toBeVisible();
    await expect(shadow(auditor).getByRole('button', { name: /^Read/ })).toHaveCount(0);
    await shadow(auditor).getByRole('link', { name: 'Tax by day' }).click();
    await auditor.waitForURL(/#reports$/);
    await expect(report(auditor, 'Tax by day')).toBeVisible();
    await expect(saved(auditor).getByRole('button', { name: /Save|Change|End/ })).toHaveCount(1);
    await auditor.context().close();
  });

  await test.step('the owner ends it; what was read of it stays', async () => {
    await page.goto(`/datasets/${shop.dataset}`);
    await saved(page)
      .getByRole('listitem')
      .filter({ hasText: 'Tax by day' })
      .getByRole('button', { name: 'End…' })
      .click();
    await page
      .getByRole('dialog', { name: 'End the report Tax by day?' })
      .getByRole('button', { name: 'End the report' })
      .click();
    await expect(report(page, 'Tax by day')).toHaveCount(0);
    await expect(report(page, 'Lines')).toBeVisible();
    await page.goto(`/releases/${release}/reconciliation`);
    await expect(row('Tax by day').getByText('The report was ended')).toBeVisible();
    await expect(row('Tax by day').getByRole('button', { name: /^Read/ })).toHaveCount(0);
  });
});
