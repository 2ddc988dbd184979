import * as fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { onStep, reached, type StepName, stepNames } from '@/lib/db/step';

const lib = fileURLToPath(new URL('..', import.meta.url));
/** What runs in earnest. */
const sources = fs
  .readdirSync(lib, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => /[.]tsx?$/.test(file) && !file.includes('.test.'))
  .filter((file) => !/^(faults|testing|system)\/|^db\/step[.]ts$/.test(file))
  .map((file) => ({ file, text: fs.readFileSync(path.join(lib, file), 'utf8') }));

it('nothing but a test listens', () => {
  expect(sources.filter(({ text }) => text.includes('onStep')).map(({ file }) => file)).toEqual([]);
});

it('every point is in the code, in one place', () => {
  const places = (name: StepName) =>
    sources.reduce((sum, { text }) => sum + text.split(`'${name}'`).length - 1, 0);
  expect(stepNames.filter((name) => places(name) !== 1)).toEqual([]);
});

it('says nothing to anybody until somebody listens, nor after that', async () => {
  const heard: StepName[] = [];
  expect(reached('seal.committed')).toBeUndefined();
  const stop = onStep((step) => {
    heard.push(step);
  });
  await reached('seal.committed');
  stop();
  await reached('cutover.committed');
  expect(heard).toEqual(['seal.committed']);
});
