import {
  type BigIntStats,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { RangeFault } from './fault';
import { checkFits, type Figures } from './figures';
import { amountOf, BrokenLine } from './order-line';

/** A line this long is no order: without a limit, a file without line ends would fill the memory. */
const MAX_LINE_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const LF = 10;

/** A partition as it was read, and how its file could be told from a later one. */
export interface Measured {
  readonly figures: Figures;
  readonly version: string;
}

/** The raw partitions: a folder of files `dt=YYYY-MM-DD.jsonl`. */
export class Partitions {
  constructor(readonly folder: string) {}

  pathOf(dt: string): string {
    return path.join(this.folder, `dt=${dt}.jsonl`);
  }

  has(dt: string): boolean {
    return existsSync(this.pathOf(dt));
  }

  /** Tells one content of a partition's file from another; null where there is no file. */
  versionOf(dt: string): string | null {
    const stats = statSync(this.pathOf(dt), { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : versionIn(stats);
  }

  /**
   * Counts a partition: `orders` is its number of lines, `amount` their sum. Reads line by line,
   * in constant memory.
   *
   * @returns null where there is no file
   * @throws RangeFault naming the file and the line that is not what it should be
   */
  measure(dt: string): Measured | null {
    const file = this.pathOf(dt);
    const name = path.basename(file);
    let fd: number;
    try {
      fd = openSync(file, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    try {
      const before = fstatSync(fd, { bigint: true });
      if (!before.isFile()) throw new RangeFault(`${name} is not a file`);
      const figures = count(fd, name, dt);
      checkFits(figures, name);
      const version = versionIn(before);
      if (versionIn(fstatSync(fd, { bigint: true })) !== version) {
        throw new RangeFault(`${name} was being written while it was read; run again`);
      }
      return { figures, version };
    } finally {
      closeSync(fd);
    }
  }
}

function versionIn(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs].join(':');
}

function count(fd: number, name: string, dt: string): Figures {
  let orders = 0n;
  let amount = 0n;
  let line = 0;
  let blank = 0;
  const fail = (why: string) => new RangeFault(`${name} line ${line}: ${why}`);
  for (const bytes of linesOf(fd)) {
    line += 1;
    if (bytes === null) throw fail(`longer than ${MAX_LINE_BYTES} bytes`);
    const text = textOf(bytes);
    if (text === null) throw fail('not UTF-8');
    if (text.trim() === '') {
      blank ||= line;
      continue;
    }
    if (blank > 0) {
      line = blank;
      throw fail('empty, although lines follow');
    }
    try {
      amount += amountOf(text, dt);
      orders += 1n;
    } catch (error) {
      throw error instanceof BrokenLine ? fail(error.message) : error;
    }
  }
  return { orders, amount };
}

/** The lines of a file without their ends; null for one that is too long, and then no more. */
function* linesOf(fd: number): Generator<Buffer | null> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  for (;;) {
    const read = readSync(fd, chunk, 0, CHUNK_BYTES, null);
    if (read === 0) break;
    let bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF)) {
      yield bytes.subarray(0, end);
      bytes = bytes.subarray(end + 1);
    }
    rest = bytes;
    if (rest.length > MAX_LINE_BYTES) {
      yield null;
      return;
    }
  }
  if (rest.length > 0) yield rest;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function textOf(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
