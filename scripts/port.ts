import * as fs from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from './children';

/**
 * Makes sure that the console's port is free, ending what an earlier start on this data folder left
 * on it: after a `kill -9` of that start its processes end by themselves, but not in an instant.
 *
 * @throws Error naming PORT where another program has it
 */
export async function claimPort(host: string, port: number, folder: string): Promise<void> {
  for (const end = Date.now() + 30_000; !(await isFree(host, port)); await wait(200)) {
    const left = leftovers(folder);
    if (left.length === 0) {
      throw new Error(
        `port ${port} of ${host} is taken by another program: stop that, or set PORT to another number`,
      );
    }
    if (Date.now() > end - 20_000) for (const pid of left) kill(pid);
    if (Date.now() > end) throw new Error(`port ${port} does not become free (PORT)`);
  }
}

/** Notes the processes of this start, for the next one to recognise. */
export function noteProcesses(folder: string, children: readonly Child[]): void {
  const noted = children.map(({ pid }) => ({ pid, started: startOf(pid) }));
  fs.writeFileSync(noteFile(folder), JSON.stringify(noted), { mode: 0o600 });
}

export function forgetProcesses(folder: string): void {
  fs.rmSync(noteFile(folder), { force: true });
}

const noteFile = (folder: string) => path.join(folder, 'processes.json');

function leftovers(folder: string): number[] {
  try {
    const noted = JSON.parse(fs.readFileSync(noteFile(folder), 'utf8')) as {
      pid: number;
      started: string | null;
    }[];
    return noted
      .filter(({ pid, started }) => started !== null && startOf(pid) === started)
      .map(({ pid }) => pid);
  } catch {
    return [];
  }
}

/** When a process began: with its number, this names it for good. Null where we cannot know. */
function startOf(pid: number): string | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? null : (fields[18] ?? null);
  } catch {
    return null;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else if (error.code === 'EACCES') reject(new Error(`port ${port} needs more rights (PORT)`));
      else
        reject(
          new Error(`cannot listen on ${host}:${port} (INTERLOCK_HOST, PORT)`, { cause: error }),
        );
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
