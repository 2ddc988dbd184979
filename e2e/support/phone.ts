import { expect, type Page } from '@playwright/test';

/** WCAG 2.2, 2.5.8: the least that a finger can hit. */
const LEAST_PX = 24;

/**
 * Nothing reaches over the edge of the screen, and everything that is there to be tapped is large
 * enough. A link inside of a sentence is exempt, as it is in WCAG.
 */
export async function expectFits(page: Page): Promise<void> {
  const found = await page.evaluate((least) => {
    const over = document.documentElement.scrollWidth - window.innerWidth;
    const small = [
      ...document.querySelectorAll('a[href], button, input, select, textarea, summary'),
    ]
      .filter((target) => {
        const style = getComputedStyle(target);
        const { width, height } = target.getBoundingClientRect();
        if (width === 0 || height === 0 || style.visibility === 'hidden') return false;
        if (target.closest('[aria-hidden="true"], .sr, .skip')) return false;
        if (style.display === 'inline' && target.closest('p, li, td, dd, small, h2')) return false;
        // a box is tapped by its label, too
        const hit = target.closest('label')?.getBoundingClientRect() ?? { width, height };
        return Math.max(width, hit.width) < least || Math.max(height, hit.height) < least;
      })
      .map((target) => {
        const { width, height } = target.getBoundingClientRect();
        return `${Math.round(width)}×${Math.round(height)} ${target.outerHTML.slice(0, 120)}`;
      });
    return { over: Math.max(0, over), small };
  }, LEAST_PX);
  expect(found).toEqual({ over: 0, small: [] });
}
