import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// Runs before anything is installed: only Node's own modules, and plain JavaScript.

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

/**
 * Ends the process with a plain sentence where Node is too old.
 *
 * @param {string} least for example `20.9.0`
 * @param {string} what what is being done, for the message
 */
export function requireNode(least, what) {
  const have = process.versions.node.split('.').map(Number);
  const need = least.split('.').map(Number);
  for (let at = 0; at < need.length; at++) {
    if (have[at] > need[at]) return;
    if (have[at] < need[at]) {
      fail(`${what} needs Node ${least} or newer; this is ${process.versions.node}.`);
    }
  }
}

/** Installs the packages of the lock where they are missing or others are there. */
export function install() {
  if (isInstalled()) return;
  console.log('Installing packages (npm ci) …');
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  const cli = process.env.npm_execpath;
  // Windows starts npm, which is a script there, only through a shell.
  const done = cli?.endsWith('.js')
    ? spawnSync(process.execPath, [cli, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, {
        cwd: root,
        stdio: 'inherit',
        shell: process.platform === 'win32',
      });
  if (done.status !== 0) fail('npm ci failed: see above.');
}

/** Compares contents, not times: a clone and a restored cache have times that say nothing. */
function isInstalled() {
  const file = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(file)) return false;
  const wanted = packages(path.join(root, 'package-lock.json'));
  const present = packages(file);
  return Object.entries(wanted).every(([name, entry]) => {
    // Optional packages are those of other platforms.
    if (name === '' || entry.optional || entry.peer) return true;
    return present[name]?.version === entry.version;
  });
}

/** @param {string} file */
function packages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}

/**
 * Prints a sentence to standard error and ends the process.
 *
 * @param {string} message
 * @returns {never}
 */
export function fail(message) {
  console.error(message);
  process.exit(1);
}
