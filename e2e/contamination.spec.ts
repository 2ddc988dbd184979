import { randomUUID } from 'node:crypto';
import { expect, type Page, test } from '@playwright/test';
import { another, expectAccessible, signIn } from './support/people';
import { ReleaseShop } from './support/release-shop';

/** Of this run: a console that is tested twice keeps what the first time made. */
const name = `marks${randomUUID().slice(0, 6)}`;
const interval = '[2011-01-04 00:00 GMT, 2011-01-06 00:00 GMT) Europe/London';
const reason = 'Taxed at the old rate';

let shop: ReleaseShop;
test.beforeAll(async () => {
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', name);
});
test.afterAll(() => shop.close());

const panel = (page: Page) => page.getByRole('region', { name: 'Contaminated ranges' });

/** What a reader of the dataset is told, by the API. */
async function warningsOf(page: Page) {
  const answer = await page.request.get(`/api/v1/datasets/${shop.dataset}/rows`);
  const { warnings } = (await answer.json()) as { warnings: { repairedBy: string | null }[] };
  return { head: answer.headers()['x-interlock-warning'] ?? null, warnings };
}

test('a range is marked, linked, lifted by the cutover, and put back by the rollback', async ({
  page,
  browser,
}) => {
  test.setTimeout(240_000);
  const release = await shop.rehearsed();
  const [repairing = ''] = release.split('@');

  await test.step('nothing is known to be wrong, and readers are not warned', async () => {
    await signIn(page, 'oncall', `/datasets/${shop.dataset}`);
    await expect(
      panel(page).getByText('Nothing that is served is known to be wrong.'),
    ).toBeVisible();
    expect(await warningsOf(page)).toEqual({ head: null, warnings: [] });
  });

  await test.step('on-call marks it, with a reason, on edges', async () => {
    await panel(page).getByRole('button', { name: 'Mark a range…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Mark a range as contaminated?' });
    await dialog.getByRole('button', { name: 'Mark it' }).click();
    await expect(dialog.getByText('Say what is wrong with it.')).toBeVisible();
    await expectAccessible(page);
    await dialog.getByLabel('From', { exact: true }).fill('2011-01-04 07:00');
    await dialog.getByLabel('To, not included').fill('2011-01-06');
    await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByLabel('Served since, optional').fill('2011-02-01 09:00');
    await dialog.getByRole('button', { name: 'Mark it' }).click();
    await expect(dialog.getByText('RANGE_NOT_ON_PARTITION_EDGE')).toBeVisible();
    await dialog.getByLabel('From', { exact: true }).fill('2011-01-04');
    await dialog.getByRole('button', { name: 'Mark it' }).click();
    await expect(dialog).toHaveCount(0);
    const row = panel(page).getByRole('row').nth(1);
    await expect(row.getByText(interval)).toBeVisible();
    await expect(row).toContainText(reason);
    await expect(row).toContainText('none linked');
    await expectAccessible(page);
    const { head, warnings } = await warningsOf(page);
    expect(head).toBe('CONTAMINATED');
    expect(warnings).toEqual([
      {
        code: 'CONTAMINATED',
        from: '2011-01-04T00:00:00Z',
        to: '2011-01-06T00:00:00Z',
        reason,
        servedSince: '2011-02-01T09:00:00Z',
        repairedBy: null,
      },
    ]);
  });

  await test.step('the overview counts it and leads to it', async () => {
    await page.goto('/');
    const datasets = page.getByRole('region', { name: 'Datasets' });
    await datasets
      .getByRole('row', { name: shop.dataset })
      .getByRole('link', { name: '1 contaminated' })
      .click();
    await page.waitForURL(/#contaminated$/);
    await expect(panel(page).getByText(interval)).toBeVisible();
  });

  await test.step('the release says that it leaves it, until it is linked', async () => {
    const owner = await another(browser, 'owner', `/releases/${release}/approval`);
    const change = owner.getByRole('region', { name: 'What will change' });
    await expect(change.getByText('A contaminated mark stays')).toBeVisible();
    await change.getByRole('link', { name: 'Link it' }).click();
    await panel(owner).getByRole('button', { name: 'Link…' }).click();
    const dialog = owner.getByRole('dialog', { name: 'Which release repairs it?' });
    await dialog.getByLabel('Release').selectOption(repairing);
    await dialog.getByRole('button', { name: 'Link', exact: true }).click();
    await expect(panel(owner).getByRole('link', { name: release })).toBeVisible();
    await owner.goto(`/releases/${release}/approval`);
    await expect(change.getByText('The cutover lifts the contaminated mark')).toBeVisible();
    await expect(change.getByText(interval)).toBeVisible();
    await expectAccessible(owner);
    await owner.goto(`/releases/${release}/cutover`);
    await expect(panel(owner).getByText('The cutover lifts the contaminated mark')).toBeVisible();
    await owner.context().close();
    expect((await warningsOf(page)).warnings).toMatchObject([{ repairedBy: repairing }]);
  });

  await test.step('the cutover lifts it', async () => {
    await shop.reconciled(release);
    await shop.sign(release, 'approver');
    await shop.sign(release, 'approver2');
    await shop.signRollback(release);
    await shop.activate(release);
    expect(await warningsOf(page)).toEqual({ head: null, warnings: [] });
    await page.goto(`/releases/${release}/cutover`);
    await expect(panel(page).getByText('The cutover lifted the contaminated mark')).toBeVisible();
    await page.goto(`/datasets/${shop.dataset}`);
    await panel(page).getByText('1 lifted mark').click();
    await expect(panel(page).getByText(`lifted by the cutover of ${release}`)).toBeVisible();
  });

  await test.step('the rollback puts it back, and a person lifts it for good', async () => {
    await shop.rollBack(release, 'the till differs');
    await shop.untilState(release, 'ROLLED_BACK');
    expect((await warningsOf(page)).head).toBe('CONTAMINATED');
    await page.goto(`/releases/${release}/cutover`);
    await expect(panel(page).getByText('the rollback put it back')).toBeVisible();
    await page.goto(`/datasets/${shop.dataset}`);
    await expect(panel(page).getByText(`put back by the rollback of ${release}`)).toBeVisible();
    await panel(page).getByRole('button', { name: 'Lift…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Lift the mark by hand?' });
    await dialog.getByLabel('Reason').fill('The rate was right in the Channel Islands');
    await dialog.getByRole('button', { name: 'Lift the mark' }).click();
    await expect(
      panel(page).getByText('Nothing that is served is known to be wrong.'),
    ).toBeVisible();
    expect(await warningsOf(page)).toEqual({ head: null, warnings: [] });
  });
});

test('an auditor reads what became of marks, and changes none', async ({ page }) => {
  await signIn(page, 'auditor', `/datasets/${shop.dataset}`);
  await panel(page).getByText('1 lifted mark').click();
  await expect(panel(page).getByText('The rate was right in the Channel Islands')).toBeVisible();
  await expect(panel(page).getByRole('button')).toHaveCount(0);
  await expectAccessible(page);
});
