import { isUtf8 } from 'node:buffer';
import { BadLine } from './bad-line';
import { csvCutter, csvFields, type Dialect } from './csv';
import { type ExactJson, JsonNumber, parseExact } from './exact-json';
import {
  cutLines,
  type Frame,
  type FrameGroup,
  type Mark,
  readFrames,
  UnreadableInput,
} from './frames';
import type { Format } from './inputs';
import type { Mapping } from './mapping';

/** The values of one record, by the names of its columns. */
export interface RecordValues {
  readonly get: (column: string) => ExactJson | undefined;
  readonly names: readonly string[];
  /** The object of a JSON Lines record; a CSV record has none. */
  readonly object?: ExactJson;
}

export interface FileRecord {
  /** Line on which it starts, counted from 1, the header's line too. */
  readonly line: number;
  /** Counted from 1: the header and blank lines do not count, bad records do. */
  readonly position: number;
  /** The text as it stands, for the report. */
  readonly raw: () => string;
  /** @throws BadLine */
  readonly values: () => RecordValues;
}

export interface RecordGroup {
  readonly records: readonly FileRecord[];
  readonly mark: Mark;
}

export interface OpenFile {
  /** Names of the CSV's columns; null for JSON Lines, and for an empty file. */
  readonly columns: readonly string[] | null;
  readonly groups: AsyncIterable<RecordGroup>;
}

type Decode = (bytes: Buffer) => string | null;
type Read = (frame: Frame) => RecordValues;

/**
 * Opens a file and reads its header, if it has one.
 *
 * @throws UnreadableInput where the header cannot be read
 */
export async function openRecords(
  format: Format,
  mapping: Mapping,
  bytes: AsyncIterable<Buffer>,
): Promise<OpenFile> {
  const decode = decoderOf(mapping.encoding);
  if (format === 'jsonl') {
    const read: Read = (frame) => jsonValues(textOf(frame, decode));
    return { columns: null, groups: recordGroups(readFrames(bytes, cutLines), read, isBlankLine) };
  }
  const dialect: Dialect = mapping;
  const frames = readFrames(bytes, csvCutter(dialect));
  const { columns, groups } = await takeHeader(frames, mapping.header, dialect, decode);
  const index = new Map(columns?.map((name, i) => [name, i]));
  const read: Read = (frame) => csvValues(textOf(frame, decode), dialect, columns ?? [], index);
  // In a file of one column a blank line is a record whose value is empty.
  const isNothing = (frame: Frame) => frame.bytes.length === 0 && columns?.length !== 1;
  return { columns, groups: recordGroups(groups, read, isNothing) };
}

async function takeHeader(
  frames: AsyncGenerator<FrameGroup>,
  given: readonly string[] | undefined,
  dialect: Dialect,
  decode: Decode,
): Promise<{ columns: readonly string[] | null; groups: AsyncIterable<FrameGroup> }> {
  if (given) return { columns: given, groups: frames };
  const first = await frames.next();
  const head = first.done ? undefined : first.value.frames[0];
  if (first.done || head === undefined) return { columns: null, groups: frames };
  try {
    const columns = headerOf(head, dialect, decode);
    return { columns, groups: withoutFirst(first.value, frames) };
  } catch (error) {
    await frames.return(undefined);
    throw error;
  }
}

async function* withoutFirst(
  group: FrameGroup,
  rest: AsyncIterable<FrameGroup>,
): AsyncGenerator<FrameGroup> {
  yield { ...group, frames: group.frames.slice(1) };
  yield* rest;
}

function headerOf(frame: Frame, dialect: Dialect, decode: Decode): string[] {
  const text = frame.problem === undefined ? decode(frame.bytes) : null;
  const names = text === null ? null : csvFields(text, dialect);
  if (names !== null) return names;
  const why =
    frame.problem ??
    (text === null ? 'it is not UTF-8' : 'lines end with a lone carriage return; convert them');
  throw new UnreadableInput(`the header cannot be read: ${why}`);
}

async function* recordGroups(
  groups: AsyncIterable<FrameGroup>,
  read: Read,
  isNothing: (frame: Frame) => boolean,
): AsyncGenerator<RecordGroup> {
  let position = 0;
  for await (const { frames, mark } of groups) {
    const records: FileRecord[] = [];
    for (const frame of frames) {
      if (frame.problem === undefined && isNothing(frame)) continue;
      position += 1;
      records.push({
        line: frame.line,
        position,
        raw: () => frame.bytes.toString('utf8'),
        values: () => read(frame),
      });
    }
    yield { records, mark };
  }
}

function isBlankLine({ bytes }: Frame): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function textOf(frame: Frame, decode: Decode): string {
  if (frame.problem !== undefined) throw new BadLine('INVALID_INPUT', frame.problem);
  const text = decode(frame.bytes);
  if (text === null) {
    throw new BadLine(
      'INVALID_INPUT',
      'it is not UTF-8; if that is right, the mapping can name the encoding',
    );
  }
  return text;
}

function csvValues(
  text: string,
  dialect: Dialect,
  columns: readonly string[],
  index: ReadonlyMap<string, number>,
): RecordValues {
  const fields = csvFields(text, dialect);
  if (fields === null) {
    throw new BadLine('INVALID_INPUT', 'a carriage return stands outside quotes');
  }
  if (fields.length !== columns.length) {
    throw new BadLine(
      'INVALID_INPUT',
      `it has ${fields.length} fields, the header has ${columns.length}`,
    );
  }
  return { names: columns, get: (name) => fields[index.get(name) ?? -1] };
}

function jsonValues(text: string): RecordValues {
  const object = parseJson(text);
  if (
    typeof object !== 'object' ||
    object === null ||
    Array.isArray(object) ||
    object instanceof JsonNumber
  ) {
    throw new BadLine('INVALID_INPUT', 'it is JSON, but not an object');
  }
  return {
    names: Object.keys(object),
    get: (name) => (Object.hasOwn(object, name) ? object[name] : undefined),
    object,
  };
}

function parseJson(text: string): ExactJson {
  try {
    return parseExact(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new BadLine('INVALID_INPUT', `it is not JSON: ${error.message}`);
  }
}

function decoderOf(encoding: Mapping['encoding']): Decode {
  if (encoding === 'utf-8') return (bytes) => (isUtf8(bytes) ? bytes.toString('utf8') : null);
  if (encoding === 'latin1') return (bytes) => bytes.toString('latin1');
  const decoder = new TextDecoder(encoding);
  return (bytes) => decoder.decode(bytes);
}
