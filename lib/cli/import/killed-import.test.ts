import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { FakeLog } from '@/lib/cli/import/fake-log';
import { childEnv } from '@/lib/env';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const source = {
  name: 'lines',
  columns: [
    { name: 'id', type: 'text', nullable: false },
    { name: 'amount', type: 'numeric(12,2)', nullable: false },
  ],
  key: ['id'],
};

function interlock(folder: string, url: string): ChildProcess {
  const args = [
    '--import',
    'tsx',
    'lib/cli/interlock/main.ts',
    'source',
    'import',
    'lines',
    folder,
  ];
  return spawn(process.execPath, [...args, '--batch', '100', '--json'], {
    cwd: root,
    env: childEnv({
      INTERLOCK_URL: url,
      INTERLOCK_TOKEN: 'ilk_test',
      INTERLOCK_DATA: path.join(folder, '.data'),
      DATABASE_URL: undefined,
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

it('brings every line in exactly once although it is killed at each batch in turn', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'killed-'));
  let stop: { at: number; reached: () => void } | null = null;
  const log = await FakeLog.start({
    source,
    before: () => {
      if (stop === null || log.events.size < stop.at) return null;
      stop.reached();
      // Never answered: the process dies in the middle of the call.
      return new Promise(() => {});
    },
  });
  try {
    for (let file = 0; file < 6; file += 1) {
      const lines = Array.from({ length: 100 }, (_, i) => `f${file}-${i},${i}.25`);
      await writeFile(path.join(folder, `${file}.csv`), `id,amount\n${lines.join('\n')}\n`);
    }
    for (const at of [100, 400]) {
      const reached = new Promise<void>((resolve) => {
        stop = { at, reached: resolve };
      });
      const child = interlock(folder, log.url);
      await reached;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    stop = null;
    const child = interlock(folder, log.url);
    let out = '';
    child.stdout?.on('data', (text) => {
      out += text;
    });
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    const summary = JSON.parse(out);
    expect(summary).toMatchObject({ lines: 600, bad: 0 });
    expect(summary.skipped).toBeGreaterThanOrEqual(100);
    expect(summary.skipped + summary.accepted + summary.duplicates).toBe(600);
    expect(log.events.size).toBe(600);
  } finally {
    await log.stop();
    await rm(folder, { recursive: true });
  }
}, 60_000);
