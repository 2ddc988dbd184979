import { test } from '@playwright/test';
import { dialogs, pages, walk } from './support/pages';

// Pictures of every page, for looking at: `npm run screenshots` writes them into screenshots/, which
// is not kept. The README's picture is a copy of screenshots/1280-light/overview.png.

for (const width of [1280, 390]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`every page at ${width} px, ${colorScheme}`, async ({ browser }) => {
      test.setTimeout(240_000);
      const context = await browser.newContext({
        viewport: { width, height: width < 600 ? 844 : 800 },
        colorScheme,
      });
      const page = await context.newPage();
      await walk(page, [...pages, ...dialogs], async ({ name, open }) => {
        await page.screenshot({
          path: `screenshots/${width}-${colorScheme}/${open ? 'open-' : ''}${name}.png`,
          // what floats belongs to the window
          fullPage: !open,
        });
      });
      await context.close();
    });
  }
}
