import type { Cut, Cutter } from './frames';

/**
 * CSV after RFC 4180, read by ourselves: `csv-parse` counts a CRLF inside quotes as two lines and
 * says where a record ends, not where it starts; and after one broken quote it takes the rest of
 * the file for that field. Here such a line is one bad line, with its number.
 */
export interface Dialect {
  /** One ASCII character. */
  readonly delimiter: string;
  /** One ASCII character, or null where quotes have no meaning. */
  readonly quote: string | null;
}

const LF = 10;
const CR = 13;

/** Cuts records: a line end inside quotes belongs to its field. */
export function csvCutter({ delimiter, quote }: Dialect): Cutter {
  const separator = delimiter.charCodeAt(0);
  const mark = quote === null ? null : quote.charCodeAt(0);
  // Found once and kept while the same buffer is cut: most records have no quote at all.
  let searched: Buffer | null = null;
  let nextQuote = -1;
  const hasQuote = (buffer: Buffer, start: number, end: number): boolean => {
    if (mark === null) return false;
    if (searched !== buffer || (nextQuote >= 0 && nextQuote < start)) {
      searched = buffer;
      nextQuote = buffer.indexOf(mark, start);
    }
    return nextQuote >= 0 && nextQuote < end;
  };
  return (buffer, start, final) => {
    const lineEnd = buffer.indexOf(LF, start);
    const end = lineEnd < 0 ? buffer.length : lineEnd;
    if (mark !== null && hasQuote(buffer, start, end)) {
      return cutQuoted(buffer, start, final, separator, mark);
    }
    if (lineEnd >= 0) return { kind: 'record', end, next: end + 1 };
    return final ? { kind: 'record', end, next: end } : { kind: 'more' };
  };
}

function cutQuoted(
  buffer: Buffer,
  start: number,
  final: boolean,
  separator: number,
  mark: number,
): Cut {
  let at = start;
  for (;;) {
    // At the start of a field.
    if (buffer[at] === mark) {
      const close = closingQuote(buffer, at + 1, mark);
      if (close < 0) {
        return final
          ? { kind: 'problem', why: 'a quote is opened here and never closed' }
          : { kind: 'more' };
      }
      at = close + 1;
      // What follows decides whether it was a closing quote, half an escaped one, or an error.
      if (!final && at + 1 >= buffer.length) return { kind: 'more' };
      if (buffer[at] === CR && (buffer[at + 1] === LF || at + 1 === buffer.length)) at += 1;
    } else {
      while (at < buffer.length && buffer[at] !== separator && buffer[at] !== LF) {
        if (buffer[at] === mark) {
          return { kind: 'problem', why: 'a quote stands inside a field that is not quoted' };
        }
        at += 1;
      }
    }
    if (at >= buffer.length) {
      return final ? { kind: 'record', end: at, next: at } : { kind: 'more' };
    }
    if (buffer[at] === LF) return { kind: 'record', end: at, next: at + 1 };
    if (buffer[at] !== separator) {
      return { kind: 'problem', why: 'text follows a closing quote' };
    }
    at += 1;
  }
}

/** The quote that closes a field; two in a row stand for one and do not close it. */
function closingQuote(buffer: Buffer, from: number, mark: number): number {
  let at = buffer.indexOf(mark, from);
  while (at >= 0 && buffer[at + 1] === mark) at = buffer.indexOf(mark, at + 2);
  return at;
}

/**
 * The fields of one record that `csvCutter` cut, decoded. Blanks are kept, `""` is one quote.
 *
 * @returns null where a carriage return stands outside quotes: a line end that is none of ours
 */
export function csvFields(text: string, { delimiter, quote }: Dialect): string[] | null {
  if (quote === null || !text.includes(quote)) {
    return text.includes('\r') ? null : text.split(delimiter);
  }
  const fields: string[] = [];
  const doubled = quote + quote;
  for (let at = 0; ; ) {
    if (text[at] === quote) {
      let close = text.indexOf(quote, at + 1);
      while (close >= 0 && text[close + 1] === quote) close = text.indexOf(quote, close + 2);
      fields.push(text.slice(at + 1, close).replaceAll(doubled, quote));
      at = close + 1;
    } else {
      const found = text.indexOf(delimiter, at);
      const end = found < 0 ? text.length : found;
      const field = text.slice(at, end);
      if (field.includes('\r')) return null;
      fields.push(field);
      at = end;
    }
    if (at >= text.length) return fields;
    at += delimiter.length;
  }
}
