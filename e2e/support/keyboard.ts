import { expect, type Locator, type Page } from '@playwright/test';

/** More stops than any page has. */
const MOST_STOPS = 200;

/** Listens on every page of the context for what a hand on a mouse or a screen does. */
export async function watchPointer(page: Page): Promise<string[]> {
  const used: string[] = [];
  await page.exposeBinding('pointerUsed', (_source, what: string) => used.push(what));
  await page.addInitScript(() => {
    const told = (event: Event) => {
      // a button that is pressed by Enter or Space gets a click, too: one that no pointer made
      if (event.type === 'click' && (event as MouseEvent).detail === 0) return;
      (globalThis as unknown as { pointerUsed: (what: string) => void }).pointerUsed(event.type);
    };
    for (const type of ['pointerdown', 'mousedown', 'touchstart', 'wheel', 'click']) {
      addEventListener(type, told, true);
    }
  });
  return used;
}

/** What has the focus, as a person would name it; `body` where nothing has. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const at = document.activeElement;
    if (!at || at === document.body) return 'body';
    const name = at.getAttribute('aria-label') ?? at.textContent?.trim().slice(0, 60);
    return `${at.tagName.toLowerCase()} ${name}`;
  });
}

/** Nothing that closed or moved on has dropped the focus to the top of the document. */
export async function expectFocusKept(page: Page): Promise<void> {
  await expect.poll(() => focused(page)).not.toBe('body');
}

/** Walks by Tab until something has the focus; at every stop on the way it shows where it is. */
export async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor();
  const stops: string[] = [];
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
    await expectFocusShown(page);
    stops.push(await focused(page));
  }
  throw new Error(`${target} was not reached: ${stops.join(' → ')}`);
}

/** The focus is on something, in view, with an outline around it or around what holds it. */
export async function expectFocusShown(page: Page): Promise<void> {
  const fault = await page.evaluate(() => {
    const at = document.activeElement;
    // past the last stop the browser's own bar has it
    if (!(at instanceof HTMLElement || at instanceof SVGElement) || at === document.body) return '';
    const outlined = (element: Element | null) => {
      const style = element ? getComputedStyle(element) : null;
      return style !== null && style.outlineStyle !== 'none' && style.outlineWidth !== '0px';
    };
    const name = at.outerHTML.slice(0, 160);
    if (!outlined(at) && !outlined(at.closest(':focus-within:not(body, html, main)'))) {
      const around: Element[] = [];
      for (let up = at.parentElement; up; up = up.parentElement) around.push(up);
      if (!around.some(outlined)) return `not shown: ${name}`;
    }
    const { top, bottom, left, right } = at.getBoundingClientRect();
    const inView = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
    return inView ? '' : `out of view: ${name}`;
  });
  expect(fault).toBe('');
}

/** Presses a key on what is reached by Tab. */
export async function pressOn(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** Opens the palette, types, and takes what is found first. */
export async function goByPalette(page: Page, words: string, path: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Find' });
  await expect(async () => {
    await page.keyboard.press('Control+k');
    await expect(field).toBeFocused({ timeout: 1_000 });
  }).toPass();
  await page.keyboard.type(words);
  await expect(page.getByRole('option', { selected: true })).toContainText(words);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === path);
  await expectFocusKept(page);
}
