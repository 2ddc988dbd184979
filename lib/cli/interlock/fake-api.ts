import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient } from '@/lib/cli/interlock/api-client';
import type { Io } from '@/lib/cli/interlock/io';
import { runInterlock } from '@/lib/cli/interlock/program';

/** For tests: a server that answers what it is told to, and a command line that talks to it. */

export interface Call {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly headers: Record<string, unknown>;
}

export type Reply = [status: number, body: unknown, headers?: Record<string, string>];

export class FakeApi {
  calls: Call[] = [];
  /** Answers by method and path; a list is given out one by one, its last entry for ever. */
  replies: Record<string, Reply | Reply[]> = {};
  readonly #server: Server;

  private constructor(readonly folder: string) {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const text = Buffer.concat(parts).toString();
      const { method = '', url = '', headers } = request;
      this.calls.push({ method, url, body: text === '' ? null : JSON.parse(text), headers });
      const [status, body, more = {}] = this.#reply(`${method} ${url.replace(/\?.*$/, '')}`);
      response.writeHead(status, { 'content-type': 'application/json', ...more });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }

  static async start(): Promise<FakeApi> {
    const api = new FakeApi(await mkdtemp(path.join(tmpdir(), 'interlock-cli-')));
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.folder, { recursive: true });
  }

  reset(): void {
    this.calls = [];
    this.replies = {};
  }

  async interlock(...argv: string[]): Promise<{ code: number; out: string; said: string }> {
    let out = '';
    let said = '';
    const { port } = this.#server.address() as AddressInfo;
    const io: Io = {
      write: async (text) => {
        out += text;
      },
      say: (line) => {
        said += `${line}\n`;
      },
      watched: false,
      api: () => new ApiClient({ url: `http://127.0.0.1:${port}/`, token: 'ilk_x' }),
      dataFolder: path.join(this.folder, 'data'),
    };
    return { code: await runInterlock(argv, io), out, said };
  }

  #reply(key: string): Reply {
    const found = this.replies[key];
    if (found === undefined) return [404, { code: 'NOT_FOUND', detail: 'There is none.' }];
    if (!Array.isArray(found[0])) return found as Reply;
    const list = found as Reply[];
    return (list.length > 1 ? list.shift() : list[0]) as Reply;
  }
}

/** A release as the API gives it, as far as the command line reads it. */
export const release = {
  release: 'fix@1',
  name: 'fix',
  revision: 1,
  dataset: 'orders',
  state: 'BUILDING',
  spec: { range: { from: '2011-01-04T00:00:00Z', to: 'open' } },
  digest: null,
  planDigest: null,
  transforms: { old: null, new: null },
  flags: { working: false, paused: false, held: true, draining: false },
  paused: null,
  held: { at: '2026-01-01T00:00:00Z', by: 'ben', why: 'audit' },
  trouble: null,
  evidence: null,
  rehearsal: null,
  reconciliation: null,
  signatures: [],
  approvalsNeeded: { cutover: 2, rollback: 1 },
  progress: { planned: 178, receipts: 12, running: 2, failed: 1, caughtUp: {} },
  quarantined: 0,
  generation: null,
  authors: [{ person: 'ana', how: 'wrote' }],
  states: [{ state: 'DRAFT', at: '2026-01-01T00:00:00Z', by: 'ana', why: null }],
  serving: false,
  blockers: {
    seal: [{ code: 'HELD', kind: 'fix', message: 'The release is held by ben.' }],
    pause: [],
  },
};
