import * as fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { faultsOf, linksOf } from './faults-page';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = fs.readFileSync(path.join(root, 'docs', 'faults.md'), 'utf8');

it('docs/faults.md has every file of lib/faults, once, and no other', () => {
  const files = fs
    .readdirSync(path.join(root, 'lib', 'faults'))
    .filter((name) => name.endsWith('.db.test.ts'))
    .map((name) => `lib/faults/${name}`);
  expect(
    faultsOf(page)
      .map(({ file }) => file)
      .sort(),
  ).toEqual(files.sort());
});

it('docs/faults.md links to nothing that is not there', () => {
  expect(linksOf(page).filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
});
