import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import type { Place } from './send-batch';

export interface Fault {
  readonly place: Place;
  readonly code: string;
  readonly reason: string;
  readonly raw: () => string;
}

const MOST_RAW = 100_000;

/** Reports each bad line: to people as `file:line: reason (CODE)`, and to a file as JSON Lines. */
export class BadLines {
  readonly #say: (line: string) => void;
  readonly #rejects: WriteStream | null;
  #failure: Error | null = null;
  count = 0;

  constructor(say: (line: string) => void, rejects: string | undefined) {
    this.#say = say;
    this.#rejects = rejects === undefined ? null : createWriteStream(rejects);
    this.#rejects?.on('error', (error) => {
      this.#failure = error;
    });
  }

  async report({ place, code, reason, raw }: Fault): Promise<void> {
    this.count += 1;
    this.#say(`${place.path}:${place.line}: ${reason.replace(/\.$/, '')} (${code})`);
    if (this.#rejects === null) return;
    const { path: file, line, position: record } = place;
    const entry = { file, line, record, code, reason, raw: raw().slice(0, MOST_RAW) };
    if (!this.#rejects.write(`${JSON.stringify(entry)}\n`)) await once(this.#rejects, 'drain');
    if (this.#failure) throw this.#failure;
  }

  async close(): Promise<void> {
    if (this.#rejects === null) return;
    await new Promise<void>((resolve) => this.#rejects?.end(resolve));
    if (this.#failure) throw this.#failure;
  }
}
