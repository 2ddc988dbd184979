import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { childEnv } from '@/lib/env';
import { aptInstall } from './apt';
import type { Tally } from './check';
import { root } from './children';

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly status: 'passed' | 'failed';
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

interface PlaywrightReport {
  readonly errors: readonly unknown[];
  readonly stats: {
    readonly expected: number;
    readonly unexpected: number;
    readonly flaky: number;
    readonly skipped: number;
  };
}

/** Runs one of the Vitest projects. */
export function runVitest(project: 'pure' | 'db'): Promise<Tally> {
  return runSuite(
    `vitest run --project ${project} --reporter=default --reporter=json --outputFile.json=`,
    (report: VitestReport) => ({
      passed: report.numPassedTests,
      failed: report.numFailedTests + filesThatFailedThemselves(report),
      skipped: report.numPendingTests,
    }),
  );
}

/** Files that do not load, or whose set-up fails, have no failed test to be counted by. */
function filesThatFailedThemselves({ testResults }: VitestReport): number {
  return testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((each) => each.status !== 'failed'),
  ).length;
}

/** Runs the browser tests. One that passes only when repeated has passed, and is named. */
export function runPlaywright(): Promise<Tally> {
  return runSuite(
    'playwright test --project desktop --project phone --reporter=list,json',
    ({ stats, errors }: PlaywrightReport) => ({
      passed: stats.expected + stats.flaky,
      failed: stats.unexpected + errors.length,
      skipped: stats.skipped,
    }),
  );
}

/**
 * Runs a suite, its output on the terminal, and reads its JSON report. A suite that ends in failure
 * without a failed test (a file that does not load, an error outside any test), that leaves no
 * report, or that ran nothing, counts as one failure.
 */
async function runSuite<Report>(
  command: string,
  read: (report: Report) => Tally & { skipped: number },
): Promise<Tally> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'interlock-report-'));
  const file = path.join(folder, 'report.json');
  try {
    const code = await run(command.endsWith('=') ? command + file : command, file);
    if (!fs.existsSync(file)) {
      console.log(`✗ no report: ${command}`);
      return { passed: 0, failed: 1 };
    }
    const counts = read(JSON.parse(fs.readFileSync(file, 'utf8')) as Report);
    if (counts.skipped > 0) console.log(`${counts.skipped} skipped: see above`);
    const nothing = counts.passed + counts.failed === 0;
    if (nothing) console.log(`✗ no test ran: ${command}`);
    const silent = counts.failed === 0 && (code !== 0 || nothing);
    return { passed: counts.passed, failed: silent ? 1 : counts.failed };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function run(command: string, report: string): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(command, {
      cwd: root,
      shell: true,
      stdio: ['ignore', 'inherit', 'inherit'],
      // Vitest and Playwright change what they print, and what they allow, by NODE_ENV.
      env: childEnv({ PLAYWRIGHT_JSON_OUTPUT_NAME: report, NODE_ENV: undefined }),
    });
    child.once('close', resolve);
  });
}

/**
 * Checks the protocol's models, a short set of them: `npm run model` checks all. Where there is no
 * spin and none can be installed, none.
 */
export async function runModels(): Promise<Tally> {
  if (spawnSync('spin', ['-V']).error || spawnSync('cc', ['--version']).error) {
    aptInstall(['spin', 'gcc', 'libc6-dev']);
  }
  const child = spawn('node', ['scripts/model.mjs', '--short', '--optional'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
    process.stdout.write(chunk);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const [, passed = '0', failed = '0'] = /(\d+) as expected, (\d+) not/.exec(output) ?? [];
  // an end without a count is a failure, unless there was nothing to check with
  return { passed: Number(passed), failed: code === 0 ? Number(failed) : Number(failed) || 1 };
}
