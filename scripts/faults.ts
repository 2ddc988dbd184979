import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { childEnv } from '@/lib/env';
import { root } from './children';
import { type Fault, faultsOf } from './faults-page';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: 'passed' | 'failed';
    readonly startTime: number;
    readonly endTime: number;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs lib/faults alone, and prints each fault with its expected outcome and what came of it. */
export async function faults(): Promise<void> {
  const page = fs.readFileSync(path.join(root, 'docs', 'faults.md'), 'utf8');
  const report = await run();
  const results = new Map(
    report.testResults.map((result) => [path.relative(root, result.name), result]),
  );
  const rows = faultsOf(page).map((fault) => ({ fault, result: results.get(fault.file) }));
  for (const { fault, result } of rows) {
    const seconds = result ? ((result.endTime - result.startTime) / 1000).toFixed(1) : '–';
    const passed = result?.status === 'passed';
    console.log(`${passed ? '✓ passed' : '✗ FAILED'} ${seconds.padStart(6)} s  ${title(fault)}`);
    console.log(`                   ${fault.outcome}`);
    if (!passed) tellWhy(result);
  }
  const failed = rows.filter(({ result }) => result?.status !== 'passed').length;
  console.log(`\n${rows.length - failed} faults passed, ${failed} failed`);
  process.exitCode = failed === 0 && rows.length > 0 ? 0 : 1;
}

const title = ({ fault, file }: Fault) => `${fault} (${path.basename(file)})`;

function tellWhy(result: Report['testResults'][number] | undefined): void {
  if (!result) {
    console.log('                   it did not run');
    return;
  }
  if (result.message) console.log(result.message);
  for (const test of result.assertionResults.filter(({ status }) => status === 'failed')) {
    console.log(`  ${test.fullName}\n${test.failureMessages.join('\n')}`);
  }
}

/** @throws Error where the suite left no report */
async function run(): Promise<Report> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'interlock-faults-'));
  const file = path.join(folder, 'report.json');
  try {
    const args = [
      'run',
      '--project',
      'db',
      'lib/faults',
      '--reporter=json',
      `--outputFile=${file}`,
    ];
    await new Promise((resolve) => {
      const child = spawn('vitest', args, {
        cwd: root,
        shell: process.platform === 'win32',
        stdio: ['ignore', 'ignore', 'inherit'],
        env: childEnv({ NODE_ENV: undefined }),
      });
      child.once('close', resolve);
    });
    if (!fs.existsSync(file)) throw new Error('the suite of faults left no report');
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Report;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
