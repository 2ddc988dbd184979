import * as fs from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { expectAccessible, signIn } from './support/people';
import { ReleaseShop } from './support/release-shop';

let shop: ReleaseShop;
let release: string;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', 'audited');
  release = await shop.rehearsed();
  // an author's signature is refused, and the refusal is a row, too
  await shop.sign(release, 'approver').catch(() => undefined);
});
test.afterAll(() => shop.close());

async function downloaded(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name, exact: true }).click(),
  ]);
  return fs.readFileSync(await file.path(), 'utf8');
}

test('an auditor reads who did what, verifies the chains and takes the rows along', async ({
  page,
}) => {
  test.setTimeout(180_000);
  await signIn(page, 'auditor', '/audit');

  await test.step('filters by release; the address keeps it', async () => {
    // a choice that is made before the page's script runs is nobody's: choose until it is heard
    await expect(async () => {
      await page.getByLabel('Release').selectOption('');
      await page.getByLabel('Release').selectOption(release);
      await page.waitForURL((url) => url.searchParams.get('release') === release, {
        timeout: 5_000,
      });
    }).toPass();
    const rows = page.getByRole('listitem').filter({ hasText: release });
    await expect(rows.first()).toContainText('release.approve');
    await page.getByLabel('Outcome').selectOption('refused');
    await page.waitForURL((url) => url.searchParams.get('outcome') === 'refused');
    await expect(rows).toHaveCount(1);
    await page.getByLabel('Outcome').selectOption('done');
    await expect(rows).toHaveCount(4);
  });

  await test.step('sees before and after of a move, and its place in the chain', async () => {
    const pinned = page.getByRole('listitem').filter({ hasText: 'release.pin' });
    await pinned.locator('summary').click();
    await expect(pinned.getByRole('row', { name: /^state DRAFT SNAPSHOT_PINNED$/ })).toBeVisible();
    await expect(
      pinned.getByText(`of dataset:${shop.dataset}`, { exact: false }).last(),
    ).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('has every chain recomputed', async () => {
    await page.getByRole('button', { name: 'Verify the chains' }).click();
    await expect(page.getByText(/^\d[\d,]* rows recomputed, every hash is right\.$/)).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('takes the filtered rows along', async () => {
    const csv = await downloaded(page, 'CSV');
    const lines = csv.trim().split('\r\n');
    expect(lines[0]).toMatch(/^chain,seq,at,actor,verb,subject,outcome,/);
    expect(lines).toHaveLength(5);
    expect(csv).toContain('release.pin');
    const json = JSON.parse(await downloaded(page, 'JSON')) as { subject: string }[];
    expect(json.map((row) => row.subject)).toEqual(Array(4).fill(release));
  });

  await test.step('reads what the two generations differ in, row by row', async () => {
    await page.goto(`/releases/${release}/reconciliation`);
    const verdict = page.getByRole('region', { name: 'Verdict' });
    await expect(verdict).toContainText('Unexplained rows');
    await expect(verdict.getByText('0', { exact: true }).first()).toBeVisible();
    await expect(page.getByRole('region', { name: 'Checks' })).toContainText('passed');
    const diff = page.getByRole('region', { name: 'Row diff' });
    await expect(diff.getByRole('row').filter({ hasText: '2011-01-04-1' })).toContainText('vat-20');
    await diff.getByRole('link', { name: /^vat-20/ }).click();
    await page.waitForURL((url) => url.searchParams.get('rule') === 'vat-20');
    await diff.getByRole('link', { name: /^unexplained/ }).click();
    await expect(diff.getByText('No row differs like this.')).toBeVisible();
    await diff.getByRole('link', { name: /^all/ }).click();
    await expect(diff.getByRole('row').filter({ hasText: '2011-01-06-2' })).toBeVisible();
    const csv = await downloaded(page, 'CSV');
    expect(csv.trim().split('\r\n')).toHaveLength(7);
    expect(csv).toContain('2011-01-04-1');
    await expectAccessible(page);
  });

  await test.step('changes nothing: no page offers a move', async () => {
    for (const tab of ['build', 'ingress', 'approval', 'cutover']) {
      await page.goto(`/releases/${release}/${tab}`);
      await expect(page.getByRole('heading', { name: release })).toBeVisible();
      await expect(
        page.getByRole('button', {
          name: /^(Seal|Sign|Reject|Pause|Change|Cut over|Reopen|Rehearse|Accept)/,
        }),
      ).toHaveCount(0);
      await expectAccessible(page);
    }
  });

  await test.step('reads how the dataset is served, and its source’s log', async () => {
    await page.goto(`/datasets/${shop.dataset}`);
    await expect(page.getByRole('region', { name: 'Generations' })).toContainText('Candidate');
    await page.getByRole('link', { name: 'audited_orders' }).first().click();
    await expect(page.getByRole('heading', { name: 'audited_orders' })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Newest events' })).toContainText('2011-01-06-2');
    await expectAccessible(page);
  });
});
