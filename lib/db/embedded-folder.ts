import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

/** The only user of an embedded cluster. */
export const superuser = 'postgres';

/** Where everything of an embedded cluster is. */
export interface ClusterFolder {
  readonly root: string;
  /** PostgreSQL's own data folder. */
  readonly cluster: string;
  /** The same while it is being made. */
  readonly unfinished: string;
  readonly password: string;
  /** Host, port and process of the last start; the port is used again. */
  readonly server: string;
  readonly log: string;
}

export function clusterFolder(folder: string): ClusterFolder {
  const given = path.resolve(folder);
  // One spelling: the server is later known by this path on its command line.
  const root = fs.existsSync(given) ? fs.realpathSync(given) : given;
  return {
    root,
    cluster: path.join(root, 'postgres'),
    unfinished: path.join(root, 'postgres.unfinished'),
    password: path.join(root, 'password'),
    server: path.join(root, 'server.json'),
    log: path.join(root, 'postgres.log'),
  };
}

export function urlOf(port: number, password: string, database: string): string {
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

/** URL-safe, 192 bits. */
export function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

export function readPassword(at: ClusterFolder): string {
  return fs.readFileSync(at.password, 'utf8').trim();
}

/** Replaces a file whole, readable by its owner alone from its first byte. */
export function writePrivate(file: string, content: string): void {
  const beside = `${file}.${process.pid}.tmp`;
  fs.rmSync(beside, { force: true });
  fs.writeFileSync(beside, content, { mode: 0o600 });
  fs.renameSync(beside, file);
}

/** The port of the last start where it is free, so that noted URLs stay right; else a free one. */
export async function pickPort(at: ClusterFolder): Promise<number> {
  const last = lastPort(at);
  return (last === null ? null : await tryPort(last)) ?? freePort();
}

/** A port of the loopback interface that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  const port = await tryPort(0);
  if (port === null) throw new Error('no free port on 127.0.0.1');
  return port;
}

function lastPort(at: ClusterFolder): number | null {
  try {
    const { port } = JSON.parse(fs.readFileSync(at.server, 'utf8')) as { port: number };
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
  } catch {
    return null;
  }
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null));
    });
  });
}

const logLimitBytes = 16 * 1024 ** 2;

/** Puts a log that has grown too long aside; answers where the next line will stand. */
export function rotateLog(at: ClusterFolder): number {
  if (!fs.existsSync(at.log)) return 0;
  const { size } = fs.statSync(at.log);
  if (size < logLimitBytes) return size;
  fs.renameSync(at.log, `${at.log}.1`);
  return 0;
}

export function readLog(at: ClusterFolder, from: number): string {
  return fs.existsSync(at.log) ? fs.readFileSync(at.log).subarray(from).toString('utf8') : '';
}

export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
