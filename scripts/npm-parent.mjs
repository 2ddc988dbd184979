import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

// Runs before anything is installed: only Node's own modules, and plain JavaScript.

/**
 * The npm that started this process, or null where it was started otherwise. A `kill -9` of npm
 * reaches none of its children, so whoever runs under it has to look.
 *
 * @returns {number | null}
 */
export function npmParent() {
  if (!process.env.npm_lifecycle_event) return null;
  let pid = process.ppid;
  // npm → sh → this, or npm → this where the shell replaced itself.
  for (let level = 0; level < 3 && pid > 1; level++) {
    const found = look(pid);
    if (!found) return null;
    if (/\bnpm\b/.test(found.command) && !/^\S*sh\b/.test(found.command)) return pid;
    pid = found.parent;
  }
  return null;
}

/**
 * @param {number} pid
 * @returns {boolean}
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
  // What was killed stays in the table until its own parent has asked for it.
  return process.platform !== 'linux' || stateOf(pid) !== 'Z';
}

/** @param {number} pid */
function look(pid) {
  try {
    const text = execFileSync('ps', ['-ww', '-o', 'ppid=,command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    const [parent, ...words] = text.split(/\s+/);
    return { parent: Number(parent), command: words.join(' ') };
  } catch {
    return lookInProc(pid);
  }
}

/** Slim images have no `ps`. @param {number} pid */
function lookInProc(pid) {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    const parent = Number(fieldsOf(pid)[1]);
    return { parent, command };
  } catch {
    return null;
  }
}

/** @param {number} pid */
function stateOf(pid) {
  try {
    return fieldsOf(pid)[0];
  } catch {
    return undefined;
  }
}

/** The fields after the name, which may itself hold blanks and brackets. @param {number} pid */
function fieldsOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
