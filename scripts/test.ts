import { ensureBrowser } from './browser';
import { ensureBuild } from './build';
import { runChecks, type Tally } from './check';
import { runModels, runPlaywright, runVitest } from './suites';

const parts: readonly { name: string; run: () => Promise<Tally> }[] = [
  { name: 'Checks', run: runChecks },
  { name: 'Pure tests', run: () => runVitest('pure') },
  { name: 'Models', run: runModels },
  { name: 'PostgreSQL tests', run: () => runVitest('db') },
  {
    name: 'Browser tests',
    run: async () => {
      ensureBrowser();
      await ensureBuild();
      return runPlaywright();
    },
  },
];

/** Runs everything to its end, whatever fails, names what failed, and sums it up in one last line. */
export async function test(): Promise<void> {
  const results: { name: string; tally: Tally; seconds: number }[] = [];
  for (const { name, run } of parts) {
    console.log(`\n━━ ${name}`);
    const began = Date.now();
    const tally = await run().catch((error: Error): Tally => {
      console.log(`✗ ${error.message}`);
      return { passed: 0, failed: 1, failures: [error.message] };
    });
    results.push({ name, tally, seconds: Math.round((Date.now() - began) / 1000) });
  }
  for (const { name, tally } of results) {
    if (tally.failures?.length) console.log(`\n━━ ${name}: failed`);
    for (const each of tally.failures ?? []) console.log(`✗ ${each}`);
  }
  console.log('');
  for (const { name, tally, seconds } of results) {
    console.log(`${name}: ${tally.passed} passed, ${tally.failed} failed (${seconds} s)`);
  }
  const sum = (key: 'passed' | 'failed') =>
    results.reduce((total, { tally }) => total + tally[key], 0);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  process.exitCode = sum('failed') === 0 ? 0 : 1;
}
