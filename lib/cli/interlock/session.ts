import type { Command } from 'commander';
import { EXIT } from '@/lib/domain/refusal';
import type { Answer, ApiClient } from './api-client';
import type { Io } from './io';
import { jsonText } from './print';

/** One run of the command line: its world, how it answers, and how it ends. */
export class Session {
  json = false;
  exitCode: number = EXIT.ok;
  readonly io: Io;
  #api: ApiClient | null = null;

  constructor(io: Io) {
    this.io = io;
  }

  get api(): ApiClient {
    this.#api ??= this.io.api();
    return this.#api;
  }

  /** Prints an answer: as it came with `--json`, else as `text` says it for people. */
  async show<T>(answer: Answer, text: (body: T) => string): Promise<void> {
    await this.io.write(this.json ? jsonText(answer) : text(answer.body as T));
  }

  /** Prints what the command line itself found out. */
  async showOwn<T>(value: T, text: (value: T) => string): Promise<void> {
    await this.io.write(this.json ? `${JSON.stringify(value)}\n` : text(value));
  }
}

/** `--json`, which every command that answers has. */
export function withJson(command: Command): Command {
  return command.option('--json', "print the API's answer");
}
