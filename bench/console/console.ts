import { type Browser, chromium } from '@playwright/test';
import { connect } from '@/lib/db/client';
import { freePort } from '@/lib/db/embedded-folder';
import { env } from '@/lib/env';
import { ensureBrowser } from '@/scripts/browser';
import { startStack } from '@/scripts/stack';
import { serverLine } from '../machine';
import { tableLines } from '../measure';
import { type BoardFigures, measureBoard } from './board';
import { measureDocument } from './document';
import { routesOf } from './routes';
import { signedInCookie } from './sign-in';
import { makeWorld, type Places } from './world';

/** Milliseconds to the last byte of a page, and of the browser's first paint and interactions. */
const bars = { document: 300, paint: 1_500, interaction: 100 };

/**
 * The console as it is started, on embedded PostgreSQL with all its durability, with a release of
 * 8,760 partitions and 105,000 differing rows: every page's server-rendered first view, and the
 * coverage page in a browser with 8,760 and with 50,000 partitions.
 */
export async function consoleBenchmark(print: (line: string) => void): Promise<number> {
  const stack = await startStack({
    folder: env().INTERLOCK_BENCH_DATA,
    databaseUrl: undefined,
    host: '127.0.0.1',
    port: await freePort(),
    demo: true,
    dev: false,
    authSecret: undefined,
    authUrl: undefined,
    print: (line) => {
      if (!line.startsWith('[')) print(`  ${line}`);
    },
  });
  const db = connect(stack.databaseUrl, { role: 'tool' });
  let browser: Browser | undefined;
  try {
    print(await serverLine(db));
    const places = await makeWorld(db, print);
    browser = await chromium.launch({
      executablePath: ensureBrowser(),
      args: ['--no-sandbox', '--disable-gpu'],
    });
    const documents = await measureDocuments(stack.address, browser, places, print);
    const boards = await measureBoards(stack.address, browser, places, print);
    return documents + boards;
  } finally {
    await browser?.close();
    await db.close();
    await stack.stop();
  }
}

async function measureDocuments(
  address: string,
  browser: Browser,
  places: Places,
  print: (line: string) => void,
): Promise<number> {
  const figures: { path: string; millis: number; best: number; worst: number; bytes: number }[] =
    [];
  const cookies = new Map<string, string>();
  for (const { as, path } of routesOf(places)) {
    const cookie = cookies.get(as) ?? (await signedInCookie(browser, address, as));
    cookies.set(as, cookie);
    figures.push({ path, ...(await measureDocument(`${address}${path}`, cookie)) });
  }
  const over = figures.filter(({ millis }) => millis > bars.document);
  print(`\nserver-rendered first view, to the last byte; bar ${bars.document} ms`);
  const rows = figures.map(({ path, millis, best, worst, bytes }) => [
    path,
    millis.toFixed(0),
    best.toFixed(0),
    worst.toFixed(0),
    (bytes / 1000).toFixed(0),
    millis > bars.document ? 'OVER' : 'ok',
  ]);
  for (const line of tableLines(['page', 'median ms', 'best ms', 'worst ms', 'kB', ''], rows))
    print(line);
  return over.length;
}

async function measureBoards(
  address: string,
  browser: Browser,
  places: Places,
  print: (line: string) => void,
): Promise<number> {
  print(
    `\nin a browser, 1280 × 800; bars: first paint ${bars.paint} ms, interaction ${bars.interaction} ms`,
  );
  let over = 0;
  for (const { path, partitions } of [
    { path: `/releases/${places.release}`, partitions: '8,760' },
    { path: `/releases/${places.wide}`, partitions: '50,000' },
    { path: `/datasets/${places.long}/calendar`, partitions: '50,000' },
  ]) {
    const figures = await measureBoard(browser, address, path);
    over += tellBoard(`${path}, ${partitions} partitions`, figures, print);
  }
  return over;
}

function tellBoard(
  what: string,
  { paint, drawn, interactions }: BoardFigures,
  print: (line: string) => void,
): number {
  const figures = [
    { name: 'first contentful paint', millis: paint, bar: bars.paint },
    { name: 'calendar drawn', millis: drawn, bar: bars.paint },
    ...interactions.map((one) => ({ ...one, bar: bars.interaction })),
  ];
  const rows = figures.map(({ name, millis, bar }) => [
    `  ${name}`,
    millis.toFixed(0),
    millis > bar ? 'OVER' : 'ok',
  ]);
  for (const line of tableLines([what, 'ms', ''], rows)) print(line);
  return figures.filter(({ millis, bar }) => millis > bar).length;
}
