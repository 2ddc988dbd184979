import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findEmbedded, startEmbedded } from '@/lib/db/embedded';

const prefix = 'interlock-test-';

/**
 * A new temporary folder for an embedded cluster. It notes whose it is: what a test run that was
 * killed has left behind, a running server included, is cleaned up by the next one, here.
 */
export async function throwAwayFolder(): Promise<string> {
  await sweep();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), prefix));
  fs.writeFileSync(path.join(folder, 'owner'), String(process.pid));
  return folder;
}

async function sweep(): Promise<void> {
  for (const name of fs.readdirSync(os.tmpdir()).filter((each) => each.startsWith(prefix))) {
    const folder = path.join(os.tmpdir(), name);
    const owner = path.join(folder, 'owner');
    if (!fs.existsSync(owner) || isAlive(Number(fs.readFileSync(owner, 'utf8')))) continue;
    if (findEmbedded(folder)) await (await startEmbedded({ folder, durable: false })).stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
