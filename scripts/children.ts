import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { childEnv } from '@/lib/env';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

export interface ChildOptions {
  /** Shown before each of its lines. */
  readonly name: string;
  /** Arguments of `node`. */
  readonly args: readonly string[];
  readonly env: Record<string, string | undefined>;
  /** Where its lines go. */
  readonly print: (line: string) => void;
}

export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Settles when it has ended, with how, and its last lines. */
  readonly ended: Promise<{ how: string; tail: string }>;
  /** Asks it to end, and after `patienceMs` makes it. */
  stop(patienceMs?: number): Promise<void>;
}

const followParent = pathToFileURL(`${root}/scripts/follow-parent.mjs`).href;

/** Starts a Node process of ours, which ends when this one does, however it does. */
export function startChild({ name, args, env, print }: ChildOptions): Child {
  const child = spawn(process.execPath, ['--import', followParent, ...args], {
    cwd: root,
    env: childEnv({ ...env, INTERLOCK_PARENT: String(process.pid) }),
    // A session of its own: Ctrl-C in a terminal reaches only us, and we stop all in their order.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const tail: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    eachLine(stream, (line) => {
      tail.push(line);
      if (tail.length > 40) tail.shift();
      print(`[${name}] ${line}`);
    });
  }
  const ended = new Promise<{ how: string; tail: string }>((resolve) => {
    child.once('error', (error) => resolve({ how: error.message, tail: '' }));
    child.once('close', (code, signal) => {
      resolve({ how: signal ?? `exit ${code}`, tail: tail.join('\n') });
    });
  });
  return { name, pid: child.pid ?? 0, ended, stop: (patience) => stopChild(child, patience) };
}

async function stopChild(child: ChildProcess, patienceMs = 15_000): Promise<void> {
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const stop = new AbortController();
  const late = wait(patienceMs, undefined, { signal: stop.signal }).then(
    () => killGroup(child),
    () => {},
  );
  await over;
  stop.abort();
  await late;
}

/** It leads a group of its own, in which its own children are too. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function eachLine(stream: NodeJS.ReadableStream | null, line: (text: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const each of lines) line(each);
  });
  stream?.on('end', () => {
    if (rest !== '') line(rest);
  });
}
