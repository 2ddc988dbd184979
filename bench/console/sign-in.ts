import type { Browser, BrowserContext } from '@playwright/test';
import type { Persona } from '@/lib/services/people/personas';

/** A context in which a persona is signed in, on a desk's screen. */
export async function signedIn(
  browser: Browser,
  address: string,
  persona: Persona,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  await page.goto('/sign-in?callbackUrl=/audit');
  await page.getByRole('button', { name: `Sign in as ${persona}`, exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/audit');
  await page.close();
  return context;
}

/** The header that a persona's browser would send. */
export async function signedInCookie(
  browser: Browser,
  address: string,
  persona: Persona,
): Promise<string> {
  const context = await signedIn(browser, address, persona);
  const cookies = await context.cookies();
  await context.close();
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}
