import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { type Database, rows } from '@/lib/db/client';
import type { StepName } from '@/lib/db/step';
import type { Move } from '@/lib/domain/lifecycle';
import { workerFile } from '@/lib/faults/support/bundle';
import type { LiveOptions } from '@/lib/services/apply/apply-live';
import type { Person } from '@/lib/testing/world';

/** What a worker process may be asked to do. */
export type Work =
  /** One round of the sweeper, and then whatever is in the queue, as a runner would. */
  | { kind: 'runner' }
  /** Gets over what its connections have to say of a server that died. */
  | { kind: 'forget' }
  /** Live writing until the log's end. */
  | { kind: 'live'; epoch?: number; options?: LiveOptions }
  | {
      kind: 'move';
      person: Person;
      move: Move;
      release: string;
      body?: Record<string, unknown>;
    };

export type Order = { kind: 'do'; work: Work; stopAt: StepName | null } | { kind: 'go' };
export type Answer =
  | { kind: 'ready' }
  | { kind: 'reached'; step: StepName }
  | { kind: 'done' }
  | { kind: 'failed'; why: string };

/** Far longer than anything that it is asked for takes: who says nothing for so long never will. */
const mostSilenceMs = 180_000;

let serial = 0;

/** A worker in a process of its own. It connects when it is first given something to do. */
export class Child {
  readonly name = `fault-worker-${process.pid}-${++serial}`;
  readonly #process: ChildProcess;
  readonly #watch: Database;
  readonly #ready: Promise<Answer>;
  readonly #exited: Promise<unknown>;
  #said = '';

  /**
   * @param file the worker's code, see `workerFile()`
   * @param url may set session parameters in its query, over those of a runner
   * @param watch a connection to the same server, to see what became of the child's own
   */
  constructor(file: string, url: string, watch: Database) {
    this.#watch = watch;
    // what it says is for people: the library of the queue traces every connection that it loses
    this.#process = fork(file, [url, this.name], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-4_000);
    });
    this.#exited = once(this.#process, 'exit');
    this.#ready = this.#answer();
    this.#ready.catch(() => {});
  }

  /** Does something, until its end or until it stands at a named point. */
  async do(work: Work, stopAt: StepName | null = null): Promise<Answer> {
    await this.#ready;
    return this.#ask({ kind: 'do', work, stopAt });
  }

  /** Lets it go on from where it stands. */
  go(): Promise<Answer> {
    return this.#ask({ kind: 'go' });
  }

  /** SIGKILL, and then every connection of it is gone, with whatever it had not committed. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
    await this.untilDisconnected();
  }

  /** Waits until the server has none of its connections any more. */
  async untilDisconnected(): Promise<void> {
    await expect.poll(() => this.backends(), { timeout: 60_000, interval: 10 }).toEqual([]);
  }

  /** Its connections, as the server sees them; the queue's are under another name. */
  backends(): Promise<{ pid: number; state: string | null; open: boolean }[]> {
    return rows(
      this.#watch,
      sql`select pid, state, xact_start is not null as open from pg_stat_activity
        where application_name = ${this.name} order by pid`,
    );
  }

  freeze(): void {
    this.#process.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process.kill('SIGCONT');
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await this.#exited;
  }

  #ask(order: Order): Promise<Answer> {
    const answer = this.#answer();
    this.#process.send(order);
    return new Promise((resolve, reject) => {
      const silent = setTimeout(() => this.#silence(order).then(reject), mostSilenceMs);
      answer.then(resolve, reject).finally(() => clearTimeout(silent));
    });
  }

  async #silence(order: Order): Promise<Error> {
    const connections = await this.backends().catch((error: unknown) => String(error));
    return new Error(
      [
        `${this.name} does not answer ${JSON.stringify(order)}`,
        `its connections: ${JSON.stringify(connections)}`,
        this.#said,
      ].join('\n'),
    );
  }

  async #answer(): Promise<Answer> {
    const died = this.#exited.then(() => {
      throw new Error(`${this.name} ended without an answer:\n${this.#said}`);
    });
    died.catch(() => {});
    const [answer] = (await Promise.race([once(this.#process, 'message'), died])) as [Answer];
    return answer;
  }
}

/** Starts workers ahead of need: a process takes a second until it can do anything. */
export class Children {
  readonly #all: Child[] = [];
  readonly #make: () => Child;
  #spare: Child;

  private constructor(make: () => Child) {
    this.#make = () => {
      const child = make();
      this.#all.push(child);
      return child;
    };
    this.#spare = this.#make();
  }

  /** @param url see `Child` */
  static async of(url: string, watch: Database): Promise<Children> {
    const file = await workerFile();
    return new Children(() => new Child(file, url, watch));
  }

  take(): Child {
    const child = this.#spare;
    this.#spare = this.#make();
    return child;
  }

  async end(): Promise<void> {
    await Promise.all(this.#all.map((child) => child.end()));
  }
}
