import { setTimeout as wait } from 'node:timers/promises';
import { type Env, env } from '@/lib/env';
import type { Holder } from './alone.mjs';
import { isAlive } from './npm-parent.mjs';
import { type Stack, startStack } from './stack';

export interface StartOptions {
  readonly dev: boolean;
  /** The npm that runs this, where one does. */
  readonly npm: number | null;
  /** What another start is told about this one. */
  readonly self: Holder;
}

/** Starts everything, stays until told to stop, and stops everything in order. */
export async function start({ dev, npm, self }: StartOptions): Promise<void> {
  // The terminal may go before we do; stopping in order matters more than being read.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const giveUp = new AbortController();
  const asked = whenAskedToStop(npm).then(() => giveUp.abort());
  let stack: Stack | undefined;
  try {
    const settings = env();
    stack = await startStack({
      folder: settings.INTERLOCK_DATA,
      databaseUrl: settings.DATABASE_URL,
      host: settings.INTERLOCK_HOST,
      port: settings.PORT,
      demo: settings.INTERLOCK_DEMO ?? settings.DATABASE_URL === undefined,
      dev,
      authSecret: settings.AUTH_SECRET,
      authUrl: settings.AUTH_URL,
      print: (line) => console.log(line),
      signal: giveUp.signal,
    });
    Object.assign(self, { state: 'running', address: stack.address });
    greet(stack.address, settings);
    const reason = await Promise.race([asked.then(() => null), stack.failed]);
    self.state = 'stopping';
    if (reason !== null) {
      console.error(`\n${reason}\n\nInterlock stops.`);
      process.exitCode = 1;
    } else {
      console.log('\nStopping …');
    }
  } catch (error) {
    if (!giveUp.signal.aborted) {
      console.error(`\n${(error as Error).message}`);
      process.exitCode = 1;
    }
  } finally {
    self.state = 'stopping';
    await stack?.stop();
  }
  process.exit();
}

function greet(address: string, settings: Env): void {
  const demo = settings.INTERLOCK_DEMO ?? settings.DATABASE_URL === undefined;
  const signIn = demo
    ? 'Sign in with one click as owner, approver, approver2, oncall, auditor or admin.'
    : settings.OIDC_ISSUER
      ? `Sign in through ${settings.OIDC_ISSUER}.`
      : 'Nobody can sign in yet: set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.';
  console.log(`\nInterlock is ready: ${address}\n${signIn}\nCtrl-C stops everything.\n`);
}

/** Settles at the first Ctrl-C or SIGTERM, or when the npm that runs us is gone; a second one kills. */
async function whenAskedToStop(npm: number | null): Promise<void> {
  const signalled = new Promise<void>((resolve) => {
    let count = 0;
    const onSignal = () => {
      count += 1;
      if (count > 1) process.exit(130);
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
  await Promise.race(npm === null ? [signalled] : [signalled, untilDead(npm)]);
}

async function untilDead(pid: number): Promise<void> {
  while (isAlive(pid)) await wait(250, undefined, { ref: false });
}
