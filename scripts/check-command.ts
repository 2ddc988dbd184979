import { runChecks } from './check';
import { runVitest } from './suites';

/** `npm run check`: all that can be known in under a minute, without a database. */
export async function check(): Promise<void> {
  const checks = await runChecks();
  const tests = await runVitest('pure');
  const passed = checks.passed + tests.passed;
  const failed = checks.failed + tests.failed;
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
