import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { type ApiClient, ApiError } from '@/lib/cli/interlock/api-client';
import { canonicalJson, sha256 } from '@/lib/digest/canonical';
import type { Mark } from './frames';
import { readUnpacked } from './inputs';
import { EventSender } from './send-batch';

/** How far a file is acknowledged. */
const fileSchema = z.object({
  /** Records before this mark are acknowledged or were bad. */
  records: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  digest: z.string(),
  /** Records before it that the API refused. */
  refused: z.array(z.number().int()),
  /** The last event before it: whether the log still has it says whether it is still that log. */
  probe: z.string(),
});

const stateSchema = z.object({ version: z.literal(1), files: z.record(z.string(), fileSchema) });

export type FileProgress = z.output<typeof fileSchema>;

/** A position in a file: so many records lie before the mark. */
export interface Reached {
  readonly records: number;
  readonly mark: Mark;
}

const SAVE_EVERY_MS = 1_000;
const MOST_REFUSED = 10_000;

/**
 * What an import remembers between runs, in one small file per server, source and mapping. Sending
 * everything again would be harmless; this only saves the time. So nothing in it is trusted: a file
 * whose beginning changed, and a log that does not know the last event, are read from the start.
 */
export class ResumeState {
  readonly #file: string;
  readonly #files: Map<string, FileProgress>;
  #saved = 0;
  #dirty = false;

  private constructor(file: string, files: Map<string, FileProgress>) {
    this.#file = file;
    this.#files = files;
  }

  /**
   * @param identity whatever makes other events of the same files: server, source, mapping
   */
  static async load(folder: string, source: string, identity: unknown): Promise<ResumeState> {
    const name = `${source}-${sha256(canonicalJson(identity)).slice(7, 23)}.json`;
    const file = path.join(folder, name);
    return new ResumeState(file, await readFiles(file));
  }

  /** How far the file was acknowledged, if it still begins with the same bytes; else null. */
  async progressOf(file: string): Promise<FileProgress | null> {
    const progress = this.#files.get(file);
    if (progress === undefined) return null;
    return (await digestOfPrefix(file, progress.bytes)) === progress.digest ? progress : null;
  }

  /** Whether the log has the last acknowledged event of every one of these files. */
  async isKnownTo(api: ApiClient, source: string, files: readonly string[]): Promise<boolean> {
    const probes = files.flatMap((file) => this.#files.get(file)?.probe ?? []);
    const sender = new EventSender(api, source);
    for (let at = 0; at < probes.length; at += 1_000) {
      const events = probes.slice(at, at + 1_000).map((json) => ({
        json,
        place: { path: '', line: 0, position: 0 },
        raw: () => json,
      }));
      try {
        const sent = await sender.send(events);
        if (sent.duplicates !== events.length) return false;
      } catch (error) {
        if (error instanceof ApiError && [409, 422].includes(error.answer.status)) return false;
        throw error;
      }
    }
    return true;
  }

  forget(files: readonly string[]): void {
    for (const file of files) this.#dirty = this.#files.delete(file) || this.#dirty;
  }

  /**
   * Notes that everything before a mark is acknowledged, but for the records that stand refused.
   *
   * @param probe the last acknowledged event before it; null where there was none since last time
   */
  advance(file: string, at: Reached, probe: string | null, refused: readonly number[]): void {
    const kept = probe ?? this.#files.get(file)?.probe;
    if (kept === undefined) return;
    this.#dirty = true;
    // A file full of refusals is not worth remembering.
    if (refused.length > MOST_REFUSED) this.#files.delete(file);
    else
      this.#files.set(file, {
        ...at.mark,
        records: at.records,
        refused: [...refused],
        probe: kept,
      });
  }

  /** Writes it out, beside and renamed, so that a kill leaves the old one or the new one. */
  async save(now: number, force = false): Promise<void> {
    if (!this.#dirty || (!force && now - this.#saved < SAVE_EVERY_MS)) return;
    this.#saved = now;
    this.#dirty = false;
    const state = { version: 1, files: Object.fromEntries(this.#files) };
    await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const beside = `${this.#file}.${process.pid}`;
    const handle = await open(beside, 'w', 0o600);
    try {
      await handle.writeFile(JSON.stringify(state));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, this.#file);
  }
}

async function readFiles(file: string): Promise<Map<string, FileProgress>> {
  try {
    const state = stateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    return new Map(Object.entries(state.files));
  } catch {
    // Missing, half a file, another version: reading everything again is always right.
    return new Map();
  }
}

/** SHA-256 of the first so many unpacked bytes; null where the file has fewer or cannot be read. */
async function digestOfPrefix(file: string, bytes: number): Promise<string | null> {
  const hash = createHash('sha256');
  let rest = bytes;
  try {
    for await (const chunk of readUnpacked(file)) {
      hash.update(chunk.subarray(0, rest));
      rest -= Math.min(rest, chunk.length);
      if (rest === 0) break;
    }
  } catch {
    return null;
  }
  return rest === 0 ? hash.digest('hex') : null;
}
