import { type Column, columnTypeOf, readColumnType } from '@/lib/domain/column';
import { validateValue } from '@/lib/domain/column-value';
import { BadLine } from './bad-line';
import { type ExactJson, JsonNumber } from './exact-json';
import { localReader } from './local-time';
import { type ColumnMapping, type Mapping, MappingError } from './mapping';
import { joinParts, lookUp, partText, type SourceRecord } from './record';
import type { NamedSource } from './source-shape';
import { type ApiValue, jsonFromText, valueReader } from './value';

/** How one column of the source gets its value from a record. */
export interface ColumnReader {
  readonly column: Column;
  /** The file's column that it reads; null for keys, constants, `$file` and `$line`. */
  readonly from: string | null;
  /** Whether the mapping names `from`, so that a file without it is an error. */
  readonly asked: boolean;
  /** @throws BadLine */
  readonly read: (record: SourceRecord) => ApiValue;
}

/**
 * One reader for each column of the source, in its order.
 *
 * A column that the mapping does not name is read by its own name. Where the mapping has a `key`,
 * that gives the key columns: part by part, or joined where the source has one key column.
 *
 * @throws MappingError where mapping and source do not fit; each fault is a line
 */
export function columnReaders(
  mapping: Mapping,
  source: NamedSource,
  format: 'csv' | 'jsonl',
): ColumnReader[] {
  const faults = unfitting(mapping, source);
  const readers: ColumnReader[] = [];
  for (const column of source.columns) {
    try {
      readers.push(
        mapping.key && source.key.includes(column.name)
          ? keyReader(mapping, mapping.key, source, column)
          : columnReader(mapping, column, format, source.key.includes(column.name)),
      );
    } catch (error) {
      if (!(error instanceof MappingError)) throw error;
      faults.push(error.message);
    }
  }
  if (faults.length > 0) throw new MappingError([...new Set(faults)].join('\n'));
  return readers;
}

function unfitting(mapping: Mapping, source: NamedSource): string[] {
  const known = new Set(source.columns.map((column) => column.name));
  return Object.keys(mapping.columns).flatMap((target) => {
    if (!known.has(target)) return [`columns.${target}: the source has no such column`];
    return mapping.key && source.key.includes(target)
      ? [`columns.${target}: it is a key column, and key says already what it is`]
      : [];
  });
}

function keyReader(
  mapping: Mapping,
  parts: NonNullable<Mapping['key']>,
  source: NamedSource,
  column: Column,
): ColumnReader {
  const columns = source.key.length;
  if (columns > 1 && columns !== parts.length) {
    const names = source.key.join(', ');
    throw new MappingError(
      `key: has ${parts.length} parts, the source has ${columns} key columns: ${names}`,
    );
  }
  const part = parts[source.key.indexOf(column.name)];
  const { disambiguation, zone = null } = mapping;
  const convert = valueReader({ type: column.type, zone, disambiguation });
  const text = (record: SourceRecord) =>
    columns === 1 || part === undefined ? joinParts(parts, record) : partText(part, record);
  const read = (record: SourceRecord) => named(column.name, () => convert(text(record)));
  return { column, from: null, asked: true, read };
}

function columnReader(
  mapping: Mapping,
  column: Column,
  format: 'csv' | 'jsonl',
  isKey: boolean,
): ColumnReader {
  const rule: ColumnMapping = mapping.columns[column.name] ?? {};
  const { base } = columnTypeOf(column.type);
  checkType(rule, column);
  const convert = valueReader({
    type: column.type,
    zone: rule.zone ?? mapping.zone ?? null,
    disambiguation: rule.disambiguation ?? mapping.disambiguation,
    ...(rule.format === undefined ? {} : { local: localReader(rule.format) }),
  });
  // Two lines without a key are not one fact, so an empty text is no key unless it is said to be.
  const kept = base === 'text' && !isKey ? '' : null;
  const empty = rule.empty === undefined ? kept : rule.empty;
  const read = (found: ExactJson | undefined): ApiValue => {
    const text = rule.trim && typeof found === 'string' ? found.trim() : found;
    const filled = text === '' ? empty : (text ?? null);
    const isJson = base === 'jsonb' && format === 'csv' && typeof filled === 'string';
    return convert(isJson ? jsonFromText(filled) : filled);
  };

  if (rule.const !== undefined) {
    const constant = constantOf(rule.const, column, read);
    return { column, from: null, asked: true, read: () => constant };
  }
  const from = rule.from ?? column.name;
  return {
    column,
    from: from === '$file' || from === '$line' ? null : from,
    asked: rule.from !== undefined,
    read: (record) => named(column.name, () => read(lookUp(record, from))),
  };
}

function checkType(rule: ColumnMapping, column: Column): void {
  if (rule.type === undefined) return;
  const at = `columns.${column.name}.type`;
  const type = readColumnType(rule.type);
  if (type === null) {
    throw new MappingError(`${at}: ${JSON.stringify(rule.type)} is not a column type`);
  }
  if (type.base !== columnTypeOf(column.type).base) {
    throw new MappingError(`${at}: ${rule.type}, but the source declares ${column.type}`);
  }
}

function constantOf(
  value: string | number | boolean | null,
  column: Column,
  read: (found: ExactJson) => ApiValue,
): ApiValue {
  const at = `columns.${column.name}.const`;
  try {
    const constant = read(typeof value === 'number' ? new JsonNumber(String(value)) : value);
    const checked = validateValue(column, constant);
    if (checked.ok) return constant;
    throw new MappingError(`${at}: ${checked.message}`);
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    throw new MappingError(`${at}: ${error.message}`);
  }
}

/** Puts the column's name before what is wrong with its value. */
function named<T>(column: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BadLine) throw new BadLine(error.code, `${column}: ${error.message}`);
    throw error;
  }
}
