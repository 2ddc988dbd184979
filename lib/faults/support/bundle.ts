import * as fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '');
let made: Promise<string> | null = null;

/**
 * The worker process's code in one file, made once per test process: it is started some thirty
 * times, in half a second instead of two. Packages are left where they are, so the file has to be
 * below the folder that holds them.
 */
export function workerFile(): Promise<string> {
  made ??= bundle();
  return made;
}

async function bundle(): Promise<string> {
  const outDir = path.join(root, 'node_modules', '.cache', 'interlock-faults', String(process.pid));
  sweep(path.dirname(outDir));
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { '@': root } },
    build: {
      ssr: path.join(root, 'lib', 'faults', 'support', 'worker.ts'),
      outDir,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'worker.mjs' } },
    },
  });
  return path.join(outDir, 'worker.mjs');
}

/** Test processes are often ended without a word: what the dead ones made goes with the next. */
function sweep(folder: string): void {
  if (!fs.existsSync(folder)) return;
  for (const pid of fs.readdirSync(folder)) {
    try {
      process.kill(Number(pid), 0);
    } catch {
      fs.rmSync(path.join(folder, pid), { recursive: true, force: true });
    }
  }
}
