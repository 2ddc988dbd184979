import { createHash } from 'node:crypto';

/** One record as it stands in the file: its bytes without the line end, and where it began. */
export interface Frame {
  /** Line on which the record starts, counted from 1. */
  readonly line: number;
  readonly bytes: Buffer;
  /** Why these bytes are no record; they are then one physical line. */
  readonly problem?: string;
}

/** A position in the unpacked file that only whole records lie before. */
export interface Mark {
  readonly bytes: number;
  /** SHA-256, in hex, of all bytes before it: a file that was changed since has another. */
  readonly digest: string;
}

export interface FrameGroup {
  readonly frames: readonly Frame[];
  /** Behind the last of them. */
  readonly mark: Mark;
}

/** Where the next record ends. `more`: not in these bytes. */
export type Cut =
  | { readonly kind: 'more' }
  | { readonly kind: 'record'; readonly end: number; readonly next: number }
  | { readonly kind: 'problem'; readonly why: string };

/** Finds the end of the record that starts at `start`; `final` when no bytes follow. */
export type Cutter = (buffer: Buffer, start: number, final: boolean) => Cut;

/** More than an event may have in one call of the API, so a longer record can be no event. */
export const MAX_RECORD_BYTES = 8 * 1024 * 1024;

/** How far behind a record's end a cutter may want to see; where chunks end must not matter. */
const LOOKAHEAD = 2;
const LF = 10;
const CR = 13;

/** The input is not what its format says, as a whole; nothing more of it can be read. */
export class UnreadableInput extends Error {
  override readonly name = 'UnreadableInput';
}

/**
 * Cuts a stream of bytes into records, group by group, in constant memory.
 *
 * A record that cannot be cut (a quote that is never closed, a line without end) is given out as
 * its first physical line with the problem, and reading goes on with the next line: one broken
 * line must not swallow those behind it.
 */
export async function* readFrames(
  chunks: AsyncIterable<Buffer>,
  cut: Cutter,
): AsyncGenerator<FrameGroup> {
  const hash = createHash('sha256');
  const state: State = { buffer: Buffer.alloc(0), line: 1, skipping: false };
  let bytes = 0;
  let opened = false;

  const take = (final: boolean): FrameGroup => {
    const { frames, consumed } = framesOf(state, cut, final);
    hash.update(state.buffer.subarray(0, consumed));
    bytes += consumed;
    state.buffer = state.buffer.subarray(consumed);
    return { frames, mark: { bytes, digest: hash.copy().digest('hex') } };
  };
  /** Three bytes are needed to know a byte order mark; it belongs to no record. */
  const open = () => {
    opened = true;
    const length = byteOrderMark(state.buffer);
    hash.update(state.buffer.subarray(0, length));
    bytes += length;
    state.buffer = state.buffer.subarray(length);
  };

  for await (const chunk of chunks) {
    state.buffer = state.buffer.length === 0 ? chunk : Buffer.concat([state.buffer, chunk]);
    if (!opened && state.buffer.length < 3) continue;
    if (!opened) open();
    const group = take(false);
    if (group.frames.length > 0) yield group;
  }
  if (!opened) open();
  yield take(true);
}

function byteOrderMark(buffer: Buffer): number {
  if (buffer.length >= 2 && [0xfffe, 0xfeff].includes(buffer.readUInt16BE(0))) {
    throw new UnreadableInput('the file is UTF-16; convert it to UTF-8 first');
  }
  return buffer.length >= 3 && buffer.readUIntBE(0, 3) === 0xefbbbf ? 3 : 0;
}

interface State {
  buffer: Buffer;
  line: number;
  /** Inside a line that was given up as too long. */
  skipping: boolean;
}

function framesOf(
  state: State,
  cut: Cutter,
  final: boolean,
): { frames: Frame[]; consumed: number } {
  const { buffer } = state;
  const frames: Frame[] = [];
  let at = 0;
  while (at < buffer.length) {
    if (state.skipping) {
      const end = buffer.indexOf(LF, at);
      if (end < 0) return { frames, consumed: buffer.length };
      state.skipping = false;
      state.line += 1;
      at = end + 1;
      continue;
    }
    const found = cut(buffer, at, final);
    if (found.kind === 'record' && found.end - at <= MAX_RECORD_BYTES) {
      frames.push({ line: state.line, bytes: withoutCr(buffer, at, found.end) });
      state.line += linesIn(buffer, at, found.next);
      at = found.next;
      continue;
    }
    if (found.kind === 'more' && buffer.length - at <= MAX_RECORD_BYTES + LOOKAHEAD) break;
    const problem =
      found.kind === 'problem'
        ? found.why
        : `the record that starts here has no end within ${MAX_RECORD_BYTES} bytes`;
    const end = buffer.indexOf(LF, at);
    const stop = end < 0 ? buffer.length : end;
    frames.push({ line: state.line, bytes: withoutCr(buffer, at, stop), problem });
    if (end < 0) {
      state.skipping = !final;
      return { frames, consumed: buffer.length };
    }
    state.line += 1;
    at = end + 1;
  }
  return { frames, consumed: at };
}

/** One record a line: JSON Lines. */
export const cutLines: Cutter = (buffer, start, final) => {
  const end = buffer.indexOf(LF, start);
  if (end >= 0) return { kind: 'record', end, next: end + 1 };
  return final ? { kind: 'record', end: buffer.length, next: buffer.length } : { kind: 'more' };
};

function withoutCr(buffer: Buffer, start: number, end: number): Buffer {
  return buffer.subarray(start, end > start && buffer[end - 1] === CR ? end - 1 : end);
}

function linesIn(buffer: Buffer, start: number, end: number): number {
  let lines = 0;
  for (let at = buffer.indexOf(LF, start); at >= 0 && at < end; at = buffer.indexOf(LF, at + 1)) {
    lines += 1;
  }
  return lines;
}
