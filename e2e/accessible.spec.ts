import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { dialogs, pages, stands, walk } from './support/pages';

// Every page and dialog, on a desk and on a phone and in both themes: what axe finds, what the
// browser complains of, and what sticks out at the side.

// a trace would take longer than what it is of
test.use({ trace: 'off' });

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

for (const width of [1280, 390]) {
  test(`every page at ${width} px: accessible in both themes, quiet, no wider than the screen`, async ({
    browser,
  }) => {
    test.setTimeout(360_000);
    const context = await browser.newContext({
      viewport: { width, height: width < 600 ? 844 : 800 },
      colorScheme: 'light',
      // half-way through an animation nothing has its contrast
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'UTC',
    });
    const page = await context.newPage();
    const complaints = listen(page);
    await walk(page, [...pages, ...dialogs], async ({ name, open }) => {
      const note = (texts: readonly string[]) => texts.map((text) => `${name}: ${text}`);
      // what floats stands beside the page's landmarks, and is none itself
      const axe = () =>
        new AxeBuilder({ page }).withTags(wcag).disableRules(open ? ['region'] : []);
      const found = note(await lasting(page, axe));
      if (width === 1280) {
        // themes differ in colours, and colours not by width
        await page.emulateMedia({ colorScheme: 'dark' });
        const contrast = () => new AxeBuilder({ page }).withRules(['color-contrast']);
        found.push(...note(await lasting(page, contrast)).map((text) => `dark, ${text}`));
        await page.emulateMedia({ colorScheme: 'light' });
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) found.push(`${name}: ${wide} px wide`);
      found.push(...note(complaints.splice(0)));
      expect.soft(found).toEqual([]);
    });
    await context.close();
  });
}

/** What the browser complains of, as it comes. */
function listen(page: Page): string[] {
  const heard: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') heard.push(message.text());
  });
  page.on('pageerror', (error) => heard.push(error.message));
  page.on('response', (response) => {
    if (response.status() >= 400) heard.push(`${response.status()} of ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    // leaving a page ends what it was still reading
    const why = request.failure()?.errorText ?? '';
    if (why !== 'net::ERR_ABORTED') heard.push(`${why} of ${request.url()}`);
  });
  return heard;
}

/** What axe finds, and finds again once the page stands: a live page may be between two of its states. */
async function lasting(page: Page, axe: () => AxeBuilder): Promise<string[]> {
  if ((await violations(axe())).length === 0) return [];
  await stands(page);
  return violations(axe());
}

async function violations(axe: AxeBuilder): Promise<string[]> {
  // there are no frames: the other mode opens one more page for each look
  const result = await axe.setLegacyMode().analyze();
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
