import { expect, type Page, test } from '@playwright/test';

// Pictures of every page, for looking at: `npm run screenshots` writes them into screenshots/, which
// is not kept. The README's picture is a copy of screenshots/1280-light/overview.png.

const pages: Record<string, string> = {
  overview: '/',
  releases: '/releases',
  'releases-new': '/releases/new',
  coverage: '/releases/vat-fix@3',
  build: '/releases/vat-fix@3/build',
  ingress: '/releases/vat-fix@3/ingress',
  reconciliation: '/releases/vat-fix@3/reconciliation',
  approval: '/releases/vat-fix@3/approval',
  cutover: '/releases/vat-fix@3/cutover',
  spec: '/releases/vat-fix@3/spec',
  'release-audit': '/releases/vat-fix@3/audit',
  oncall: '/oncall',
  datasets: '/datasets',
  dataset: '/datasets/order_tax',
  calendar: '/datasets/order_tax/calendar',
  runs: '/runs',
  corrections: '/corrections',
  'corrections-history': '/corrections?tab=history',
  publications: '/corrections?tab=publications',
  source: '/sources/orders',
  audit: '/audit',
};
/** What only an admin sees with all its buttons. */
const adminPages: Record<string, string> = {
  admin: '/admin',
  'admin-tokens': '/admin?tab=tokens',
  'admin-datasets': '/admin?tab=datasets',
  'admin-sources': '/admin?tab=sources',
};

async function signIn(page: Page, person: 'oncall' | 'admin'): Promise<void> {
  await page.context().clearCookies();
  await page.goto('/sign-in');
  await page.getByRole('button', { name: `Sign in as ${person}`, exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/');
}

for (const width of [1280, 390]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`every page at ${width} px, ${colorScheme}`, async ({ browser }) => {
      test.setTimeout(180_000);
      const context = await browser.newContext({
        viewport: { width, height: width < 600 ? 844 : 800 },
        colorScheme,
      });
      const page = await context.newPage();
      for (const [person, seen] of [
        ['oncall', pages],
        ['admin', adminPages],
      ] as const) {
        await signIn(page, person);
        for (const [name, path] of Object.entries(seen)) {
          await page.goto(path);
          await page.getByRole('main').waitFor();
          await expect(page.getByRole('heading', { name: 'Loading' })).toHaveCount(0);
          await page.screenshot({
            path: `screenshots/${width}-${colorScheme}/${name}.png`,
            fullPage: true,
          });
        }
      }
      await context.close();
    });
  }
}
