import { expect, type Page } from '@playwright/test';
import { type Persona, signIn } from './people';

/** A page of the console as somebody sees it, on the demo's data. */
export interface Stop {
  name: string;
  as: Persona;
  path: string;
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
    'no-permission': '/releases/new',
  }),
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
      await page.context().clearCookies();
      await signIn(page, stop.as, '/');
      as = stop.as;
    }
    await page.goto(stop.path);
    await page.getByRole('main').waitFor();
    await expect(page.getByRole('heading', { name: 'Loading' })).toHaveCount(0);
    await stop.open?.(page);
    await look(stop);
  }
}
