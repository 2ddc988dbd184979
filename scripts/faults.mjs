import path from 'node:path';
import { install, requireNode, root } from './bootstrap.mjs';

// `npm run faults` on a fresh clone: this file runs without any package installed.

requireNode('20.19.0', 'npm run faults');
process.chdir(root);
install();
process.env.PATH = `${path.join(root, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`;

const { register } = await import('tsx/esm/api');
register();
const { faults } = await import('./faults.ts');
await faults();
