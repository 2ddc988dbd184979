import { randomUUID } from 'node:crypto';
import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './support/people';
import { expectFits } from './support/phone';
import { ReleaseShop } from './support/release-shop';

/** Of this run: a console that is tested twice keeps what the first time made. */
const mark = randomUUID().slice(0, 6);

let shop: ReleaseShop;
let release: string;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', `pocket${mark}`);
  release = await shop.rehearsed();
  await shop.reconciled(release);
});
test.afterAll(() => shop.close());

/** Opens a link that somebody pasted, signed in or not. */
async function openLink(page: Page, persona: string, path: string): Promise<void> {
  await page.context().clearCookies();
  await page.goto(path);
  await page.getByRole('button', { name: `Sign in as ${persona}`, exact: true }).tap();
  await page.waitForURL((url) => url.pathname === path);
}

test('on a phone: an approver reads everything and signs; another rejects', async ({ page }) => {
  test.setTimeout(120_000);
  const path = `/releases/${release}/approval`;

  await test.step('the pasted link leads through the sign-in, which fits the screen', async () => {
    await page.goto(path);
    await expect(page.getByRole('button', { name: /^Sign in as approver2/ })).toBeVisible();
    await expectFits(page);
    await openLink(page, 'approver', path);
  });

  await test.step('reads what will change, the gates, the way back and the digest', async () => {
    const changes = page.getByRole('region', { name: 'What will change' });
    await expect(changes.getByRole('row', { name: /^tax rollup/ })).toContainText('+22.50');
    await expect(changes.getByText('0 unexplained')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Gates' })).toContainText('Both at the barrier');
    await expect(page.getByRole('region', { name: 'If it goes wrong' })).toContainText('1 d');
    const digest = (await shop.evidence(release)).slice('sha256:'.length);
    await expect(page.getByRole('region', { name: 'Evidence' })).toContainText(digest.slice(0, 8));
    await expectFits(page);
    await expectAccessible(page);
  });

  await test.step('the bar under the thumb leads to the signature', async () => {
    const bar = page.getByRole('link', { name: 'To the signature' });
    await expect(bar).toBeInViewport();
    await bar.tap();
    await expect(page.getByLabel('Type the release’s name to sign')).toBeInViewport();
  });

  await test.step('signs by typing the name', async () => {
    const name = page.getByLabel('Type the release’s name to sign');
    await page.getByRole('button', { name: 'Sign cutover and rollback' }).tap();
    await expect(page.getByText(`This is not ${release}.`)).toBeVisible();
    await name.tap();
    await name.pressSequentially(release);
    await page.getByRole('button', { name: 'Sign cutover and rollback' }).tap();
    await expect(page.getByText('Signatures for the cutover, 1 of 2')).toBeVisible();
    await expect(page.getByText('Signatures for the rollback, 1 of 1')).toBeVisible();
    await expect(page.getByRole('link', { name: 'To the signature' })).toHaveCount(0);
    await expectFits(page);
    await expectAccessible(page);
  });

  await test.step('another approver rejects, with the comment that is asked for', async () => {
    await openLink(page, 'approver2', path);
    await page.getByRole('button', { name: 'Reject with a comment…' }).tap();
    const dialog = page.getByRole('dialog', { name: `Reject ${release}?` });
    await expectFits(page);
    await dialog.getByRole('button', { name: `Reject ${release}` }).tap();
    await expect(dialog.getByText('A comment is required.')).toBeVisible();
    await dialog.getByLabel('Why').tap();
    await dialog.getByLabel('Why').pressSequentially('The third of January is missing.');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: `Reject ${release}` }).tap();
    await expect(page.getByText('Rejected by approver2.')).toBeVisible();
    await expect(page.getByText('The third of January is missing.').first()).toBeVisible();
    await expectFits(page);
  });
});
