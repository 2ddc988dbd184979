import { numericText } from '@/lib/digest/value-bytes';
import { type Column, columnTypeOf } from '@/lib/domain/column';

/** A row as the API gives it. */
export type ApiRow = Readonly<Record<string, unknown>>;

/** The texts of a row's declared columns, as the row encoding takes them; null is NULL. */
export function valueTexts(columns: readonly Column[], row: ApiRow): (string | null)[] {
  return columns.map(({ name, type }) => {
    const value = row[name];
    if (value === undefined) throw new RangeError(`a row has no column ${name}`);
    if (value === null) return null;
    return columnTypeOf(type).base === 'jsonb' ? jsonbText(value) : String(value);
  });
}

/**
 * A row's `_key`, as the database makes it: the key column's text, or with several a jsonb array of
 * their texts. Instants are PostgreSQL's text in UTC, numerics without trailing zeros.
 */
export function keyText(columns: readonly Column[], key: readonly string[], row: ApiRow): string {
  const texts = key.map((name) => {
    const type = columns.find((column) => column.name === name)?.type ?? 'text';
    const value = row[name];
    if (value === null || value === undefined) throw new RangeError(`a row has no key ${name}`);
    return keyPart(columnTypeOf(type).base, String(value));
  });
  const [only] = texts;
  return texts.length === 1 && only !== undefined ? only : jsonbText(texts);
}

function keyPart(base: string, text: string): string {
  if (base === 'numeric') return numericText(text);
  return base === 'timestamptz' ? text.replace('T', ' ').replace(/Z$/, '+00') : text;
}

/**
 * PostgreSQL's text of a jsonb value: members by length of their names and then by bytes, a blank
 * after each comma and colon, numbers written out. Zeros behind a number's last decimal are gone
 * from JSON before we see it, so such a value's root cannot be told from here.
 */
export function jsonbText(value: unknown): string {
  if (typeof value === 'number') return numericText(String(value));
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .map(([name, member]) => ({ name, bytes: Buffer.from(name), member }))
    .sort((a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes));
  return `{${members.map(({ name, member }) => `${JSON.stringify(name)}: ${jsonbText(member)}`).join(', ')}}`;
}
