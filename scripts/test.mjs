import path from 'node:path';
import { install, requireNode, root } from './bootstrap.mjs';

// `npm test` on a fresh clone: this file runs without any package installed.

// Newer than `npm start` needs: Vite and dependency-cruiser want it.
requireNode('20.19.0', 'npm test');
process.chdir(root);
install();
// npm puts it there too; `node scripts/test.mjs` does not.
process.env.PATH = `${path.join(root, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`;

const { register } = await import('tsx/esm/api');
register();
if (process.argv.includes('--check')) {
  const { check } = await import('./check-command.ts');
  await check();
} else {
  const { test } = await import('./test.ts');
  await test();
}
