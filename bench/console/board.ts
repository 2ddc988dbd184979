import type { Browser, Page } from '@playwright/test';
import { median } from '../measure';
import { signedIn } from './sign-in';

export interface BoardFigures {
  /** First contentful paint, milliseconds since the navigation began; a median. */
  paint: number;
  /** Until the calendar stood on the screen. */
  drawn: number;
  /** The longest from an event to the paint that answers it, or that a frame took meanwhile. */
  interactions: { name: string; millis: number }[];
}

const rounds = 5;

/** A page with a calendar of partitions, opened afresh each time, then used. */
export async function measureBoard(
  browser: Browser,
  address: string,
  path: string,
): Promise<BoardFigures> {
  const context = await signedIn(browser, address, 'oncall');
  // the compiler wraps named functions in a helper of its own, which a page does not have
  await context.addInitScript({ content: 'globalThis.__name = (named) => named;' });
  await context.addInitScript(watch);
  const page = await context.newPage();
  const paints: number[] = [];
  const drawns: number[] = [];
  // the first one fills the browser's cache of scripts
  for (let round = 0; round <= rounds; round++) {
    await open(page, path);
    if (round === 0) continue;
    const { paint, drawn } = await page.evaluate(() => window.benchSeen);
    paints.push(paint);
    drawns.push(drawn);
  }
  const interactions: BoardFigures['interactions'] = [];
  for (const [name, act] of Object.entries(acts)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await page.evaluate(() => window.benchReset());
      await act(page);
      await settled(page);
      times.push(await page.evaluate(() => window.benchSeen.longest));
    }
    interactions.push({ name, millis: median(times) });
  }
  await context.close();
  return { paint: median(paints), drawn: median(drawns), interactions };
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path, { waitUntil: 'load' });
  await page.waitForFunction(() => window.benchSeen.drawn > 0);
  await settled(page);
}

/** Until nothing is on its way any more and the frames are out, so that no work is left uncounted. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null);
  await page.evaluate(
    () =>
      new Promise((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 50))),
      ),
  );
}

const canvas = (page: Page) => page.locator('.cal canvas');

/** A point within the calendar, in shares of its size. */
async function point(page: Page, x: number, y: number): Promise<[number, number]> {
  const box = await canvas(page).boundingBox();
  if (!box) throw new Error('the calendar is not on the screen');
  return [box.x + box.width * x, box.y + box.height * y];
}

let turn = 0;

const acts: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'moving over cells': async (page) => {
    await page.mouse.move(...(await point(page, 0.2, 0.4)));
    await page.mouse.move(...(await point(page, 0.8, 0.6)), { steps: 30 });
  },
  'walking by keyboard': async (page) => {
    await canvas(page).focus();
    for (let i = 0; i < 8; i++) await page.keyboard.press('ArrowRight');
    for (let i = 0; i < 8; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
  },
  'selecting a partition': async (page) => {
    turn += 1;
    await page.mouse.click(...(await point(page, 0.3 + (turn % 5) / 10, 0.5)));
  },
  'dragging over the strip': async (page) => {
    const box = await page.locator('.strip').boundingBox();
    if (!box) throw new Error('the strip is not on the screen');
    turn += 1;
    const from = box.x + box.width * (0.1 + (turn % 5) / 20);
    await page.mouse.move(from, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(from + box.width / 3, box.y + box.height / 2, { steps: 20 });
    await page.mouse.up();
  },
  'zooming in, scrolling and out': async (page) => {
    for (let i = 0; i < 2; i++) await page.getByRole('button', { name: 'Larger cells' }).click();
    await page.mouse.move(...(await point(page, 0.5, 0.5)));
    for (let i = 0; i < 10; i++) await page.mouse.wheel(300, 0);
    for (let i = 0; i < 2; i++) await page.getByRole('button', { name: 'Smaller cells' }).click();
  },
  'filtering by state': async (page) => {
    const first = page.locator('.leg button').first();
    await first.click();
    await first.click();
  },
  'table and back': async (page) => {
    await page.getByRole('radio', { name: 'Table' }).click();
    await page.locator('.cal table').first().waitFor();
    await page.mouse.wheel(0, 2_000);
    await page.getByRole('radio', { name: 'Calendar' }).click();
    await canvas(page).waitFor();
  },
};

declare global {
  interface Window {
    benchSeen: { paint: number; drawn: number; longest: number };
    benchReset: () => void;
  }
}

/** Runs in the page before its own scripts. */
function watch(): void {
  const seen = { paint: 0, drawn: 0, longest: 0 };
  window.benchSeen = seen;
  window.benchReset = () => {
    seen.longest = 0;
  };
  const each = (
    type: string,
    see: (entry: PerformanceEntry) => void,
    more: Record<string, unknown> = {},
  ) =>
    new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({
      type,
      buffered: true,
      ...more,
    });
  const longer = ({ duration }: PerformanceEntry) => {
    seen.longest = Math.max(seen.longest, duration);
  };
  each('paint', (entry) => {
    if (entry.name === 'first-contentful-paint') seen.paint = entry.startTime;
  });
  // moves are not timed as events: what they cost is the length of their frames
  each('event', longer, { durationThreshold: 16 });
  each('long-animation-frame', longer);
  const look = () => {
    const area = document.querySelector<HTMLCanvasElement>('.cal canvas');
    // its first painting sets the size
    if (area && area.width > 0 && area.style.width !== '' && isPainted(area)) {
      setTimeout(() => {
        seen.drawn = performance.now();
      });
    } else requestAnimationFrame(look);
  };
  const isPainted = (area: HTMLCanvasElement) =>
    area
      .getContext('2d')
      ?.getImageData(0, 0, area.width, area.height)
      .data.some((value) => value > 0) ?? false;
  requestAnimationFrame(look);
}
