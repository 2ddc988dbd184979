import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { affected, connect, one } from '@/lib/db/client';
import { type EmbeddedServer, findEmbedded, startEmbedded } from '@/lib/db/embedded';
import { chooseLauncher } from '@/lib/db/embedded-binaries';
import { isServer } from '@/lib/db/embedded-process';
import { throwAwayFolder } from '@/lib/testing/throw-away';

const folders: string[] = [];
const servers: EmbeddedServer[] = [];

async function newFolder(): Promise<string> {
  const folder = await throwAwayFolder();
  folders.push(folder);
  return folder;
}

async function start(folder: string, options = {}): Promise<EmbeddedServer> {
  const server = await startEmbedded({ folder, durable: false, ...options });
  servers.push(server);
  return server;
}

async function query<T>(server: EmbeddedServer, statement: ReturnType<typeof sql>): Promise<T> {
  const db = connect(server.url, { role: 'tool', max: 1 });
  try {
    return await one<T>(db, statement);
  } finally {
    await db.close();
  }
}

async function write(server: EmbeddedServer): Promise<void> {
  const db = connect(server.url, { role: 'tool', max: 1 });
  await affected(db, sql`create table kept as select 42 as n`);
  await db.close();
}

const kept = sql`select n from kept`;

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

describe('the embedded server', () => {
  it('is durable, checks its pages, and listens on loopback only, without a socket', async () => {
    const server = await start(await newFolder(), { durable: true });
    expect(server.reused).toBe(false);
    const settings = await query(
      server,
      sql`select
        current_database() as database,
        current_setting('listen_addresses') as addresses,
        current_setting('unix_socket_directories') as sockets,
        current_setting('data_checksums') as checksums,
        current_setting('fsync') as fsync,
        current_setting('synchronous_commit') as commit,
        current_setting('full_page_writes') as pages,
        (select datcollate from pg_database where datname = current_database()) as collation`,
    );
    expect(settings).toEqual({
      database: 'interlock',
      addresses: '127.0.0.1',
      sockets: '',
      checksums: 'on',
      fsync: 'on',
      commit: 'on',
      pages: 'on',
      collation: 'C',
    });
  });

  it('wants the password, which only its owner can read', async () => {
    const folder = await newFolder();
    const server = await start(folder);
    for (const file of ['password', 'server.json', 'postgres.log']) {
      expect([file, fs.statSync(path.join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
    }
    const password = fs.readFileSync(path.join(folder, 'password'), 'utf8').trim();
    expect(password.length).toBeGreaterThanOrEqual(32);
    expect(fs.readFileSync(path.join(folder, 'server.json'), 'utf8')).not.toContain(password);
    expect(fs.existsSync(path.join(folder, 'password.initdb'))).toBe(false);
    const guess = postgres(server.url.replace(password, 'guess'), { max: 1 });
    await expect(guess`select 1`).rejects.toMatchObject({ code: '28P01' });
    await guess.end();
  });

  it('is found while it runs and gone after a stop, its data and port kept', async () => {
    const folder = await newFolder();
    expect(findEmbedded(folder)).toBeNull();
    const first = await start(folder);
    expect(findEmbedded(folder)).toBe(first.url);
    await write(first);
    await first.stop();
    expect(isServer(first.pid, path.join(fs.realpathSync(folder), 'postgres'))).toBe(false);
    expect(findEmbedded(folder)).toBeNull();

    const second = await start(folder);
    expect(second.url).toBe(first.url);
    expect(await query(second, kept)).toEqual({ n: 42 });
  });

  it('takes another port where its own is taken', async () => {
    const folder = await newFolder();
    const first = await start(folder);
    await first.stop();
    const squatter = createServer().listen(first.port, '127.0.0.1');
    await once(squatter, 'listening');
    const second = await start(folder);
    expect(second.port).not.toBe(first.port);
    squatter.close();
  });

  it('outlives a starter that was killed, and is taken over', async () => {
    const folder = await newFolder();
    const starter = fork('lib/testing/start-embedded.ts', [folder], {
      execArgv: ['--import', 'tsx'],
    });
    const [{ pid }] = (await once(starter, 'message')) as [{ pid: number }];
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    const server = await start(folder);
    expect(server).toMatchObject({ pid, reused: true });
    expect(await query(server, sql`select 1 as n`)).toEqual({ n: 1 });
    const gone = server.untilGone();
    await server.stop();
    await gone;
  });

  it('comes back with everything committed after it was killed itself', async () => {
    const folder = await newFolder();
    const first = await start(folder, { durable: true });
    await write(first);
    const gone = first.untilGone();
    process.kill(first.pid, 'SIGKILL');
    await gone;
    const second = await start(folder, { durable: true });
    expect(second.reused).toBe(false);
    expect(await query(second, kept)).toEqual({ n: 42 });
  });

  it('starts over a pid file that names a living stranger', async () => {
    const folder = await newFolder();
    const first = await start(folder);
    await first.stop();
    const file = path.join(folder, 'postgres', 'postmaster.pid');
    const lines = [process.pid, path.join(folder, 'postgres'), 1, first.port, '', '127.0.0.1'];
    fs.writeFileSync(file, `${lines.join('\n')}\n`);
    expect(findEmbedded(folder)).toBeNull();
    expect((await start(folder)).reused).toBe(false);
  });

  it('starts over the empty pid file that a power cut leaves', async () => {
    const folder = await newFolder();
    await (await start(folder)).stop();
    const file = path.join(folder, 'postgres', 'postmaster.pid');
    fs.writeFileSync(file, '');
    fs.utimesSync(file, 0, 0);
    expect((await start(folder)).reused).toBe(false);
  });

  it('is one server, however many start it at once', async () => {
    const folder = await newFolder();
    await (await start(folder)).stop();
    const both = await Promise.all([start(folder), start(folder)]);
    expect(both[0].pid).toBe(both[1].pid);
    expect(both.filter(({ reused }) => !reused)).toHaveLength(1);
  });

  it('begins again where making the cluster was interrupted', async () => {
    const folder = await newFolder();
    fs.mkdirSync(path.join(folder, 'postgres.unfinished'));
    fs.writeFileSync(path.join(folder, 'postgres.unfinished', 'PG_VERSION'), '18\n');
    expect(await query(await start(folder), sql`select 1 as n`)).toEqual({ n: 1 });
  });

  it('gets a new password where the file was lost', async () => {
    const folder = await newFolder();
    const first = await start(folder);
    await write(first);
    await first.stop();
    fs.rmSync(path.join(folder, 'password'));
    const second = await start(folder);
    expect(second.url).not.toBe(first.url);
    expect(await query(second, kept)).toEqual({ n: 42 });
  });

  it('says what the server said where it cannot start', async () => {
    const folder = await newFolder();
    await (await start(folder)).stop();
    fs.appendFileSync(path.join(folder, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n');
    await expect(start(folder)).rejects.toThrow(
      /PostgreSQL did not start[\s\S]*unrecognized configuration parameter "no_such_setting"/,
    );
  });
});

describe.skipIf(process.getuid?.() !== 0)('the embedded server, started by root', () => {
  it('runs as nobody where there are no user namespaces, and goes back', async () => {
    const folder = await newFolder();
    const nobody = {
      command: (program: string, args: readonly string[]): [string, string[]] => [
        program,
        [...args],
      ],
      spawnOptions: { uid: 65_534, gid: 65_534 },
      owner: 65_534,
    };
    const first = await start(folder, { launcher: nobody });
    await write(first);
    await first.stop();
    expect(fs.statSync(path.join(folder, 'password')).uid).toBe(0);
    const second = await start(folder, { launcher: chooseLauncher() });
    expect(await query(second, kept)).toEqual({ n: 42 });
  });
});
