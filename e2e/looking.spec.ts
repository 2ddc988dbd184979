import { expect, test } from '@playwright/test';
import { signIn } from './support/people';

// What people do to read: select in the picture of differences, sort, ask what a word means, print.

const reconciliation = '/releases/vat-fix@3/reconciliation';

test('the picture of differences selects the rows below it, and is drawn larger', async ({
  page,
}) => {
  await signIn(page, 'auditor', reconciliation);
  const picture = page.getByRole('slider', { name: 'Differing rows per partition and key bucket' });
  const panel = page.getByRole('region', { name: /^Differences, partition/ });
  await expect(panel).toContainText('340 partitions');
  await expect(panel.locator('canvas[data-painted]')).toBeVisible();
  await picture.scrollIntoViewIfNeeded();
  const box = await picture.boundingBox();
  if (!box) throw new Error('the picture has no place');

  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.55, y, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/[?&]from=2011-06-2\d.*&to=2011-07-\d\d/);
  const chosen = new URL(page.url()).searchParams;
  await expect(page.getByRole('link', { name: /^All rows instead of those of/ })).toBeVisible();
  const diff = page.getByRole('region', { name: /^Row diff/ });
  const first = diff.locator('table.diff tbody tr').first();
  await expect(first).toContainText(/2011-0[67]-/);

  await panel.getByRole('link', { name: 'Zoom in' }).click();
  await expect(page).toHaveURL(/heatFrom=/);
  await expect(panel).toContainText(/^\D*1[5-9] partitions/);
  const zoomed = new URL(page.url()).searchParams;
  expect([zoomed.get('heatFrom'), zoomed.get('heatTo')]).toEqual([
    chosen.get('from'),
    chosen.get('to'),
  ]);

  // by keyboard: one cell, then whole partitions from it on
  await picture.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/bucket=\d+/);
  await page.keyboard.press('Shift+ArrowRight');
  await expect(page).not.toHaveURL(/bucket=/);
  const span = new URL(page.url()).searchParams;
  const days = Date.parse(span.get('to') ?? '') - Date.parse(span.get('from') ?? '');
  expect(days).toBe(2 * 86_400_000);

  await panel.getByRole('link', { name: 'All partitions' }).click();
  await expect(panel).toContainText('340 partitions');
});

test('lists are sorted by their heads, by links that can be kept', async ({ page }) => {
  await signIn(page, 'auditor', '/releases');
  const names = () => page.locator('tbody tr td:first-child b').allInnerTexts();
  const head = page.getByRole('columnheader', { name: 'Release', exact: true });
  await head.getByRole('link').click();
  await expect(head).toHaveAttribute('aria-sort', 'ascending');
  const up = await names();
  expect(up.length).toBeGreaterThan(5);
  expect(up).toEqual(up.toSorted());
  await head.getByRole('link').click();
  await expect(head).toHaveAttribute('aria-sort', 'descending');
  expect(await names()).toEqual(up.toReversed());
  await page.goto('/datasets?sort=-name');
  const down = await names();
  expect(down).toContain('order_tax');
  expect(down).toEqual(down.toSorted().toReversed());
});

test('a word says what it means, and Escape takes that away', async ({ page }) => {
  await signIn(page, 'auditor', '/');
  const word = page.getByRole('button', { name: 'Lag', exact: true });
  const meaning = page.getByText('how long the oldest event that is not applied has waited');
  await expect(meaning).toBeHidden();
  await word.focus();
  await page.keyboard.press('Enter');
  await expect(meaning).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(meaning).toBeHidden();
  await expect(word).toBeFocused();
});

test('evidence on paper is light, without buttons, and has whole digests', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await signIn(page, 'auditor', reconciliation);
  const digest = page.locator('button.dig').first();
  const whole = (await digest.getAttribute('title'))?.replace(', press to copy', '');
  expect(whole).toMatch(/^sha256:[0-9a-f]{64}$/);
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  const printed = await digest.evaluate((element) => getComputedStyle(element, '::before').content);
  expect(printed).toBe(`"${whole}"`);
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden();
  await expect(page.getByRole('link', { name: 'CSV' })).toBeHidden();
  const ground = await page.evaluate(
    () => getComputedStyle(document.documentElement).backgroundColor,
  );
  expect(ground).toBe('rgb(255, 255, 255)');
  const pdf = await page.pdf();
  expect(pdf.length).toBeGreaterThan(10_000);
});
