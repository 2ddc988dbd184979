import { createReadStream, type Dirent } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UnreadableInput } from './frames';
import { MappingError } from './mapping';

export type Format = 'csv' | 'jsonl';

export interface InputFile {
  /** As it was asked for, for messages. */
  readonly path: string;
  /** Base name without `.gz`. */
  readonly name: string;
  /** As it lies on the disk, packed or not. */
  readonly bytes: number;
  readonly format: Format;
}

export interface Inputs {
  readonly files: readonly InputFile[];
  /** Files of the folders that are of no known kind. */
  readonly leftOut: readonly string[];
}

const FORMATS: Record<string, Format> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};
const CHUNK = 256 * 1024;

/**
 * The files behind a list of paths. Folders are entered, their files taken in byte order of their
 * paths; what begins with a dot is not looked at. In a folder with files of a known kind the others
 * are left out, and named; in one without any, all are taken if a format is given.
 *
 * @throws MappingError where a path is not there, or a format cannot be told
 */
export async function findInputs(
  paths: readonly string[],
  format: Format | undefined,
): Promise<Inputs> {
  const files = new Map<string, InputFile>();
  const leftOut: string[] = [];
  for (const given of paths) {
    const found = await stat(given).catch(() => null);
    if (found === null) throw new MappingError(`there is no file or folder ${given}`);
    const list = found.isDirectory() ? await filesBelow(given) : [given];
    const known = list.filter((file) => formatOfName(file) !== undefined);
    const taken = found.isDirectory() && (known.length > 0 || !format) ? known : list;
    leftOut.push(...list.filter((file) => !taken.includes(file)));
    if (taken.length === 0)
      throw new MappingError(`there is no CSV or JSON Lines file in ${given}`);
    for (const file of taken) {
      const kind = format ?? formatOfName(file);
      if (!kind) throw new MappingError(`${file}: say --format csv or --format jsonl`);
      const real = await realpath(file);
      if (files.has(real)) continue;
      const { size } = await stat(file);
      files.set(real, { path: file, name: inputName(file), bytes: size, format: kind });
    }
  }
  return { files: [...files.values()], leftOut };
}

/** `$file`: the base name; `.gz` is how the file is kept, not what it is called. */
export function inputName(file: string): string {
  return path.basename(file).replace(/\.gz$/i, '');
}

function formatOfName(file: string): Format | undefined {
  return FORMATS[path.extname(inputName(file)).toLowerCase()];
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const visible = entries.filter((entry) => !entry.name.startsWith('.'));
  visible.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  const nested = await Promise.all(visible.map((entry) => filesOf(folder, entry)));
  return nested.flat();
}

async function filesOf(folder: string, entry: Dirent): Promise<string[]> {
  const at = path.join(folder, entry.name);
  if (entry.isDirectory()) return filesBelow(at);
  if (entry.isFile()) return [at];
  return entry.isSymbolicLink() && (await stat(at).catch(() => null))?.isFile() ? [at] : [];
}

/**
 * The unpacked bytes of a file. Whether it is packed is told by its first two bytes, not its name.
 * `onRead` hears how many bytes were read from the disk.
 *
 * @throws UnreadableInput where the file is cut off or damaged inside its packing
 */
export async function* readUnpacked(
  file: string,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer> {
  const packed = await isGzip(file);
  const raw = createReadStream(file, { highWaterMark: CHUNK });
  raw.on('data', (chunk) => onRead(chunk.length));
  const source = packed
    ? pipeline(raw, createGunzip({ chunkSize: CHUNK }), () => {
        // The reader below gets the error itself; without this it would be thrown at nobody.
      })
    : raw;
  try {
    for await (const chunk of source) yield chunk as Buffer;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UnreadableInput(
      packed ? `the gzip stream breaks off: ${error.message}` : error.message,
    );
  } finally {
    raw.destroy();
  }
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const head = Buffer.alloc(2);
    const { bytesRead } = await handle.read(head, 0, 2, 0);
    return bytesRead === 2 && head.readUInt16BE(0) === 0x1f8b;
  } finally {
    await handle.close();
  }
}
