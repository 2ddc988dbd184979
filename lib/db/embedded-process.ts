import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** A server process that was seen alive on its cluster. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
}

/**
 * The server that runs on a cluster's folder, or null. It is known by its pid file, which also
 * names its port, and by its command line: after a crash the same number may be anybody's.
 */
export function findServer(cluster: string): RunningServer | null {
  const noted = readPidFile(cluster);
  if (!noted || !isServer(noted.pid, cluster)) return null;
  return noted;
}

/** True where this process is a PostgreSQL that was started on this folder. */
export function isServer(pid: number, cluster: string): boolean {
  const words = commandLine(pid);
  if (words === null) return false;
  return /postgres(\.exe)?$/.test(words[0] ?? '') && words.includes(cluster);
}

/**
 * PostgreSQL takes over the pid file of a process that is dead, but refuses to start while the
 * number in it belongs to any living process, ours or not, or while the file is empty, as a power
 * cut leaves it: such a file is removed here.
 */
export function removeMisleadingPid(cluster: string): void {
  const noted = readPidFile(cluster);
  const misleads = noted
    ? isAlive(noted.pid) && !isServer(noted.pid, cluster)
    : ageMs(pidFile(cluster)) > 10_000;
  if (misleads) fs.rmSync(pidFile(cluster), { force: true });
}

/** A server writes its pid file in an instant; 0 where there is none. */
function ageMs(file: string): number {
  return fs.existsSync(file) ? Date.now() - fs.statSync(file).mtimeMs : 0;
}

/** Waits until the process is gone; keeps nothing alive by waiting. */
export async function untilGone(pid: number, cluster: string): Promise<void> {
  while (isServer(pid, cluster)) await wait(500, undefined, { ref: false });
}

/**
 * Fast shutdown; where that takes too long, an immediate one (the next start recovers); then a kill.
 *
 * @throws Error where even that does not end it
 */
export async function stopServer(pid: number, cluster: string): Promise<void> {
  const steps = [
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 5_000],
  ] as const;
  for (const [signal, patienceMs] of steps) {
    if (!isServer(pid, cluster)) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    for (const end = Date.now() + patienceMs; Date.now() < end; await wait(25)) {
      if (!isServer(pid, cluster)) return;
    }
  }
  throw new Error(`PostgreSQL (process ${pid}) does not stop`);
}

const pidFile = (cluster: string) => path.join(cluster, 'postmaster.pid');

/** First line the process, fourth the port; the file may be there before it is complete. */
function readPidFile(cluster: string): RunningServer | null {
  let lines: string[];
  try {
    lines = fs.readFileSync(pidFile(cluster), 'utf8').split('\n');
  } catch {
    return null;
  }
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return Number.isInteger(pid) && pid > 0 && port > 0 ? { pid, port } : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A process's words, or null where there is none; a zombie has none either. */
function commandLine(pid: number): string[] | null {
  try {
    if (process.platform === 'linux') {
      const text = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return text === '' ? null : text.split('\0');
    }
    const command =
      process.platform === 'win32'
        ? [
            'powershell',
            '-NoProfile',
            `(Get-CimInstance Win32_Process -Filter "ProcessId=${pid}").CommandLine`,
          ]
        : ['ps', '-ww', '-o', 'command=', '-p', String(pid)];
    const text = execFileSync(command[0] ?? '', command.slice(1), {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return text === '' ? null : splitArguments(text);
  } catch {
    return null;
  }
}

/** `ps` joins words with blanks; our arguments are `postgres -D <folder> -p <port> -c …`. */
function splitArguments(text: string): string[] {
  const match = /^(.*?postgres(?:\.exe)?"?) "?-D"? (.*?) "?-p"? \d+/.exec(text);
  if (!match) return [text];
  return [match[1], match[2]].map((word) => (word ?? '').replace(/^"|"$/g, ''));
}
