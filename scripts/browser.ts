import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { chromium } from '@playwright/test';
import { aptInstall } from './apt';

const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of a Chromium that is there: the system's, else Playwright's own; null where neither is. */
export function findBrowser(): string | null {
  const candidates = [...installed, chromium.executablePath()];
  return candidates.find((file) => fs.existsSync(file)) ?? null;
}

/**
 * Installs a Chromium where there is none: Debian's by apt where we may, else Playwright's.
 *
 * @throws Error where neither way works
 */
export function ensureBrowser(): string {
  const found = findBrowser();
  if (found !== null) return found;
  aptInstall(debianPackages);
  if (findBrowser() === null) {
    console.log('Installing chromium (playwright install) …');
    const dependencies = process.getuid?.() === 0 ? ['--with-deps'] : [];
    spawnSync('npx', ['playwright', 'install', ...dependencies, 'chromium'], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  }
  const now = findBrowser();
  if (now === null) {
    throw new Error('no browser: install chromium, or let `npx playwright install chromium` work');
  }
  return now;
}

/** Without a font every text is empty boxes of no width. */
const debianPackages = ['chromium', 'fonts-liberation'];
