import path from 'node:path';
import { holdAlone } from './alone.mjs';
import { fail, install, requireNode, root } from './bootstrap.mjs';
import { isAlive, npmParent } from './npm-parent.mjs';

// `npm start` and `npm run dev` on a fresh clone: this file runs without any package installed.

requireNode('20.9.0', 'Interlock');
process.chdir(root);

const npm = npmParent();
/** @type {import('./alone.mjs').Holder} */
const self = { pid: process.pid, npm, state: 'starting' };
await holdOrFail(path.resolve(process.env.INTERLOCK_DATA || '.interlock'));
install();

const { register } = await import('tsx/esm/api');
register();
const { start } = await import('./start.ts');
await start({ dev: process.argv.includes('--dev'), npm, self });

/**
 * Waits for a start that is on its way out; two that want to run are one too many.
 *
 * @param {string} folder
 */
async function holdOrFail(folder) {
  for (const end = Date.now() + 60_000; ; await new Promise((r) => setTimeout(r, 250))) {
    const lock = await holdAlone(folder, self);
    if (lock.held) return;
    const by = lock.by;
    const leaving = by === null || by.state === 'stopping' || (by.npm && !isAlive(by.npm));
    if (leaving && Date.now() < end) continue;
    const where = by?.address ? ` at ${by.address}` : '';
    fail(
      `Interlock is already ${by?.state ?? 'running'} on ${folder}${where} (process ${by?.pid}). Stop it there with Ctrl-C, or set INTERLOCK_DATA and PORT for a second one.`,
    );
  }
}
