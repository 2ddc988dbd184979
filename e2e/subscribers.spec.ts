import { createHmac, randomUUID } from 'node:crypto';
import { expect, type Page, test } from '@playwright/test';
import { openReceiver, type Receiver } from '@/lib/testing/receiver';
import { expectAccessible, signIn } from './support/people';
import { ReleaseShop } from './support/release-shop';

/** Of this run: a console that is tested twice keeps what the first time made. */
const mark = randomUUID().slice(0, 6);
const office = `office-${mark}`;

let shop: ReleaseShop;
let receiver: Receiver;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  receiver = await openReceiver();
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', `told${mark}`);
});
test.afterAll(async () => {
  await shop.close();
  await receiver.close();
});

async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
}

const row = (page: Page) => page.getByRole('row').filter({ hasText: office });
const dialog = (page: Page) => page.getByRole('dialog');
const told = (kind: string) => receiver.calls.filter(({ body }) => body.kind === kind);

test('an admin adds a subscriber, tests it, sees it told of a cutover, and ends it', async ({
  page,
}) => {
  test.setTimeout(180_000);
  let secret = '';

  await test.step('the dataset’s page says that nobody is told', async () => {
    await signIn(page, 'admin', `/datasets/${shop.dataset}`);
    const panel = page.getByRole('region', { name: 'Subscribers' });
    await expect(panel).toContainText('Nobody is told.');
    await panel.getByRole('link', { name: 'Add a subscriber' }).click();
    await page.waitForURL(/\/admin\?tab=subscribers/);
    await expectAccessibleInBothThemes(page);
  });

  await test.step('an address with a password is refused, where it was typed', async () => {
    await page.getByRole('button', { name: 'New subscriber…' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill(office);
    await dialog(page).getByLabel('Address').fill('https://ana:secret@example.org/');
    await dialog(page).getByLabel('Of which dataset').selectOption(shop.dataset);
    await dialog(page).getByRole('button', { name: 'Add the subscriber' }).click();
    await expect(dialog(page).getByRole('alert').first()).toContainText('do not belong in it');
    await expectAccessibleInBothThemes(page);
  });

  await test.step('adds it: the secret is shown once', async () => {
    await dialog(page).getByLabel('Address').fill(receiver.url);
    await dialog(page).getByRole('button', { name: 'Add the subscriber' }).click();
    await expect(dialog(page).getByText('It is shown this once.')).toBeVisible();
    secret = (await dialog(page).locator('[data-token]').textContent()) ?? '';
    expect(secret).toMatch(/^ils_[A-Za-z0-9_-]{43}$/);
    await expectAccessibleInBothThemes(page);
    await dialog(page).getByRole('button', { name: 'I have it' }).click();
    await expect(row(page)).toContainText('told nothing yet');
    await page.reload();
    await expect(row(page)).toContainText(receiver.url);
    expect(await page.content()).not.toContain(secret);
  });

  await test.step('tests it: it arrives, signed, and the list says so by itself', async () => {
    receiver.answer = (response) => {
      response.statusCode = 500;
      response.end('<script>alert(1)</script>');
    };
    await row(page).getByRole('button', { name: 'Test' }).click();
    // what the receiver answers is text
    await expect(row(page)).toContainText('It answered 500. <script>alert(1)</script>');
    await expect(row(page)).toContainText('waiting');
    receiver.answer = (response) => response.end();
    await row(page).getByRole('button', { name: 'Test' }).click();
    await expect(row(page)).toContainText('delivered');
    const call = told('TEST').at(-1);
    const [, t, v1] = /^t=(\d+),v1=(\w+)$/.exec(`${call?.headers['interlock-signature']}`) ?? [];
    expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${call?.text}`).digest('hex'));
    expect(call?.body).toMatchObject({ dataset: shop.dataset, subject: office });
    await expectAccessibleInBothThemes(page);
  });

  await test.step('a cutover tells it, and says whom it told', async () => {
    const release = await shop.rehearsed();
    await shop.reconciled(release);
    await shop.sign(release, 'approver');
    await shop.sign(release, 'approver2');
    await shop.activate(release);
    await page.goto(`/releases/${release}/cutover`);
    await expect(page.getByText('told: 1 of 1 subscriber')).toBeVisible();
    expect(told('CUTOVER').map(({ body }) => body.subject)).toEqual([release]);
    await page.getByRole('link', { name: 'told: 1 of 1 subscriber' }).click();
    const panel = page.getByRole('region', { name: 'Subscribers' });
    await expect(panel.getByRole('row').filter({ hasText: release })).toContainText(
      `${office}: delivered`,
    );
    await expectAccessibleInBothThemes(page);
  });

  await test.step('narrows it to rollbacks', async () => {
    await page.goto('/admin?tab=subscribers');
    await page.getByRole('button', { name: `Change… ${office}` }).click();
    await dialog(page)
      .getByRole('checkbox', { name: /^Rollback/ })
      .check();
    await dialog(page).getByRole('button', { name: 'Change it' }).click();
    await expect(row(page)).not.toContainText('everything');
    await expect(row(page)).toContainText('rollback');
  });

  await test.step('ends it: it is told nothing more, and is kept under Ended', async () => {
    await row(page).getByRole('button', { name: 'End…' }).click();
    await expect(dialog(page)).toContainText('It is told nothing more');
    await dialog(page).getByRole('button', { name: 'End the subscriber' }).click();
    await expect(row(page)).toHaveCount(0);
    await page.getByRole('link', { name: /^Ended/ }).click();
    await expect(row(page)).toContainText('by admin');
  });
});

test('an auditor reads who is told, and has nothing to press', async ({ page }) => {
  await signIn(page, 'auditor', '/admin');
  await page.goto('/admin?tab=subscribers');
  await expect(page.getByRole('navigation', { name: 'Subscribers' })).toBeVisible();
  await expect(page.getByRole('button', { name: /New subscriber|Test|End…/ })).toHaveCount(0);
});
