import * as fs from 'node:fs';
import { freePort } from '@/lib/db/embedded-folder';
import { throwAwayFolder } from '@/lib/testing/throw-away';
import { type Stack, startStack } from '@/scripts/stack';

// A production console with its job runner, on a cluster and a port of its own, the demo filled in.
// It tells its parent where it is, and stops when its parent is gone.

const folder = await throwAwayFolder();
let stack: Stack | undefined;

async function leave(code: number): Promise<never> {
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}

process.on('disconnect', () => void leave(0));
process.on('SIGTERM', () => void leave(0));

try {
  stack = await startStack({
    folder,
    databaseUrl: undefined,
    host: '127.0.0.1',
    port: await freePort(),
    demo: true,
    dev: false,
    durable: false,
    authSecret: undefined,
    authUrl: undefined,
    print: (line) => process.stdout.write(`${line}\n`),
  });
  process.send?.({ address: stack.address, databaseUrl: stack.databaseUrl });
  process.stderr.write(`${await stack.failed}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
}
await leave(1);
