import { randomUUID } from 'node:crypto';
import { chromium, expect, type Page, test } from '@playwright/test';
import { another, signIn } from './support/people';
import { ReleaseShop } from './support/release-shop';

/** Of this run: a console that is tested twice keeps what the first time made. */
const mark = randomUUID().slice(0, 6);

let shop: ReleaseShop;
let release: string;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', `stale${mark}`);
  release = await shop.rehearsed();
});
test.afterAll(() => shop.close());

/** From now on the page hears nothing of what others do. */
const deafen = (page: Page) => page.route('**/live/stamp?*', (route) => route.abort());
const hearAgain = (page: Page) => page.unroute('**/live/stamp?*');

test('who acts on an old page is told what changed, and loses nothing', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000);
  const path = `/releases/${release}`;
  const seal = page.getByRole('button', { name: /^Seal ingress/ });
  const dialog = page.getByRole('dialog');

  await test.step('one acts while the other’s page hears nothing of it', async () => {
    await signIn(page, 'oncall', path);
    await deafen(page);
    const owner = await another(browser, 'owner', path);
    await owner.getByRole('button', { name: `More for ${release}` }).click();
    await owner.getByRole('menuitem', { name: 'Hold…' }).click();
    await owner.getByLabel('Why, optional').fill('reading the fourth of January');
    await owner.getByRole('dialog').getByRole('button', { name: 'Hold', exact: true }).click();
    await expect(owner.getByText('Held by owner').first()).toBeVisible();
    await owner.context().close();
    await expect(page.getByText('Held by owner')).toHaveCount(0);
  });

  await test.step('the old page’s button is refused, with who did what, and keeps what was typed', async () => {
    await seal.first().click();
    await dialog.getByRole('textbox').fill('the night shift agreed');
    await dialog.getByRole('button', { name: 'Seal ingress' }).click();
    await expect(dialog.getByText('CHANGED_SINCE_SEEN')).toBeVisible();
    await expect(
      dialog.getByText(new RegExp(`owner held ${release}, .* GMT`)).first(),
    ).toBeVisible();
    await expect(dialog.getByRole('textbox')).toHaveValue('the night shift agreed');
  });

  await test.step('the page behind shows it now, though it hears nothing still', async () => {
    await expect(page.getByText(/^Held by owner/).first()).toBeVisible();
    await expect(dialog.getByRole('textbox')).toHaveValue('the night shift agreed');
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await hearAgain(page);
    await shop.unhold(release);
    await expect(page.getByText(/^Held by owner/)).toHaveCount(0);
  });

  await test.step('a dialog stays, with what was typed, though its move is made by another', async () => {
    await seal.first().click();
    await dialog.getByRole('textbox').fill('sealed by hand');
    await shop.seal(release);
    await expect(dialog.getByText('Changed since you looked.')).toBeVisible();
    await expect(dialog.getByRole('textbox')).toHaveValue('sealed by hand');
    await dialog.getByRole('button', { name: 'Seal ingress' }).click();
    await expect(dialog.getByText(/oncall sealed ingress for/).first()).toBeVisible();
    await expect(dialog.getByRole('textbox')).toHaveValue('sealed by hand');
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await expect(page.getByText('0 of 2 signatures for the cutover').first()).toBeVisible({
      timeout: 60_000,
    });
    await shop.reopen(release, 'once more');
  });
});

test('a double click makes one move, and going back shows what is', async ({ page }) => {
  test.setTimeout(180_000);
  const path = `/releases/${release}`;
  const seal = page.getByRole('button', { name: 'Seal ingress', exact: true }).first();
  const dialog = page.getByRole('dialog');

  const before = await shop.audited(release, 'release.seal');

  await test.step('a double click on the page’s button opens what it asks', async () => {
    await signIn(page, 'oncall', '/releases');
    await page.getByRole('link', { name: release }).first().click();
    await page.waitForURL(`**${path}`);
    await seal.dblclick();
    await expect(dialog).toBeVisible();
  });

  await test.step('a double click on its answer makes one move', async () => {
    await dialog.getByRole('button', { name: 'Seal ingress' }).dblclick();
    await expect(page.getByText('0 of 2 signatures for the cutover').first()).toBeVisible({
      timeout: 60_000,
    });
    await expect(dialog).toHaveCount(0);
    expect(await shop.audited(release, 'release.seal')).toEqual([...before, 'done']);
  });

  await test.step('going back after a move shows no old state', async () => {
    await page.getByRole('link', { name: 'Datasets', exact: true }).click();
    await page.waitForURL('**/datasets');
    await shop.reopen(release, 'to go back to');
    await page.goBack();
    await page.waitForURL(`**${path}`);
    await expect(page.getByText('Ingress is open again').or(seal).first()).toBeVisible();
    await expect(page.getByText('0 of 2 signatures for the cutover')).toHaveCount(0);
  });
});

test('a page that the browser kept whole is read anew, and pressing there is harmless', async ({
  baseURL,
}) => {
  test.setTimeout(120_000);
  const { executablePath, args } = test.info().project.use.launchOptions ?? {};
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args,
    // switched off in tests unless it is asked for
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });
  const page = await browser.newPage({ baseURL });
  const before = await shop.audited(release, 'release.seal');
  try {
    await signIn(page, 'oncall', `/releases/${release}`);
    const seal = page.getByRole('button', { name: 'Seal ingress', exact: true }).first();
    await expect(seal).toBeVisible();
    // left for another document, so that the browser may keep this one
    await page.goto('/healthz');
    await shop.hold(release, 'while nobody looked');
    await deafen(page);
    // not goBack(), which waits for the loading of a page that is not loaded again
    await page.evaluate(() => {
      setTimeout(() => history.back(), 0);
    });
    await expect(page.getByText(/^Held by owner/).first()).toBeVisible();
    await page
      .getByRole('button', { name: /^Seal ingress/ })
      .first()
      .click();
    await expect(page.getByText('The release is held; lift the hold first.')).toBeVisible();
    expect(await shop.audited(release, 'release.seal')).toEqual(before);
  } finally {
    await browser.close();
    await shop.unhold(release);
  }
});
