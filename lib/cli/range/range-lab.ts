import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { type ExactJson, JsonNumber, parseExact } from '@/lib/cli/import/exact-json';
import { childEnv } from '@/lib/env';
import { runRange } from './program';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The one JSON object of stdout, every number of it a bigint. */
  readonly json: unknown;
}

export interface Order {
  readonly amount: bigint;
  readonly status: 'paid' | 'refund';
}

/** A store and partitions of a test's own, and the command on them. */
export class Lab {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'range-lab-'));
  readonly db = path.join(this.folder, 'state.db');
  readonly events = path.join(this.folder, 'events');

  constructor() {
    mkdirSync(this.events);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Writes a partition's lines as they are. */
  lines(dt: string, text: string | Buffer): void {
    writeFileSync(this.pathOf(dt), text);
  }

  orders(dt: string, orders: readonly Order[]): void {
    const lines = orders.map(
      ({ amount, status }, i) =>
        `{"order_id": "${dt}-${i}", "dt": "${dt}", "amount": ${amount}, "status": "${status}"}\n`,
    );
    this.lines(dt, lines.join(''));
  }

  remove(dt: string): void {
    rmSync(this.pathOf(dt), { force: true });
  }

  pathOf(dt: string): string {
    return path.join(this.events, `dt=${dt}.jsonl`);
  }

  page(name: string): string {
    return readFileSync(path.join(this.folder, name), 'utf8');
  }

  /** The command in this process: a start of Node for each of thousands would take hours. */
  async run(...argv: string[]): Promise<Ran> {
    let stdout = '';
    let stderr = '';
    const code = await runRange(argv, {
      db: this.db,
      events: this.events,
      write: (text) => {
        stdout += text;
      },
      say: (line) => {
        stderr += `${line}\n`;
      },
    });
    return { code, stdout, stderr, json: jsonOf(stdout) };
  }

  /** The command as it is started from a shell. */
  start(...argv: string[]): { child: ChildProcess; ended: Promise<Ran> } {
    const child = spawn(process.execPath, ['--import', 'tsx', 'lib/cli/range/main.ts', ...argv], {
      cwd: root,
      env: childEnv({ BACKFILL_DB: this.db, BACKFILL_EVENTS: this.events }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { child, ended: endOf(child) };
  }

  /** Rows of the store, read by another connection. */
  rows(sql: string): Record<string, unknown>[] {
    const db = new Database(this.db, { timeout: 30_000 });
    try {
      return db.defaultSafeIntegers(true).prepare(sql).all() as Record<string, unknown>[];
    } finally {
      db.close();
    }
  }

  /** Everything that the store holds. */
  dump(): Record<string, Record<string, unknown>[]> {
    const orders = {
      daily: 'dt',
      rollup: 'metric',
      claims: 'dt',
      seals: 'dt',
      corrections: 'rowid',
    };
    return Object.fromEntries(
      Object.entries(orders).map(([table, by]) => [
        table,
        this.rows(`select * from ${table} order by ${by}`),
      ]),
    );
  }
}

export function endOf(child: ChildProcess): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({
        code,
        stdout,
        stderr,
        get json() {
          return jsonOf(stdout);
        },
      });
    });
  });
}

function jsonOf(stdout: string): unknown {
  return stdout === '' ? undefined : plain(parseExact(stdout));
}

function plain(value: ExactJson): unknown {
  if (value instanceof JsonNumber) return BigInt(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
