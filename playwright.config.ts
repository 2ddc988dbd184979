import { defineConfig, devices } from '@playwright/test';
import { findBrowser } from './scripts/browser';

const executablePath = findBrowser();

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/setup/global-setup.ts',
  outputDir: 'test-results',
  forbidOnly: Boolean(process.env.CI),
  // One console and one dataset under test: journeys that move it take turns.
  workers: 1,
  fullyParallel: false,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  use: {
    ...devices['Desktop Chrome'],
    // Set by the global set-up, before any worker reads this file.
    baseURL: process.env.E2E_BASE_URL,
    locale: 'en-GB',
    timezoneId: 'UTC',
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions: {
      ...(executablePath === null ? {} : { executablePath }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  projects: [
    {
      name: 'desktop',
      testMatch: '**/*.spec.ts',
      testIgnore: '**/*.phone.spec.ts',
      use: { viewport: { width: 1280, height: 800 } },
    },
    {
      name: 'phone',
      testMatch: '**/*.phone.spec.ts',
      use: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    },
    // Pictures for the README and the docs: `npm run screenshots`.
    {
      name: 'screenshots',
      testMatch: '**/*.shots.ts',
      use: { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 2 },
    },
  ],
});
