import AxeBuilder from '@axe-core/playwright';
import { type Browser, expect, type Page } from '@playwright/test';

export type Persona = 'owner' | 'approver' | 'approver2' | 'oncall' | 'auditor' | 'admin';

/** Signs a persona in and opens a page. */
export async function signIn(page: Page, persona: Persona, path: string): Promise<void> {
  await page.goto(`/sign-in?${new URLSearchParams({ callbackUrl: path })}`);
  await page.getByRole('button', { name: `Sign in as ${persona}`, exact: true }).click();
  await page.waitForURL((url) => url.pathname === path);
}

/** One more person at a browser of their own, on the same kind of screen as the test's page. */
export async function another(
  browser: Browser,
  persona: Persona,
  path: string,
  like?: Page,
): Promise<Page> {
  const viewport = like?.viewportSize() ?? { width: 1280, height: 800 };
  const context = await browser.newContext({ viewport, locale: 'en-GB', timezoneId: 'UTC' });
  const page = await context.newPage();
  await signIn(page, persona, path);
  return page;
}

/** No violation of WCAG 2.2 AA on the page as it is. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
}
