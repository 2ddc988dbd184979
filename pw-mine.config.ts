import base from '/work/main/playwright.config';
const { globalSetup: _, ...rest } = base;
export default { ...rest, testDir: '/work/main/e2e', outputDir: '/tmp/pw-results' };
