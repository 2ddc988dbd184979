import { expect, type Page, test } from '@playwright/test';
import { another, expectAccessible, signIn } from './support/people';
import { ReleaseShop } from './support/release-shop';

let shop: ReleaseShop;
let release: string;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', 'signing');
  release = await shop.rehearsed();
  await shop.reconciled(release);
});
test.afterAll(() => shop.close());

const name = (page: Page) => page.getByLabel('Type the release’s name to sign');

test('approvers read the evidence, sign it, and see a signature go void', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000);
  const path = `/releases/${release}/approval`;

  await test.step('who wrote it sees everything and cannot sign', async () => {
    await signIn(page, 'owner', path);
    await expect(page.getByRole('heading', { name: 'Evidence' })).toBeVisible();
    await expect(page.getByText('owner may not sign: an author of this release.')).toBeVisible();
    await expect(name(page)).toHaveCount(0);
  });

  const cyd = await another(browser, 'approver', path);
  const ben = await another(browser, 'approver2', path);

  await test.step('sees on one screen what will change, the gates, and how to come back', async () => {
    const changes = cyd.getByRole('region', { name: 'What will change' });
    await expect(changes.getByRole('row', { name: /^tax rollup/ })).toContainText('+22.50');
    await expect(changes.getByText('0 unexplained')).toBeVisible();
    await expect(cyd.getByRole('region', { name: 'Gates' })).toContainText('Both at the barrier');
    await expect(cyd.getByRole('region', { name: 'If it goes wrong' })).toContainText('1 d');
    const digest = (await shop.evidence(release)).slice('sha256:'.length);
    await expect(cyd.getByRole('region', { name: 'Evidence' })).toContainText(digest.slice(0, 8));
    await expectAccessible(cyd);
  });

  await test.step('signs only by the release’s own name', async () => {
    await name(cyd).fill('another-fix@1');
    await cyd.getByRole('button', { name: 'Sign cutover and rollback' }).click();
    await expect(cyd.getByText(`This is not ${release}.`)).toBeVisible();
    await expect(name(cyd)).toBeFocused();
    await name(cyd).fill(release);
    await cyd.getByLabel('Statement, optional').fill('Read the checks and the diff.');
    await cyd.getByRole('button', { name: 'Sign cutover and rollback' }).click();
    await expect(cyd.getByText('Signatures for the cutover, 1 of 2')).toBeVisible();
    await expect(cyd.getByText('Signatures for the rollback, 1 of 1')).toBeVisible();
    await expect(cyd.getByText('“Read the checks and the diff.”').first()).toBeVisible();
    await expect(name(cyd)).toHaveCount(0);
  });

  await test.step('a signature on evidence that moved stays, as void, with the reason', async () => {
    await shop.reopen(release, 'a late file came in');
    await expect(ben.getByText('No evidence stands.')).toBeVisible();
    await expect(cyd.getByText(/void since .* ingress was reopened/).first()).toBeVisible();
    await expect(cyd.getByText('Signatures for the cutover, 0 of 2')).toBeVisible();
    await shop.sell('signing-late');
    await shop.reconciled(release);
  });

  const again = (who: Page) => who.getByRole('button', { name: 'Sign the new evidence instead' });

  await test.step('whoever was reading is told that it changed', async () => {
    await expect(ben.getByText('Changed since you looked.')).toBeVisible();
    await expect(name(ben)).toHaveCount(0);
    await again(ben).click();
    await name(ben).fill(release);
    await ben.getByRole('button', { name: /^Sign cutover/ }).click();
    await expect(ben.getByText('Signatures for the cutover, 1 of 2')).toBeVisible();
  });

  await test.step('the second signature that stands approves it', async () => {
    await again(cyd).click();
    await name(cyd).fill(release);
    await cyd.getByRole('button', { name: /^Sign cutover/ }).click();
    await expect(cyd.getByText('Signatures for the cutover, 2 of 2')).toBeVisible();
    await expect(cyd.getByRole('listitem').filter({ hasText: 'Approved' }).first()).toHaveAttribute(
      'aria-current',
      'step',
    );
    await expectAccessible(cyd);
  });

  await test.step('a rejection needs a comment and ends it', async () => {
    await ben.getByRole('button', { name: 'Reject with a comment…' }).click();
    const dialog = ben.getByRole('dialog', { name: `Reject ${release}?` });
    await dialog.getByRole('button', { name: `Reject ${release}` }).click();
    await expect(dialog.getByText('A comment is required.')).toBeVisible();
    await dialog.getByLabel('Why').fill('The range leaves out the third of January.');
    await dialog.getByRole('button', { name: `Reject ${release}` }).click();
    await expect(ben.getByText('Rejected by approver2.')).toBeVisible();
    await expect(ben.getByText('The range leaves out the third of January.').first()).toBeVisible();
    await expect(name(ben)).toHaveCount(0);
  });
});
