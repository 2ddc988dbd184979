import { test } from '@playwright/test';
import { sealSignSwitchRollBack } from './support/journey';

// What the README promises of the demo, with live events flowing all the while.

test('the demo’s release is sealed, signed by two, cut over and rolled back', async ({
  browser,
}) => {
  test.setTimeout(240_000);
  await sealSignSwitchRollBack(browser, 'vat-fix@3', { live: true });
});
