import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';

// Runs before anything is installed: only Node's own modules, and plain JavaScript.

/**
 * @typedef {{ pid: number, npm: number | null, state: 'starting' | 'running' | 'stopping',
 *   address?: string }} Holder
 */

/**
 * Lets one process at a time work on a data folder. The lock is a listening socket, so the system
 * itself gives it up when its process ends, however that ends; whoever connects is told who holds it.
 *
 * @param {string} folder
 * @param {Holder} self told to others; may be changed while the lock is held
 * @returns {Promise<{ held: true, release: () => void } | { held: false, by: Holder | null }>}
 */
export async function holdAlone(folder, self) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const address = socketAddress(realpathSync(folder));
  for (let attempt = 0; ; attempt++) {
    const server = await listen(address, self);
    if (server) return { held: true, release: () => server.close() };
    const by = await ask(address);
    if (by || attempt > 2) return { held: false, by };
    // Nobody answers: a socket file outlives its process, the other kinds do not.
    if (existsSync(address)) rmSync(address, { force: true });
  }
}

/** @param {string} folder */
function socketAddress(folder) {
  const name = `interlock-${createHash('sha256').update(folder).digest('hex').slice(0, 24)}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  if (process.platform === 'linux') return `\0${name}`;
  return path.join(os.tmpdir(), `${name}.sock`);
}

/**
 * @param {string} address
 * @param {Holder} self
 * @returns {Promise<import('node:net').Server | null>}
 */
function listen(address, self) {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end(JSON.stringify(self));
    });
    server.once('error', (error) => {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(address, () => {
      server.unref();
      resolve(server);
    });
  });
}

/**
 * @param {string} address
 * @returns {Promise<Holder | null>}
 */
function ask(address) {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(address);
    socket.setTimeout(2_000, () => socket.destroy());
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      try {
        resolve(JSON.parse(said));
      } catch {
        resolve(null);
      }
    });
  });
}
