import { numericText } from '@/lib/digest/value-bytes';
import { type ColumnType, columnTypeOf } from '@/lib/domain/column';
import { readInstant } from '@/lib/domain/instant';
import { BadLine } from './bad-line';
import { type ExactJson, JsonNumber, parseExact } from './exact-json';
import { type Disambiguation, instantOfLocal, type LocalReader, readIsoLocal } from './local-time';

/** How a column's texts are read. */
export interface ValueRule {
  /** As the source declares it. */
  readonly type: string;
  /** Zone of instants that carry no offset; null: such a value is refused. */
  readonly zone: string | null;
  readonly disambiguation: Disambiguation;
  /** Reads instants without an offset; ISO unless the mapping gives a pattern. */
  readonly local?: LocalReader;
}

/** A value as the API may be given it; whether it fits its column is for `readEvent` to say. */
export type ApiValue = unknown;

export type ValueReader = (value: ExactJson) => ApiValue;

const BOOLEANS = new Map<string, boolean>([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((text) => [text, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((text) => [text, false] as const),
]);

/**
 * A reader of one column's values, from a field's text or a JSON value: instants get their offset,
 * numbers go on as their text, so that no float ever stands between. Nothing is rounded or guessed.
 */
export function valueReader(rule: ValueRule): ValueReader {
  const type = columnTypeOf(rule.type);
  const instant = type.base === 'timestamptz' ? instantReader(rule) : null;
  return (value) => {
    if (instant && typeof value === 'string') return instant(value);
    return value === null ? null : apiValue(type, value);
  };
}

/** A JSON text in a CSV field is the value that it writes. */
export function jsonFromText(text: string): ExactJson {
  try {
    return parseExact(text);
  } catch {
    throw new BadLine('INVALID_INPUT', `${JSON.stringify(text.slice(0, 60))} is not JSON`);
  }
}

/** A value of a column; booleans may be written in words, and a text column takes scalars. */
export function apiValue(type: ColumnType, value: ExactJson): ApiValue {
  if (type.base === 'jsonb') return plainJson(value);
  if (type.base === 'boolean') {
    const text = value instanceof JsonNumber ? value.text : value;
    return typeof text === 'string' ? (BOOLEANS.get(text.toLowerCase()) ?? text) : text;
  }
  if (value instanceof JsonNumber) return value.text;
  if (type.base === 'text' && typeof value === 'boolean') return String(value);
  return typeof value === 'object' && value !== null ? plainJson(value) : value;
}

/** Inside jsonb a number is kept as a double, so it must be one. */
export function plainJson(value: ExactJson): unknown {
  if (value instanceof JsonNumber) {
    const number = Number(value.text);
    const exact =
      Number.isFinite(number) && numericText(String(number)) === numericText(value.text);
    if (exact) return number;
    throw new BadLine('INVALID_INPUT', `the number ${value.text} would not be kept exactly`);
  }
  if (Array.isArray(value)) return value.map(plainJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plainJson(item)]));
}

function instantReader({ zone, disambiguation, local }: ValueRule): (text: string) => string {
  const readLocal = local ?? readIsoLocal;
  // Lines of one invoice carry one time, so the last answer is asked for again and again.
  let lastText: string | null = null;
  let last = '';
  const instantOf = (text: string): string => {
    const clock = readLocal(text);
    if (clock !== null && zone !== null) return instantOfLocal(clock, zone, disambiguation, text);
    const read = readInstant(text);
    if (read.ok) return read.value;
    if (clock === null) throw new BadLine('INVALID_INPUT', unreadable(text, local));
    throw new BadLine(
      'AMBIGUOUS_TIME',
      `${JSON.stringify(text)} has no offset from UTC; name its zone in the mapping`,
    );
  };
  return (text) => {
    if (text !== lastText) {
      last = instantOf(text);
      lastText = text;
    }
    return last;
  };
}

function unreadable(text: string, local: LocalReader | undefined): string {
  const shown = JSON.stringify(text.slice(0, 60));
  return local === undefined
    ? `${shown} is not an instant`
    : `${shown} is no time of the mapping's format, and no instant`;
}
