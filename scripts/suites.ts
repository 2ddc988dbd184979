import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { childEnv } from '@/lib/env';
import { aptInstall } from './apt';
import type { Tally } from './check';
import { root } from './children';

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly status: 'passed' | 'failed';
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

interface PlaywrightSuite {
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs?: readonly {
    readonly file: string;
    readonly title: string;
    readonly tests: readonly {
      readonly status: string;
      readonly results: readonly { readonly error?: { readonly message?: string } }[];
    }[];
  }[];
}

interface PlaywrightReport {
  readonly errors: readonly { readonly message?: string }[];
  readonly suites: readonly PlaywrightSuite[];
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
    (report: VitestReport) => {
      const failures = failuresOfVitest(report);
      return {
        passed: report.numPassedTests,
        failed: failures.length,
        failures,
        skipped: report.numPendingTests,
      };
    },
  );
}

/** A file that does not load, or whose set-up fails, has no failed test to be named by. */
function failuresOfVitest({ testResults }: VitestReport): string[] {
  return testResults.flatMap(({ name, message, status, assertionResults }) => {
    const file = path.relative(root, name);
    const failed = assertionResults.filter((each) => each.status === 'failed');
    if (failed.length === 0 && status === 'failed') return [failure(file, message)];
    return failed.map((each) =>
      failure(`${file} › ${each.fullName}`, each.failureMessages.join('\n')),
    );
  });
}

/** What failed, and the beginning of what it said. */
function failure(name: string, said: string): string {
  const lines = stripVTControlCharacters(said).split('\n').slice(0, 12);
  return [name, ...lines.map((line) => `    ${line.slice(0, 300)}`)].join('\n');
}

/** Runs the browser tests. One that passes only when repeated has passed, and is named. */
export function runPlaywright(): Promise<Tally> {
  return runSuite(
    'playwright test --project desktop --project phone --reporter=list,json',
    ({ stats, errors, suites }: PlaywrightReport) => ({
      passed: stats.expected + stats.flaky,
      failed: stats.unexpected + errors.length,
      failures: [
        ...suites.flatMap(failuresOfPlaywright),
        ...errors.map(({ message = '' }) => failure('outside any test', message)),
      ],
      skipped: stats.skipped,
    }),
  );
}

function failuresOfPlaywright({ suites = [], specs = [] }: PlaywrightSuite): string[] {
  const own = specs.flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected')
      .map(({ results }) =>
        failure(`e2e/${file} › ${title}`, results.at(-1)?.error?.message ?? ''),
      ),
  );
  return [...own, ...suites.flatMap(failuresOfPlaywright)];
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
    return { ...counts, failed: silent ? 1 : counts.failed };
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
