import { expect, type Request, test } from '@playwright/test';
import { pages, walk } from './support/pages';

const MOST_BYTES = 250_000;

// What a page is shown and used with. Parts that come later, when they are looked at or opened
// (charts, the palette, a calendar's table) or once the page stands (toasts), are not in it.
test('no page loads more than 250 kB of compressed script', async ({ page }) => {
  test.setTimeout(120_000);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  // each page weighs what it weighs for who comes to it first
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  let scripts: Request[] = [];
  let loading = true;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) {
      scripts = [];
      loading = true;
    }
    if (loading && request.resourceType() === 'script') scripts.push(request);
  });
  page.on('load', () => {
    loading = false;
  });

  await page.goto('/sign-in');
  const kept = await (await scripts[0]?.response())?.headerValue('cache-control');
  test.skip(!kept?.includes('immutable'), 'a development server sends scripts as they are written');

  const weights: { name: string; bytes: number }[] = [];
  await walk(page, pages, async ({ name, behind }) => {
    // what is behind a link came without its shell, which is the most of it
    if (behind) await page.reload();
    // one that the page before still asked for was broken off
    const came = scripts.filter((script) => script.failure() === null);
    const sizes = await Promise.all(came.map((script) => script.sizes()));
    const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    weights.push({ name, bytes });
  });
  const heaviest = weights.toSorted((a, b) => b.bytes - a.bytes).slice(0, 5);
  const table = heaviest.map(({ name, bytes }) => `${Math.round(bytes / 1000)} kB  ${name}`);
  expect(weights.every(({ bytes }) => bytes > 0)).toBe(true);
  expect(heaviest[0]?.bytes, `the heaviest pages:\n${table.join('\n')}`).toBeLessThanOrEqual(
    MOST_BYTES,
  );
});
