import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fail, root } from './bootstrap.mjs';
import { models } from './model-checks.mjs';

// `npm run model`: every interleaving of the protocol's models, and that each weakening is caught.
//   --short       the models alone, in small: seconds
//   --optional    where spin or a C compiler is missing, say so and succeed
//   --only NAME   one model, by its file's name without .pml

const args = process.argv.slice(2);
const only = args.includes('--only') ? args[args.indexOf('--only') + 1] : null;
const chosen = models.filter(({ file }) => only === null || file === `${only}.pml`);
const unknown = args.filter((arg) => arg !== only && !/^--(short|optional|only)$/.test(arg));
if (unknown.length > 0 || chosen.length === 0) {
  fail(`npm run model -- [--short] [--optional] [--only ${models.map(nameOf).join('|')}]`);
}

/** Megabytes of one verification; the largest model needs about 1,200, and two run at once. */
const MOST_MEMORY = 1_900;
const MOST_SECONDS = 900;

const compiler = ['gcc', 'cc'].find(isThere);
if (!compiler || !isThere('spin')) {
  const missing = [...(isThere('spin') ? [] : ['spin']), ...(compiler ? [] : ['gcc'])];
  const say = `${missing.join(' and ')} not found (Debian: apt-get install ${missing.join(' ')})`;
  if (!args.includes('--optional')) fail(`The models cannot be checked: ${say}.`);
  console.log(`Models skipped: ${say}.`);
  process.exit(0);
}

/** @typedef {{ file: string, defines: string, expect: 'holds' | 'caught' | 'reached' }} Check */

/** @type {Check[]} */
const checks = chosen.flatMap(({ file, holds, short, base, weakenings, ends }) => {
  /** @type {(list: string[], expect: Check['expect']) => Check[]} */
  const each = (list, expect) => list.map((defines) => ({ file, defines, expect }));
  if (args.includes('--short')) return each(short, 'holds');
  const tried = (/** @type {string[]} */ list) =>
    list.map((name) => (/^[EN]=/.test(name) ? name : `${base} ${name}`));
  return [
    ...each(holds, 'holds'),
    ...each(tried(weakenings), 'caught'),
    ...each(tried(ends), 'reached'),
  ];
});

const began = Date.now();
let passed = 0;
const waiting = [...checks];
const work = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    if (await check(next)) passed += 1;
  }
};
// each is one thread; a second core halves the time, and more would only want more memory
await Promise.all(Array.from({ length: Math.min(2, os.availableParallelism()) }, work));
const failed = checks.length - passed;
console.log(`${passed} as expected, ${failed} not (${Math.round((Date.now() - began) / 1000)} s)`);
process.exitCode = failed === 0 ? 0 : 1;

/**
 * Checks one model under one setting, and prints a line on it.
 *
 * @param {Check} check
 */
async function check({ file, defines, expect }) {
  const start = Date.now();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'interlock-model-'));
  const flags = defines.split(' ').map((name) => `-D${name}`);
  const model = path.join(root, 'docs', 'model', file);
  // what fails does so soon: compiling well would take longer than running
  const { states, verdict } = await verify(
    folder,
    model,
    flags,
    expect === 'holds' ? '-O2' : '-O1',
  );
  const right = verdict === (expect === 'holds' ? 'holds' : 'assertion failed');
  const shown = right ? expect : `${verdict}, expected: ${expect}`;
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  const name = `${file} ${defines}`.padEnd(44);
  console.log(
    `${right ? '✓' : '✗'} ${name} ${states.padStart(11)} states  ${shown} (${seconds} s)`,
  );
  if (!right && readdirSync(folder).some((entry) => entry.endsWith('.trail'))) {
    console.log(`  the run that breaks it: cd ${folder} && ./pan -r`);
  } else {
    rmSync(folder, { recursive: true, force: true });
  }
  return right;
}

/**
 * @param {string} folder
 * @param {string} model
 * @param {string[]} flags
 * @param {string} level of the compiler's effort
 * @returns {Promise<{ states: string, verdict: string }>}
 */
async function verify(folder, model, flags, level) {
  const none = { states: '-' };
  const made = await run(folder, 'spin', [`-P${compiler} -E -x c`, ...flags, '-a', model]);
  if (made.code !== 0) return { ...none, verdict: `spin refused it:\n${made.output}` };
  const options = ['-DSAFETY', '-DCOLLAPSE', '-DVECTORSZ=2048', `-DMEMLIM=${MOST_MEMORY}`];
  const built = await run(folder, /** @type {string} */ (compiler), [
    level,
    '-w',
    ...options,
    '-o',
    'pan',
    'pan.c',
  ]);
  if (built.code !== 0) return { ...none, verdict: `it did not compile:\n${built.output}` };
  const { output } = await run(folder, './pan', ['-m200000']);
  const found = /(\d+) states, stored/.exec(output)?.[1];
  const states = found ? Number(found).toLocaleString('en') : '-';
  return { states, verdict: verdictOf(output) };
}

/** An exhausted memory or depth is no proof, and an error that is no assertion is another fault. */
function verdictOf(/** @type {string} */ output) {
  if (/assertion violated/.test(output)) return 'assertion failed';
  const error = /^pan:\d+: (.*)$/m.exec(output)?.[1];
  if (error) return error;
  const whole =
    / errors: 0$/m.test(output) && !/not completed|too small|reached -DMEMLIM/.test(output);
  return whole ? 'holds' : `not finished within ${MOST_MEMORY} MB and ${MOST_SECONDS} s`;
}

/**
 * @param {string} cwd
 * @param {string} command
 * @param {string[]} parameters
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function run(cwd, command, parameters) {
  return new Promise((resolve) => {
    const child = spawn(command, parameters, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill(), MOST_SECONDS * 1000);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.once('error', (error) => {
      output += error.message;
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

/** @param {string} command */
function isThere(command) {
  return !spawnSync(command, [command === 'spin' ? '-V' : '--version'], { stdio: 'ignore' }).error;
}

/** @param {import('./model-checks.mjs').Model} model */
function nameOf({ file }) {
  return file.replace('.pml', '');
}
