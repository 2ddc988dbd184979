import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type EmbeddedServer, startEmbedded } from '@/lib/db/embedded';
import { migrate } from '@/lib/db/migrate';
import { ensureBuild } from './build';
import { type Child, root, startChild } from './children';
import { claimPort, forgetProcesses, noteProcesses } from './port';
import { seed } from './seed';

export interface StackOptions {
  /** Secrets, notes and the embedded cluster. */
  readonly folder: string;
  /** Undefined: the embedded cluster of the folder. */
  readonly databaseUrl: string | undefined;
  readonly host: string;
  readonly port: number;
  /** Personas and sample data. */
  readonly demo: boolean;
  /** With reload, without a build. */
  readonly dev: boolean;
  /** False where the database is thrown away afterwards. */
  readonly durable?: boolean;
  /** Undefined: generated once, and kept in the folder. */
  readonly authSecret: string | undefined;
  readonly authUrl: string | undefined;
  /** One line for a person. */
  readonly print: (line: string) => void;
  /** Gives up between two steps. */
  readonly signal?: AbortSignal;
}

export interface Stack {
  readonly address: string;
  readonly databaseUrl: string;
  /** Settles with a sentence when a part of it has ended that should not have. */
  readonly failed: Promise<string>;
  /** Stops the job runner, the console and the embedded database, in this order. */
  stop(): Promise<void>;
}

/** What has been started so far, in the order in which it has to be stopped. */
interface Parts {
  runner?: Child;
  console?: Child;
  database?: EmbeddedServer;
}

/**
 * Starts everything: database, migrations, build, demo, console, job runner; and answers when the
 * console does. Where a step fails, what was started before is stopped again.
 *
 * @throws Error saying which step failed, and why
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const parts: Parts = {};
  try {
    return await startParts(options, parts);
  } catch (error) {
    await stopParts(options, parts);
    throw error;
  }
}

async function startParts(options: StackOptions, parts: Parts): Promise<Stack> {
  const { folder, host, port, print } = options;
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  await claimPort(host, port, folder);
  if (options.databaseUrl === undefined) {
    parts.database = await step(options, 'PostgreSQL', () =>
      startEmbedded({ folder, durable: options.durable ?? true }),
    );
    if (parts.database.reused) print('  still running from an earlier start: taken over');
  }
  const databaseUrl = options.databaseUrl ?? parts.database?.url ?? '';
  await step(options, 'Migrations', () => migrate(databaseUrl));
  if (!options.dev) {
    await step(options, 'Build', () =>
      ensureBuild({
        signal: options.signal,
        onStale: () => print('Building the console, which takes a minute or two …'),
      }),
    );
  }
  if (options.demo)
    await step(options, 'Demo', () => seed(databaseUrl, { print, signal: options.signal }));

  const env = environment(options, databaseUrl);
  parts.console = startChild({ name: 'console', args: consoleArgs(options), env, print });
  parts.runner = startChild({ name: 'runner', args: runnerArgs(options), env, print });
  noteProcesses(folder, [parts.console, parts.runner]);
  const failed = untilFailed(parts);
  const address = options.authUrl ?? `http://localhost:${port}`;
  await step(options, 'Console and job runner', () =>
    Promise.race([
      untilAnswers(`http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`),
      failed.then((why) => {
        throw new Error(why);
      }),
    ]),
  );
  return { address, databaseUrl, failed, stop: () => stopParts(options, parts) };
}

async function stopParts({ folder }: StackOptions, parts: Parts): Promise<void> {
  await parts.runner?.stop();
  await parts.console?.stop();
  forgetProcesses(folder);
  await parts.database?.stop();
}

function environment(
  options: StackOptions,
  databaseUrl: string,
): Record<string, string | undefined> {
  const secret = options.authSecret ?? keptSecret(options.folder);
  return {
    NODE_ENV: options.dev ? 'development' : 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    DATABASE_URL: databaseUrl,
    INTERLOCK_DATA: options.folder,
    INTERLOCK_DEMO: options.demo ? '1' : '0',
    PORT: String(options.port),
    AUTH_SECRET: secret,
    AUTH_URL: options.authUrl,
    // next-auth looks at these itself. Without a fixed address it believes the request's host,
    // so that localhost and 127.0.0.1 both work.
    NEXTAUTH_SECRET: secret,
    NEXTAUTH_URL: options.authUrl,
    AUTH_TRUST_HOST: options.authUrl === undefined ? '1' : undefined,
  };
}

function consoleArgs({ dev, host, port }: StackOptions): string[] {
  const next = path.join(root, 'node_modules', 'next', 'dist', 'bin', 'next');
  return [next, dev ? 'dev' : 'start', '--hostname', host, '--port', String(port)];
}

function runnerArgs({ dev }: StackOptions): string[] {
  const main = path.join('lib', 'runner', 'main.ts');
  const tsx = path.join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs');
  return dev ? [tsx, 'watch', '--clear-screen=false', main] : ['--import', 'tsx', main];
}

/** Signs the sessions; kept, so that nobody is signed out by a restart. */
function keptSecret(folder: string): string {
  const file = path.join(folder, 'auth-secret');
  if (!fs.existsSync(file)) {
    fs.writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  }
  return fs.readFileSync(file, 'utf8').trim();
}

/** Without its database everything else ends too, so that is looked at before a child is blamed. */
async function untilFailed({ console, runner, database }: Parts): Promise<string> {
  const ends = [console, runner].flatMap((child) =>
    child
      ? [child.ended.then(({ how, tail }) => `The ${child.name} ended (${how}):\n${tail}`)]
      : [],
  );
  if (!database) return Promise.race(ends);
  const gone = database.untilGone().then(() => `PostgreSQL ended:\n${database.logTail()}`);
  const first = await Promise.race([...ends, gone]);
  return Promise.race([gone, wait(1_000).then(() => first)]);
}

async function untilAnswers(url: string): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await wait(100)) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
      await response.body?.cancel();
      if (response.status < 500) return;
    } catch {
      // Not listening yet, or still compiling.
    }
  }
  throw new Error(`the console does not answer on ${url}`);
}

async function step<T>(
  { print, signal }: StackOptions,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const began = Date.now();
  try {
    const result = await work();
    print(`${name}: ready (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    return result;
  } catch (error) {
    throw new Error(`${name} failed: ${messageOf(error)}`, { cause: error });
  }
}

function messageOf(error: unknown): string {
  const parts: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) parts.push(at.message);
  return parts.join('\n  because ');
}
