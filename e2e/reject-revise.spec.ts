import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { another, expectAccessible } from './support/people';
import { ReleaseShop } from './support/release-shop';

/** Of this run: a console that is tested twice keeps what the first time made. */
const mark = randomUUID().slice(0, 6);

let shop: ReleaseShop;
let release: string;
const name = `revising${mark}-fix`;
const next = `${name}@2`;
const comment = 'Tax is rounded to tenths. It has to be exact to the penny.';

test.beforeAll(async () => {
  test.setTimeout(180_000);
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', `revising${mark}`);
  release = await shop.rehearsed({
    transform: { new: { sql: roughSql } },
    expectedDiff: [
      { rule: 'vat-20', where: 'new.tax = round(old.net * 0.20, 1)', columns: ['tax'] },
    ],
  });
  await shop.reconciled(release);
  await shop.sign(release, 'approver2');
});
test.afterAll(() => shop.close());

const roughSql = `select line, invoiced_at, country, quantity * unit_price as net,
    round(quantity * unit_price * 0.20, 1) as tax from source`;

test('a rejection with a comment reaches the owner, and the next revision answers it', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000);
  const path = `/releases/${release}/approval`;

  await test.step('a pasted link leads through the sign-in to exactly that place', async () => {
    await page.goto(`${path}#your-signature`);
    await page.waitForURL((url) => url.pathname === '/sign-in');
    await page.getByRole('button', { name: 'Sign in as approver', exact: true }).click();
    await page.waitForURL((url) => url.pathname === path);
    expect(new URL(page.url()).hash).toBe('#your-signature');
    await expect(page.getByText('Signatures for the cutover, 1 of 2')).toBeVisible();
  });

  await test.step('rejecting asks for a comment, and says why it does', async () => {
    await page.getByRole('button', { name: 'Reject with a comment…' }).click();
    const dialog = page.getByRole('dialog', { name: `Reject ${release}?` });
    await expect(dialog).toContainText('Its owner can make the next revision.');
    const why = dialog.getByLabel('Why');
    await dialog.getByRole('button', { name: `Reject ${release}` }).click();
    await expect(dialog.getByText('A comment is required.')).toBeVisible();
    await expect(why).toBeFocused();
    await why.fill(comment);
    await dialog.getByRole('button', { name: `Reject ${release}` }).click();
    await expect(page.getByText('Rejected by approver.')).toBeVisible();
    await expect(page.getByText(comment).first()).toBeVisible();
  });

  await test.step('the signature that was given stays, as void, with the reason', async () => {
    const cutover = page.getByRole('list', { name: 'Signatures for the cutover' });
    await expect(cutover.getByRole('listitem').filter({ hasText: 'approver2' })).toContainText(
      /void since .* the release was rejected/,
    );
    await expectAccessible(page);
  });

  const owner = await another(browser, 'owner', '/');

  await test.step('it waits for its owner, with the comment', async () => {
    const waits = owner.getByRole('region', { name: 'Waits for you' });
    const row = waits.getByRole('listitem').filter({ hasText: `Revise ${release}` });
    await expect(row).toContainText(`rejected by approver: “${comment}”`);
    await expectAccessible(owner);
    await row.getByRole('link', { name: 'Next revision' }).click();
    await owner.waitForURL((url) => url.pathname === '/releases/new');
  });

  await test.step('the next revision begins with what the last one said, and why it failed', async () => {
    const { sections } = editor(owner);
    await expect(owner.getByRole('heading', { name: `Next revision of ${release}` })).toBeVisible();
    await expect(owner.getByText(`approver rejected ${release}`)).toBeVisible();
    await expect(owner.getByText(comment)).toBeVisible();
    await expect(sections.name).toHaveValue(name);
    await expect(sections.from).toHaveValue(/^2011-01-04/);
    await expect(sections.sql).toHaveValue(roughSql);
    await expect(sections.where).toHaveValue('new.tax = round(old.net * 0.20, 1)');
    await expectAccessible(owner);
  });

  await test.step('the transform and its rule are corrected, kept and pinned', async () => {
    const { sections } = editor(owner);
    await sections.sql.fill(roughSql.replace('0.20, 1', '0.20, 2'));
    await sections.where.fill('new.tax = round(old.net * 0.20, 2)');
    await expect(owner.getByText('Nothing stands in the way of a pin.')).toBeVisible();
    await owner.getByRole('button', { name: 'Save draft' }).click();
    await owner.waitForURL(`**/releases/${next}/edit`);
    await expect(owner.getByText(`approver rejected ${release}`)).toBeVisible();
    await owner.getByRole('button', { name: 'Pin snapshot', exact: true }).click();
    await owner.getByRole('dialog').getByRole('button', { name: 'Pin snapshot' }).click();
    await owner.waitForURL(`**/releases/${next}`);
  });

  await test.step('what changed since the revision before is shown', async () => {
    await owner.getByRole('link', { name: 'Spec' }).click();
    const changes = owner.getByRole('region', { name: 'Changed since the revision before' });
    const rule = changes.getByRole('row', { name: /expectedDiff/ });
    await expect(rule).toContainText('round(old.net * 0.20, 1)');
    await expect(rule).toContainText('round(old.net * 0.20, 2)');
    const transform = owner.getByRole('region', { name: 'Transform changed since' });
    await expect(transform).toContainText('0.20, 1');
    await expect(transform).toContainText('0.20, 2');
    await expectAccessible(owner);
  });

  await test.step('it is built again, all of it', async () => {
    await owner.getByRole('button', { name: 'Start the build' }).click();
    await owner.getByRole('dialog').getByRole('button', { name: 'Start the build' }).click();
    await expect(owner.getByText('3 of 3 built, not rehearsed').first()).toBeVisible({
      timeout: 60_000,
    });
    await shop.rehearse(next);
    await shop.reconciled(next);
  });

  await test.step('nothing waits for the owner any more', async () => {
    await owner.goto('/');
    await expect(owner.getByText(`Revise ${release}`)).toHaveCount(0);
    await owner.context().close();
  });

  await test.step('the new revision asks for fresh signatures; the old ones count for nothing', async () => {
    await page.goto(`/releases/${next}/approval`);
    await expect(page.getByText('Signatures for the cutover, 0 of 2')).toBeVisible();
    const cutover = page.getByRole('list', { name: 'Signatures for the cutover' });
    await expect(cutover.getByRole('listitem').filter({ hasText: 'approver2' })).toContainText(
      'may sign',
    );
    await expect(page.getByText(`Answers the rejection of ${release}`)).toBeVisible();
    await expect(page.getByText(comment)).toBeVisible();
    await page.getByLabel('Type the release’s name to sign').fill(next);
    await page.getByRole('button', { name: /^Sign cutover/ }).click();
    await expect(page.getByText('Signatures for the cutover, 1 of 2')).toBeVisible();
    await page.goto(path);
    await expect(page.getByText('Signatures for the cutover, 0 of 2')).toBeVisible();
    await expect(page.getByRole('link', { name: `To ${next}` })).toBeVisible();
  });
});

/** The fields of the draft editor that this journey looks at. */
function editor(page: import('@playwright/test').Page) {
  return {
    sections: {
      name: page.getByLabel('Name', { exact: true }),
      from: page.getByLabel('From', { exact: true }),
      sql: page.getByRole('textbox', { name: 'New transform' }),
      where: page.getByLabel('Where', { exact: true }),
    },
  };
}
