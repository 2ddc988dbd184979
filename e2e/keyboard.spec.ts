import { randomUUID } from 'node:crypto';
import { type Browser, expect, type Page, test } from '@playwright/test';
import {
  expectFocusKept,
  expectFocusShown,
  focused,
  goByPalette,
  pressOn,
  tabTo,
  watchPointer,
} from './support/keyboard';
import { ReleaseShop } from './support/release-shop';

/** Of this run: a console that is tested twice keeps what the first time made. */
const mark = randomUUID().slice(0, 6);

let shop: ReleaseShop;
let release: string;
const bare = `typed${mark}-fix`;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', `typed${mark}`);
  release = await shop.rehearsed();
});
test.afterAll(() => shop.close());

/** Somebody with a keyboard and nothing else, signed in by it. */
async function sitsDown(browser: Browser, persona: string, path: string) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  const pointer = await watchPointer(page);
  await page.goto(path);
  await page.waitForURL((url) => url.pathname === '/sign-in');
  await pressOn(page, page.getByRole('button', { name: `Sign in as ${persona}`, exact: true }));
  await page.waitForURL((url) => url.pathname === path);
  return { page, pointer };
}

const closed = (page: Page) => expect(page.getByRole('dialog')).toHaveCount(0);

test('a release is sealed, signed and cut over by the keyboard alone', async ({ browser }) => {
  test.setTimeout(240_000);
  const { page, pointer } = await sitsDown(browser, 'oncall', '/');

  await test.step('the first Tab offers to skip the nav, and Enter does', async () => {
    await page.reload();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
    await expectFocusShown(page);
    await page.keyboard.press('Enter');
    await expect(page.locator('#main')).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.locator('#main').locator(':focus')).toHaveCount(1);
  });

  await test.step('nothing on the way round the page keeps the focus', async () => {
    await goByPalette(page, release, `/releases/${release}`);
    const seen = new Set<string>();
    const skip = page.getByRole('link', { name: 'Skip to content' });
    await tabTo(page, skip);
    for (let stop = 0; stop < 200; stop += 1) {
      await page.keyboard.press('Tab');
      await expectFocusShown(page);
      seen.add(await focused(page));
      if (await skip.evaluate((element) => element === document.activeElement)) break;
    }
    await expect(skip).toBeFocused();
    for (const name of ['Seal ingress', `More for ${release}`, 'Overview']) {
      expect([...seen].some((stop) => stop.includes(name))).toBe(true);
    }
  });

  await test.step('a dialog takes the focus, keeps Tab inside, and gives the focus back', async () => {
    const button = page.getByRole('button', { name: 'Seal ingress', exact: true });
    await pressOn(page, button, 'Space');
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('textbox')).toBeFocused();
    for (let stop = 0; stop < 6; stop += 1) {
      await page.keyboard.press('Tab');
      await expect(dialog.locator(':focus')).toHaveCount(1);
    }
    await page.keyboard.press('Escape');
    await closed(page);
    await expect(button).toBeFocused();
  });

  await test.step('seals; the focus stays in the page though its button is gone', async () => {
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('textbox')).toBeFocused();
    await page.keyboard.type('after the nightly load');
    await pressOn(page, dialog.getByRole('button', { name: 'Seal ingress' }));
    await closed(page);
    await expect(page.getByText('0 of 2 signatures for the cutover').first()).toBeVisible({
      timeout: 60_000,
    });
    await expectFocusKept(page);
    await expectFocusShown(page);
  });

  for (const [n, persona] of (['approver', 'approver2'] as const).entries()) {
    await test.step(`${persona} signs by typing the release’s name`, async () => {
      const path = `/releases/${release}/approval`;
      const signer = await sitsDown(browser, persona, path);
      await tabTo(signer.page, signer.page.getByLabel('Type the release’s name to sign'));
      await signer.page.keyboard.type(`${release}`);
      await signer.page.keyboard.press('Enter');
      await expect(
        signer.page.getByText(`Signatures for the cutover, ${n + 1} of 2`),
      ).toBeVisible();
      await expectFocusKept(signer.page);
      await expectFocusShown(signer.page);
      expect(signer.pointer).toEqual([]);
      await signer.page.context().close();
    });
  }

  await test.step('goes to the cutover, and reads its conditions', async () => {
    await pressOn(page, page.getByRole('link', { name: 'Cut over…' }));
    await page.waitForURL(`**/releases/${release}/cutover`);
    await expect(page.getByText(/^(\d+) of \1 conditions hold$/)).toBeVisible();
    await expectFocusKept(page);
  });

  await test.step('a menu opens, is walked by arrows, and gives the focus back', async () => {
    const more = page.getByRole('button', { name: `More for ${release}` });
    await pressOn(page, more);
    await expect(page.getByRole('menuitem').first()).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('menuitem').nth(1)).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(more).toBeFocused();
  });

  await test.step('cuts over by typing the name', async () => {
    await pressOn(page, page.getByRole('button', { name: /^Cut over to/ }).first());
    const dialog = page.getByRole('dialog');
    const name = dialog.getByLabel(`Type ${release} to confirm`);
    await expect(name).toBeFocused();
    await page.keyboard.type(bare);
    await page.keyboard.press('Enter');
    await expect(dialog.getByText(`This is not ${release}.`)).toBeVisible();
    await expect(name).toBeFocused();
    await page.keyboard.type(release.slice(bare.length));
    await page.keyboard.press('Enter');
    await closed(page);
    await expect(page.getByRole('heading', { name: 'What it moved' })).toBeVisible();
    await expectFocusKept(page);
    await expectFocusShown(page);
  });

  await test.step('the next Tab goes on from there, and single keys still lead on', async () => {
    await page.keyboard.press('Tab');
    await expect(page.locator('#main').locator(':focus')).toHaveCount(1);
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.waitForURL('**/oncall');
    await expectFocusKept(page);
    await expect(page.getByRole('region', { name: release })).toBeVisible();
  });

  expect(pointer).toEqual([]);
  await page.context().close();
});
