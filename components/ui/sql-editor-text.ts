/** Pure text work of the SQL editor: places, marks, indentation. Lines and columns are 1-based. */

export interface SqlMark {
  line: number;
  column: number;
  message: string;
  /** How many characters to mark; by default the word that begins there. */
  length?: number;
}

/** Index in the text of a place; past a line's end it is the line's end, past the text its end. */
export function indexOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let at = 1; at < line; at += 1) {
    const next = text.indexOf('\n', start);
    if (next < 0) return text.length;
    start = next + 1;
  }
  const end = text.indexOf('\n', start);
  return Math.min(start + Math.max(0, column - 1), end < 0 ? text.length : end);
}

/** The stretch that a mark covers: the word from its place on, at least one character. */
export function markRange(text: string, mark: SqlMark): { from: number; to: number } {
  const from = indexOf(text, mark.line, mark.column);
  if (mark.length !== undefined) return { from, to: Math.min(text.length, from + mark.length) };
  const word = /^[\p{L}\p{N}_$.]+|^"[^"\n]*"?|^'[^'\n]*'?/u.exec(text.slice(from))?.[0] ?? '';
  return { from, to: from + Math.max(1, word.length) };
}

/** The text cut at the marks, in order; overlapping marks keep the first. */
export function markedParts(
  text: string,
  marks: readonly SqlMark[],
): { text: string; mark?: SqlMark }[] {
  const ranges = marks
    .map((mark) => ({ mark, ...markRange(text, mark) }))
    .sort((a, b) => a.from - b.from || a.to - b.to);
  const parts: { text: string; mark?: SqlMark }[] = [];
  let at = 0;
  for (const { mark, from, to } of ranges) {
    if (from < at) continue;
    if (from > at) parts.push({ text: text.slice(at, from) });
    // At a line's end there is no character to mark; a space stands for it.
    const covered = text.slice(from, to);
    const atEnd = covered === '' || covered.startsWith('\n');
    parts.push({ text: atEnd ? ' ' : covered, mark });
    at = atEnd ? from : to;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

export interface Edited {
  text: string;
  from: number;
  to: number;
}

/** Moves the lines of the selection two spaces in or out, keeping the same words selected. */
export function indented(text: string, from: number, to: number, out: boolean): Edited {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const last = text.indexOf('\n', Math.max(to - 1, from));
  const end = last < 0 ? text.length : last;
  let first = 0;
  let all = 0;
  const lines = text.slice(start, end).split('\n');
  const moved = lines.map((line, at) => {
    const taken = out ? (/^ {1,2}|^\t/.exec(line)?.[0].length ?? 0) : -2;
    if (at === 0) first = -taken;
    all -= taken;
    return out ? line.slice(taken) : `  ${line}`;
  });
  return {
    text: text.slice(0, start) + moved.join('\n') + text.slice(end),
    from: Math.max(start, from + first),
    to: Math.max(start, to + all),
  };
}

/** A new line that begins where the line before it begins. */
export function brokenLine(text: string, from: number, to: number): Edited {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(start, from))?.[0] ?? '';
  const place = from + 1 + indent.length;
  return { text: `${text.slice(0, from)}\n${indent}${text.slice(to)}`, from: place, to: place };
}
