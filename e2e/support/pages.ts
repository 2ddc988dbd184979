import { expect, type Page } from '@playwright/test';
import { type Persona, signIn } from './people';

/** A page of the console as somebody sees it, on the demo's data. */
export interface Stop {
  name: string;
  as: Persona;
  path: string;
  /** The page is the one behind this link of the path's page, where its own address is not known. */
  behind?: string | RegExp;
  /** What of it is opened; nothing is written by it. */
  open?: (page: Page) => Promise<void>;
}

const seenBy = (as: Persona, paths: Readonly<Record<string, string>>): Stop[] =>
  Object.entries(paths).map(([name, path]) => ({ name, as, path }));

/** Every page of the console. */
export const pages: readonly Stop[] = [
  ...seenBy('oncall', {
    overview: '/',
    releases: '/releases',
    coverage: '/releases/vat-fix@3',
    build: '/releases/vat-fix@3/build',
    ingress: '/releases/vat-fix@3/ingress',
    reconciliation: '/releases/vat-fix@3/reconciliation',
    approval: '/releases/vat-fix@3/approval',
    cutover: '/releases/vat-fix@3/cutover',
    spec: '/releases/vat-fix@3/spec',
    'release-audit': '/releases/vat-fix@3/audit',
    'rolled-back': '/releases/vat-fix@2',
    'rolled-back-reconciliation': '/releases/vat-fix@2/reconciliation',
    'rolled-back-approval': '/releases/vat-fix@2/approval',
    'rolled-back-cutover': '/releases/vat-fix@2/cutover',
    'rejected-approval': '/releases/vat-fix@1/approval',
    'draft-spec': '/releases/returns-postage@1/spec',
    oncall: '/oncall',
    datasets: '/datasets',
    dataset: '/datasets/order_tax',
    calendar: '/datasets/order_tax/calendar',
    runs: '/runs',
    corrections: '/corrections',
    'corrections-history': '/corrections?tab=history',
    publications: '/corrections?tab=publications',
    corrected: '/corrections/daily/2026-02-03T00:00:00Z',
    source: '/sources/orders',
    audit: '/audit',
    'no-permission': '/releases/new',
  }),
  { name: 'run', as: 'oncall', path: '/runs', behind: /^run \d+$/ },
  ...seenBy('owner', {
    'releases-new': '/releases/new',
    'releases-edit': '/releases/returns-postage@1/edit',
  }),
  // only an admin sees these with all their buttons
  ...seenBy('admin', {
    admin: '/admin',
    'admin-tokens': '/admin?tab=tokens',
    'admin-datasets': '/admin?tab=datasets',
    'admin-sources': '/admin?tab=sources',
    'admin-budgets': '/admin?tab=budgets',
    'admin-subscribers': '/admin?tab=subscribers',
  }),
];

const day = 'from=2011-11-01T00:00:00Z&to=2011-11-03T00:00:00Z';
const button = (name: string | RegExp) => (page: Page) => opened(page, name, 'dialog');

/** Dialogs, and what else floats. */
export const dialogs: readonly Stop[] = [
  {
    name: 'keys',
    as: 'oncall',
    path: '/audit',
    open: (page) =>
      expect(async () => {
        await page.keyboard.press('?');
        await expect(page.getByRole('dialog')).toBeVisible({ timeout: 1_000 });
      }).toPass(),
  },
  { name: 'find', as: 'oncall', path: '/audit', open: button('Find') },
  {
    name: 'more',
    as: 'oncall',
    path: '/releases/vat-fix@3',
    open: (page) => opened(page, 'More for vat-fix@3', 'menu'),
  },
  { name: 'seal', as: 'oncall', path: '/releases/vat-fix@3', open: button('Seal ingress') },
  {
    name: 'run',
    as: 'oncall',
    path: `/datasets/order_tax/calendar?${day}`,
    open: button('Run these…'),
  },
  {
    name: 'claim',
    as: 'oncall',
    path: `/datasets/order_tax/calendar?${day}`,
    open: button('Claim…'),
  },
  {
    name: 'publish',
    as: 'owner',
    path: '/datasets/order_tax',
    open: button('Publish a range…'),
  },
  {
    name: 'mark',
    as: 'oncall',
    path: '/datasets/order_tax',
    open: button('Mark a range…'),
  },
  {
    name: 'report',
    as: 'owner',
    path: '/datasets/order_tax',
    open: button('Save a report…'),
  },
];

/** Presses until it is heard: what is pressed before the page's script runs opens nothing. */
async function opened(page: Page, name: string | RegExp, role: 'dialog' | 'menu'): Promise<void> {
  await expect(async () => {
    await page.getByRole('button', { name, exact: true }).first().click({ timeout: 2_000 });
    await expect(page.getByRole(role)).toBeVisible({ timeout: 1_000 });
  }).toPass();
}

/** Goes from stop to stop as the person of each, and looks at it once what it shows is there. */
export async function walk(
  page: Page,
  stops: readonly Stop[],
  look: (stop: Stop) => Promise<void>,
): Promise<void> {
  let as: Persona | null = null;
  for (const stop of stops) {
    if (stop.as !== as) {
      // a live page that is signed out goes on asking
      await page.goto('about:blank');
      await page.context().clearCookies();
      await signIn(page, stop.as, '/');
      as = stop.as;
    }
    await page.goto(stop.path);
    await stands(page);
    if (stop.behind) {
      await page.getByRole('link', { name: stop.behind }).first().click();
      await page.waitForURL((url) => url.pathname !== stop.path);
      await stands(page);
    }
    await stop.open?.(page);
    await look(stop);
  }
}

/** Waits until what the page shows is there: what is streamed, and what its script paints. */
export async function stands(page: Page): Promise<void> {
  await page.getByRole('main').waitFor();
  await expect(page.getByRole('heading', { name: 'Loading' })).toHaveCount(0);
  await expect(page.locator('canvas:not([data-painted])')).toHaveCount(0);
  // charts come when they are scrolled to
  for (const chart of await page.locator('.when-seen').all()) await chart.scrollIntoViewIfNeeded();
  await expect(page.locator('.when-seen:empty')).toHaveCount(0);
  await page.evaluate(() => scrollTo(0, 0));
}
