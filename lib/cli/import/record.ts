import { BadLine } from './bad-line';
import { type ExactJson, JsonNumber } from './exact-json';
import type { Part } from './mapping';

/** One record of a file, by the names of its columns. */
export interface SourceRecord {
  /** Base name of the file, without `.gz`: unpacking a file must not change its keys. */
  readonly file: string;
  /** Its position among the file's records, counted from 1; a bad one counts too. */
  readonly position: number;
  /** Undefined where it has no such column. */
  readonly get: (column: string) => ExactJson | undefined;
}

/** What `$…` may stand for besides columns, in an event id. */
export type PartNames = Readonly<Record<string, string>>;

/** What a column, `$file` or `$line` is in a record. */
export function lookUp(record: SourceRecord, name: string): ExactJson | undefined {
  if (name === '$file') return record.file;
  if (name === '$line') return String(record.position);
  return record.get(name);
}

/** A scalar's text as it stands in the file; null where it is missing, NULL or empty. */
export function scalarText(value: ExactJson | undefined): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string') return value;
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === 'boolean') return String(value);
  throw new BadLine('INVALID_INPUT', 'an object or a list cannot be part of a key');
}

/**
 * The text of a key or an event id made of parts. One part is its own text; several are joined by
 * `:`, with `:` and `%` inside them written as in a URL, so that no two lists give one text.
 *
 * @throws BadLine `NULL_KEY` where a part is empty
 */
export function joinParts(
  parts: readonly Part[],
  record: SourceRecord,
  names: PartNames = {},
): string {
  const texts = parts.map((part) => partText(part, record, names));
  const [only] = texts;
  if (texts.length === 1 && only !== undefined) return only;
  return texts.map((text) => text.replaceAll('%', '%25').replaceAll(':', '%3A')).join(':');
}

export function partText(part: Part, record: SourceRecord, names: PartNames = {}): string {
  if (typeof part !== 'string') return part.const;
  const text = names[part] ?? scalarText(lookUp(record, part));
  if (text === null) throw new BadLine('NULL_KEY', `${part} is empty, and it is part of the key`);
  return text;
}

/** The columns of a file that parts read. */
export function columnsOf(parts: readonly Part[] | undefined): string[] {
  return (parts ?? []).filter(
    (part) => typeof part === 'string' && !part.startsWith('$'),
  ) as string[];
}
