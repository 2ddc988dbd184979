import { once } from 'node:events';
import { env } from '@/lib/env';
import { ApiClient } from './api-client';

/** The world as the command line sees it; tests give another one. */
export interface Io {
  /** To stdout; settles when more may be written. */
  write(text: string): Promise<void>;
  /** A line to stderr. */
  say(line: string): void;
  /** Whether somebody watches stderr: only then are bars drawn. */
  readonly watched: boolean;
  /** The API, by the settings. */
  api(): ApiClient;
  /** Folder for what is remembered between runs. */
  readonly dataFolder: string;
}

/** The process's own streams and settings. */
export function processIo(): Io {
  return {
    async write(text) {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    },
    say: (line) => {
      process.stderr.write(`${line}\n`);
    },
    watched: process.stderr.isTTY === true,
    api: () => {
      const { INTERLOCK_URL, INTERLOCK_TOKEN, PORT } = env();
      return new ApiClient({
        url: INTERLOCK_URL ?? `http://127.0.0.1:${PORT}`,
        token: INTERLOCK_TOKEN,
      });
    },
    get dataFolder() {
      return env().INTERLOCK_DATA;
    },
  };
}
