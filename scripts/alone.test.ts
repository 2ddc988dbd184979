import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Holder, holdAlone } from './alone.mjs';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'interlock-alone-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const me = (): Holder => ({ pid: process.pid, npm: null, state: 'starting' });

describe('holdAlone', () => {
  it('lets one in, and tells the others what it is doing now', async () => {
    const self = me();
    const first = await holdAlone(folder, self);
    expect(first.held).toBe(true);
    Object.assign(self, { state: 'running', address: 'http://localhost:3000' });
    expect(await holdAlone(folder, me())).toEqual({
      held: false,
      by: { pid: process.pid, npm: null, state: 'running', address: 'http://localhost:3000' },
    });
    const other = await holdAlone(path.join(folder, 'other'), me());
    expect(other.held).toBe(true);
    for (const lock of [first, other]) if (lock.held) lock.release();
    const next = await holdAlone(folder, me());
    expect(next.held).toBe(true);
    if (next.held) next.release();
  });

  it('lets exactly one of many in', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => holdAlone(folder, me())));
    const held = all.filter((lock) => lock.held);
    expect(held).toHaveLength(1);
    for (const lock of held) if (lock.held) lock.release();
  });

  it('is free again when its holder was killed', async () => {
    const module = JSON.stringify(new URL('alone.mjs', import.meta.url).href);
    const script = `
      const { holdAlone } = await import(${module});
      const lock = await holdAlone(${JSON.stringify(folder)}, { pid: process.pid, npm: null, state: 'running' });
      console.log(lock.held);
      setInterval(() => {}, 60_000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', script]);
    const [said] = (await once(holder.stdout, 'data')) as [Buffer];
    expect(said.toString().trim()).toBe('true');
    expect(await holdAlone(folder, me())).toMatchObject({ held: false, by: { pid: holder.pid } });
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const after = await holdAlone(folder, me());
    expect(after.held).toBe(true);
    if (after.held) after.release();
  });
});
