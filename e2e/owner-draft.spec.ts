import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { type DraftShop, draftShop } from './support/draft-shop';
import { sealSignSwitchRollBack } from './support/journey';
import { expectAccessible, signIn } from './support/people';

/** Of this run: a console that is tested twice keeps what the first time made. */
const mark = randomUUID().slice(0, 6);
const name = `vat-draft-${mark}`;
const release = `${name}@1`;

let shop: DraftShop;

test.beforeAll(async () => {
  const days = ['25', '26', '27', '28', '29', '30', '31'].map((day) => `2011-03-${day}`);
  shop = await draftShop(process.env.E2E_DATABASE_URL ?? '', `drafts_${mark}`, days);
});
test.afterAll(() => shop.close());

// the release of the first journey is the second one's
test.describe.configure({ mode: 'serial' });

test('an owner drafts, sees the plan, pins it, builds and rehearses', async ({ page }) => {
  test.setTimeout(180_000);

  await test.step('begins a release from the list', async () => {
    await signIn(page, 'owner', '/releases');
    await page.getByRole('link', { name: 'New release' }).click();
    await expect(page.getByRole('heading', { name: 'New release', level: 1 })).toBeVisible();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Dataset', { exact: true }).selectOption(shop.dataset);
  });

  const plan = page.getByRole('region', { name: 'What will run' });
  const way = page.getByRole('region', { name: 'In the way' });

  await test.step('is offered the nearest edges of a range that lies on none', async () => {
    await page.getByLabel('From', { exact: true }).fill('2011-03-26 06:30');
    await page.getByLabel('To, not included').fill('2011-03-30');
    await expect(page.getByText('Inside a day; the nearest edges:')).toBeVisible();
    await page
      .getByRole('group', { name: 'From: nearest edges' })
      .getByRole('button', { name: '2011-03-26 00:00 GMT' })
      .click();
    await expect(
      page.getByText('[2011-03-26 00:00 GMT, 2011-03-30 00:00 BST) Europe/London').first(),
    ).toBeVisible();
  });

  await test.step('sees the exact partitions, the short day among them', async () => {
    await expect(plan.getByText('one 23 h')).toBeVisible();
    await expect(plan.getByText('Planned 4')).toBeVisible();
    await expect(
      plan.getByRole('listitem').filter({ hasText: '[2011-03-27 00:00 GMT,' }),
    ).toContainText('23 h');
  });

  const sql = page.getByRole('textbox', { name: 'New transform' });

  await test.step('is told a fault of the transform by line and column', async () => {
    const old = await sql.inputValue();
    await sql.fill(old.replace('country', 'contry'));
    await expect(page.getByRole('button', { name: /^line 1, column \d+$/ })).toBeVisible();
    await expect(page.getByText(/There is no column contry/).first()).toBeVisible();
    await sql.fill(old.replace('0.175', '0.20'));
    await expect(page.getByText('one SELECT, deterministic, columns match')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Old transform' })).toContainText('0.175');
  });

  await test.step('declares what may change, and is told a fault in it', async () => {
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Rule', { exact: true }).fill('vat-20');
    await page.getByLabel('Where', { exact: true }).fill('new.taxx = 1');
    await expect(way).toContainText('Choose at least one.');
    await page.getByRole('checkbox', { name: 'tax' }).check();
    await expect(way).toContainText('taxx');
    await page.getByLabel('Where', { exact: true }).fill('new.tax = round(old.net * 0.20, 2)');
    await expect(way.getByText('Nothing stands in the way of a pin.')).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('keeps the draft, and tries one partition of it', async () => {
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.waitForURL(`**/releases/${release}/edit`);
    await expect(page.getByRole('heading', { name: release })).toBeVisible();
    await page.getByRole('button', { name: 'Run one partition' }).click();
    await expect(page.getByText('2 rows in use: 2 change, 0 go, 0 are new.')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Sample: old and new rows' })).toContainText(
      '17.50',
    );
  });

  await test.step('cannot pin what is not saved', async () => {
    await page.getByLabel('Partitions at once').fill('2');
    await page.getByRole('button', { name: /^Pin snapshot/ }).click();
    await expect(page.getByText('What you typed is not saved')).toBeVisible();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await expect(way.getByText('Nothing stands in the way of a pin.')).toBeVisible();
  });

  const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name });

  await test.step('pins the plan that is shown', async () => {
    await page.getByRole('button', { name: 'Pin snapshot', exact: true }).click();
    await confirm('Pin snapshot').click();
    await page.waitForURL(`**/releases/${release}`);
    const rail = page.getByRole('list', { name: 'States of the release' });
    await expect(rail.getByRole('listitem').filter({ hasText: 'Pinned' })).toHaveAttribute(
      'aria-current',
      'step',
    );
  });

  await test.step('builds it', async () => {
    await page.getByRole('button', { name: 'Start the build' }).click();
    await confirm('Start the build').click();
    await expect(page.getByText('4 of 4 built, not rehearsed').first()).toBeVisible({
      timeout: 60_000,
    });
    await expectAccessible(page);
  });

  await test.step('has it rehearsed', async () => {
    await page.getByRole('button', { name: 'Rehearse' }).click();
    await expect(page.getByText('4 of 4 built, rehearsed, 0 unexplained').first()).toBeVisible({
      timeout: 60_000,
    });
    // nothing is in the way of the seal: no count of blockers in the button
    await expect(page.getByRole('button', { name: 'Seal ingress', exact: true })).toBeVisible();
  });

  await test.step('reads one partition, and the frozen spec', async () => {
    await page.goto(`/releases/${release}?partition=2011-03-27T00:00:00Z`);
    const detail = page.getByRole('region', { name: /2011-03-28 00:00 BST\) Europe\/London/ });
    await expect(detail.getByText('Accepted')).toBeVisible();
    await expect(detail.getByText('23 h', { exact: true })).toBeVisible();
    await page.getByRole('link', { name: 'Spec' }).click();
    await expect(
      page.getByText('new.tax = round(old.net * 0.20, 2)', { exact: true }),
    ).toBeVisible();
    await expectAccessible(page);
  });
});

test('what the owner drafted is sealed, signed by two, cut over and rolled back', async ({
  browser,
}) => {
  test.setTimeout(240_000);
  await sealSignSwitchRollBack(browser, release, { live: false });
});

test('somebody who may not draft is told who may', async ({ page }) => {
  await signIn(page, 'auditor', '/releases');
  await expect(page.getByRole('link', { name: 'New release' })).toHaveCount(0);
  await page.goto('/releases/new');
  await expect(page.getByText('Only owners draft releases.')).toBeVisible();
  await expectAccessible(page);
});
