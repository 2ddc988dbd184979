import { spawn } from 'node:child_process';
import { childEnv } from '@/lib/env';
import { root } from './children';

/** One check: its name, and the commands that all have to succeed, each with a look at its output. */
interface Check {
  readonly name: string;
  readonly commands: readonly string[];
  /** Why the output shows that it did not really check, or null. */
  readonly doubt?: (output: string) => string | null;
}

const checks: readonly Check[] = [
  { name: 'format and lint', commands: ['biome ci --colors=off --error-on-warnings .'] },
  { name: 'types', commands: ['next typegen', 'tsc --noEmit'] },
  {
    name: 'import rules',
    commands: ['depcruise --output-type err-long app components lib scripts e2e bench'],
    // With a TypeScript that it does not know it finds no module, and then no violation either.
    doubt: (output) => (/\(([1-9]\d*) modules/.test(output) ? null : 'it cruised no modules'),
  },
  { name: 'dead code', commands: ['knip'] },
];

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  /** What failed, each with what it said: for the end of the output, which is what people see of it. */
  readonly failures?: readonly string[];
}

/** Runs every check, two at a time, prints what failed, and counts them. */
export async function runChecks(): Promise<Tally> {
  const waiting = [...checks];
  const failures: string[] = [];
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      if (!(await runCheck(check))) failures.push(check.name);
    }
  };
  await Promise.all([work(), work()]);
  return { passed: checks.length - failures.length, failed: failures.length, failures };
}

async function runCheck({ name, commands, doubt }: Check): Promise<boolean> {
  const began = Date.now();
  const seconds = () => `${((Date.now() - began) / 1000).toFixed(1)} s`;
  for (const command of commands) {
    const { code, output } = await run(command);
    const failure = code === 0 ? (doubt?.(output) ?? null) : `${command} failed (${code})`;
    if (failure !== null) {
      console.log(`✗ ${name} (${seconds()}): ${failure}\n${output}`);
      return false;
    }
  }
  console.log(`✓ ${name} (${seconds()})`);
  return true;
}

/** Runs a program of node_modules/.bin; npm has put that on the PATH. */
export function run(command: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, {
      cwd: root,
      shell: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: childEnv({ NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1', FORCE_COLOR: undefined }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.once('close', (code) => resolve({ code, output }));
  });
}
