import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './bootstrap.mjs';
import { models } from './model-checks.mjs';

const folder = path.join(root, 'docs', 'model');
const read = (file: string) => fs.readFileSync(path.join(folder, file), 'utf8');
const files = fs.readdirSync(folder).filter((file) => file.endsWith('.pml'));

/** Names of settings, without sizes (`E=3`) and without the values of ends (`REACH=1`). */
const settings = (lists: readonly string[]) =>
  new Set(lists.flatMap((list) => list.split(' ')).map((name) => name.replace(/=.*/, '')));

it('checks every model that is there', () => {
  expect(models.map(({ file }) => file).sort()).toEqual([...files].sort());
});

describe.each(models)('$file', ({ file, holds, short, base, weakenings, ends }) => {
  const text = read(file);

  it('names only files that exist, and only what is in them', () => {
    const named = [...text.matchAll(/\b((?:lib|app|scripts)\/[\w./-]+\.tsx?)(?::(\w+))?/g)];
    expect(named.length).toBeGreaterThan(10);
    const gone = named.filter(([, place = '', name]) => {
      const source = path.join(root, place);
      if (!fs.existsSync(source)) return true;
      return (
        name !== undefined && !new RegExp(`\\b${name}\\b`).test(fs.readFileSync(source, 'utf8'))
      );
    });
    expect(gone.map(([whole]) => whole)).toEqual([]);
  });

  it('says of every step where it is implemented, or that it is not', () => {
    const [processes = ''] = text.split(/^init \{/m);
    const steps = processes.split('\n').filter((line) => /\b(atomic|d_step) \{/.test(line));
    expect(steps.length).toBeGreaterThan(10);
    const silent = steps.filter(
      (line) => !/\/\*.*(\.ts\b|not in the code|of the model alone)/.test(line),
    );
    expect(silent).toEqual([]);
  });

  it('is tried with every setting that it knows, and with no other', () => {
    const known = new Set(
      [...text.matchAll(/^#(?:el)?if.*$/gm)].flatMap(([line]) =>
        [...line.matchAll(/\b[A-Z][A-Z_]*\b/g)].map(([name]) => name),
      ),
    );
    // said in the model: leaving it out breaks nothing that the model counts
    known.delete('NO_BASE_CHECK');
    const tried = settings([...holds, ...short, base, ...weakenings, ...ends]);
    expect([...tried].sort()).toEqual([...known].sort());
  });

  it('has its weakenings explained, in the model and in the README', () => {
    const table = read('README.md');
    const names = [...settings(weakenings)].filter((name) => !settings([...holds, base]).has(name));
    expect(names.filter((name) => !new RegExp(`^ +${name} `, 'm').test(text))).toEqual([]);
    expect(names.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
  });
});
