import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { chromium } from '@playwright/test';

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
  const root = process.getuid?.() === 0;
  if (root && isDebian()) {
    console.log('Installing chromium (apt-get) …');
    run('apt-get', ['update', '-qq']);
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...debianPackages]);
  }
  if (findBrowser() === null) {
    console.log('Installing chromium (playwright install) …');
    run('npx', ['playwright', 'install', ...(root ? ['--with-deps'] : []), 'chromium']);
  }
  const now = findBrowser();
  if (now === null) {
    throw new Error('no browser: install chromium, or let `npx playwright install chromium` work');
  }
  return now;
}

/** Without a font every text is empty boxes of no width. */
const debianPackages = ['chromium', 'fonts-liberation'];

function isDebian(): boolean {
  return (
    fs.existsSync('/usr/bin/apt-get') &&
    fs.existsSync('/etc/os-release') &&
    /^ID="?debian"?$/m.test(fs.readFileSync('/etc/os-release', 'utf8'))
  );
}

function run(command: string, args: readonly string[]): void {
  spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}
