import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import {
  adopt,
  assertReachable,
  type Binaries,
  chooseLauncher,
  findBinaries,
  type Launcher,
  run,
} from '@/lib/db/embedded-binaries';
import {
  type ClusterFolder,
  clusterFolder,
  lastLines,
  newPassword,
  pickPort,
  readLog,
  readPassword,
  rotateLog,
  superuser,
  urlOf,
  writePrivate,
} from '@/lib/db/embedded-folder';
import {
  findServer,
  type RunningServer,
  removeMisleadingPid,
  stopServer,
  untilGone,
} from '@/lib/db/embedded-process';
import { pgError } from '@/lib/db/pg-error';

export interface EmbeddedOptions {
  /** The folder that holds the cluster, its password, its port and its log; made where missing. */
  readonly folder: string;
  /** Made where missing; `interlock` unless given. */
  readonly database?: string;
  /** False leaves out every wait for the disk: for clusters that are thrown away. */
  readonly durable?: boolean;
  /** How to start programs; found out unless given. */
  readonly launcher?: Launcher;
}

export interface EmbeddedServer {
  /** With the password. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** True where the server was already running, left over by a process that was killed. */
  readonly reused: boolean;
  readonly logFile: string;
  /** Settles when the server is gone, however it went; waiting for it keeps no process alive. */
  untilGone(): Promise<void>;
  /** The log's last lines. */
  logTail(): string;
  /** Disconnects everybody, writes a checkpoint, and waits until the server is gone. */
  stop(): Promise<void>;
}

const defaultDatabase = 'interlock';

/**
 * Starts the PostgreSQL that comes with the packages, on a folder of its own, or takes over the one
 * that already runs there. It listens on loopback only, without a socket file, and wants a password
 * that is generated once and kept in the folder, readable by its owner alone.
 *
 * The server is not tied to this process: whoever starts it stops it. After a `kill -9` it lives
 * on, and the next start finds it.
 *
 * @throws Error with the end of the server's log where it does not come up
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const launcher = options.launcher ?? chooseLauncher();
  const binaries = await findBinaries();
  fs.mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  // A stand-in for root must get through to the cluster; the password stays closed to it.
  if (launcher.owner) fs.chmodSync(options.folder, 0o711);
  const at = clusterFolder(options.folder);
  for (const target of [at.cluster, binaries.postgres]) assertReachable(target, launcher);

  if (!fs.existsSync(at.cluster)) await initialise(at, binaries, launcher, options.durable);
  if (!findServer(at.cluster)) {
    await adopt(at.cluster, launcher);
    if (!fs.existsSync(at.password)) await replacePassword(at, binaries, launcher);
  }

  const password = readPassword(at);
  const database = options.database ?? defaultDatabase;
  for (const deadline = Date.now() + 120_000; ; await wait(200)) {
    const logged = rotateLog(at);
    const child = findServer(at.cluster)
      ? null
      : launch(at, binaries, launcher, await pickPort(at), options.durable);
    const server = await untilReady(at, child, password, deadline);
    if (server) {
      await createDatabase(server.port, password, database);
      return handle(at, server, child, password, database);
    }
    const said = readLog(at, logged);
    if (Date.now() > deadline || (child && !isPassing(said))) {
      throw new Error(`PostgreSQL did not start. The end of ${at.log}:\n${lastLines(said, 20)}`);
    }
  }
}

/**
 * The URL of the server that runs on a folder, or null where none does: for tools beside
 * `npm start`, which use the server and leave it alone.
 */
export function findEmbedded(folder: string, database = defaultDatabase): string | null {
  const at = clusterFolder(folder);
  const running = findServer(at.cluster);
  if (!running || !fs.existsSync(at.password)) return null;
  return urlOf(running.port, readPassword(at), database);
}

async function initialise(
  at: ClusterFolder,
  binaries: Binaries,
  launcher: Launcher,
  durable = true,
): Promise<void> {
  // Made beside and renamed: a start that was killed half way leaves no half cluster.
  fs.rmSync(at.unfinished, { recursive: true, force: true });
  fs.mkdirSync(at.unfinished, { mode: 0o700 });
  await adopt(at.unfinished, launcher);
  const password = newPassword();
  const passwordFile = `${at.password}.initdb`;
  writePrivate(passwordFile, `${password}\n`);
  await adopt(passwordFile, launcher);
  const args = ['-D', at.unfinished, '-U', superuser, '--pwfile', passwordFile];
  args.push('-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C', '--data-checksums');
  await run(binaries.initdb, durable ? args : [...args, '--no-sync'], launcher);
  fs.rmSync(passwordFile);
  writePrivate(at.password, `${password}\n`);
  fs.renameSync(at.unfinished, at.cluster);
}

/** The file was lost: single-user mode, which asks for no password, sets a new one. */
async function replacePassword(
  at: ClusterFolder,
  binaries: Binaries,
  launcher: Launcher,
): Promise<void> {
  const password = newPassword();
  const statement = `alter role ${superuser} password '${password}'\n`;
  await run(binaries.postgres, ['--single', '-D', at.cluster, superuser], launcher, statement);
  writePrivate(at.password, `${password}\n`);
}

function launch(
  at: ClusterFolder,
  binaries: Binaries,
  launcher: Launcher,
  port: number,
  durable = true,
): ChildProcess {
  removeMisleadingPid(at.cluster);
  const settings = Object.entries(serverSettings(durable)).flatMap(([k, v]) => ['-c', `${k}=${v}`]);
  const args = ['-D', at.cluster, '-p', String(port), ...settings];
  // The log goes to the file itself: a pipe would break with whoever started the server.
  const log = fs.openSync(at.log, 'a', 0o600);
  const child = spawn(...launcher.command(binaries.postgres, args), {
    ...launcher.spawnOptions,
    // A session of its own: Ctrl-C in a terminal must not reach it before what depends on it.
    detached: true,
    stdio: ['ignore', log, log],
  });
  fs.closeSync(log);
  child.unref();
  return child;
}

function serverSettings(durable: boolean): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] %a ',
    max_connections: '100',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    random_page_cost: '1.1',
    jit: 'off',
    // Containers often have 64 MB there, too little for one parallel hash join.
    ...(hasSmallSharedMemory() ? { dynamic_shared_memory_type: 'mmap' } : {}),
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
}

function hasSmallSharedMemory(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const { bsize, blocks } = fs.statfsSync('/dev/shm');
    return bsize * blocks < 512 * 1024 ** 2;
  } catch {
    return true;
  }
}

/**
 * Waits while the server comes up or recovers. Null where it went away instead: ours because it
 * failed, one found running because it was on its way down.
 */
async function untilReady(
  at: ClusterFolder,
  child: ChildProcess | null,
  password: string,
  deadline: number,
): Promise<RunningServer | null> {
  for (; Date.now() < deadline; await wait(40)) {
    if (child && (child.exitCode !== null || child.signalCode !== null)) return null;
    const server = findServer(at.cluster);
    if (!server && !child) return null;
    if (server && (await accepts(at, server.port, password))) return server;
  }
  return null;
}

/**
 * True where our own server answers on the port; false while nobody does, or not yet.
 *
 * @throws Error where it is somebody else's server, or refuses the password
 */
async function accepts(at: ClusterFolder, port: number, password: string): Promise<boolean> {
  const url = urlOf(port, password, superuser);
  const client = postgres(url, { max: 1, connect_timeout: 5, fetch_types: false });
  let folder: string | undefined;
  try {
    const [row] = await client`select current_setting('data_directory') as folder`;
    folder = row?.folder;
  } catch (error) {
    const code = pgError(error)?.code;
    // 57P03: starting up or shutting down; without a code: not listening.
    if (code === undefined || code === '57P03') return false;
    if (code !== '28P01') throw error;
    throw new Error(`the PostgreSQL on port ${port} refuses the password in ${at.password}`);
  } finally {
    await client.end({ timeout: 1 });
  }
  if (folder !== undefined && fs.realpathSync(folder) === fs.realpathSync(at.cluster)) return true;
  throw new Error(`the PostgreSQL on port ${port} is not the one of ${at.cluster}`);
}

/** What settles by itself: the backends of a killed server still leaving, a port just taken. */
function isPassing(log: string): boolean {
  return [
    /pre-existing shared memory block/,
    /lock file "postmaster\.pid" (already exists|is empty)/,
    /Address already in use/,
  ].some((each) => each.test(log));
}

async function createDatabase(port: number, password: string, database: string): Promise<void> {
  const client = postgres(urlOf(port, password, superuser), { max: 1, fetch_types: false });
  try {
    const [found] = await client`select 1 from pg_database where datname = ${database}`;
    if (!found) await client`create database ${client(database)}`;
  } finally {
    await client.end({ timeout: 1 });
  }
}

function handle(
  at: ClusterFolder,
  { pid, port }: RunningServer,
  child: ChildProcess | null,
  password: string,
  database: string,
): EmbeddedServer {
  writePrivate(at.server, `${JSON.stringify({ host: '127.0.0.1', port, pid, database })}\n`);
  return {
    url: urlOf(port, password, database),
    port,
    pid,
    // every launcher becomes the server itself; ours may have found another one's first, and ended
    reused: child?.pid !== pid,
    logFile: at.log,
    untilGone: () => untilGone(pid, at.cluster),
    logTail: () => lastLines(readLog(at, 0), 20),
    stop: () => stopServer(pid, at.cluster),
  };
}
