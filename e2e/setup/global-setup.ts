import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Starts the console under test before the first browser test, and stops it after the last. Tests
 * find it as Playwright's `baseURL`, and its database as `E2E_DATABASE_URL`.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const server = fork(fileURLToPath(new URL('server.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(server, 'exit');
  const ready = await Promise.race([
    once(server, 'message').then(
      ([message]) => message as { address: string; databaseUrl: string },
    ),
    ended.then(() => null),
  ]);
  if (ready === null) throw new Error('the console under test did not start: see above');
  process.env.E2E_BASE_URL = ready.address;
  process.env.E2E_DATABASE_URL = ready.databaseUrl;
  return async () => {
    server.kill('SIGTERM');
    await ended;
  };
}
