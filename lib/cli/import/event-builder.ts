import type { SourceEvent } from '@/lib/domain/event';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { BadLine } from './bad-line';
import { type BuiltEvent, finishedEvent } from './finished-event';
import { localReader } from './local-time';
import { type Mapping, MappingError } from './mapping';
import { type ColumnReader, columnReaders } from './payload';
import { columnsOf, joinParts, lookUp, type SourceRecord, scalarText } from './record';
import type { NamedSource } from './source-shape';
import { valueReader } from './value';

export interface FileFacts {
  /** As `$file` says it. */
  readonly name: string;
  readonly format: 'csv' | 'jsonl';
  /** The header's names; null where each record has its own (JSON Lines). */
  readonly columns: readonly string[] | null;
}

export interface EventBuilder {
  /** Whether an event takes anything from this column of the file. */
  readonly uses: (column: string) => boolean;
  /** @throws BadLine where the record cannot become an event */
  readonly build: (record: SourceRecord) => BuiltEvent;
}

/**
 * Turns the records of one file into events. The same record always gives the same event, whenever
 * and in whatever order it is read, so that sending it twice is harmless.
 *
 * @throws MappingError where mapping, source and file do not fit
 */
export function eventBuilder(mapping: Mapping, source: NamedSource, file: FileFacts): EventBuilder {
  const readers = columnReaders(mapping, source, file.format);
  const keyReaders = readersByName(readers, source.key);
  const timeReader = readers.find(({ column }) => column.name === source.eventTime);
  const revisionOf = revisionReader(mapping, file);
  const opOf = opReader(mapping);
  const used = usedColumns(mapping, readers);
  if (file.columns !== null) checkColumns(used, file.columns);
  const known = new Set(used.map(({ name }) => name));

  const build = (record: SourceRecord): BuiltEvent => {
    const op = opOf(record);
    const revision = revisionOf(record);
    // Of a line that deletes only key and time are read: nothing else of it is a fact.
    const taken = op === 'delete' ? [...keyReaders, ...withValue(timeReader, record)] : readers;
    const payload = Object.fromEntries(
      taken.map(({ column, read }) => [column.name, read(record)]),
    );
    return finishedEvent(source, { revision, op, payload }, (event) => idOf(event, record));
  };
  const idOf = ({ key, revision, op }: SourceEvent, record: SourceRecord): string =>
    mapping.eventId
      ? joinParts(mapping.eventId, record, { $key: key, $revision: String(revision), $op: op })
      : `${key}@${revision}`;
  return { uses: (column) => known.has(column), build };
}

function readersByName(readers: readonly ColumnReader[], names: readonly string[]): ColumnReader[] {
  return names.map((name) => {
    const reader = readers.find(({ column }) => column.name === name);
    if (!reader) throw new MappingError(`the source's key column ${name} is not among its columns`);
    return reader;
  });
}

/** The reader, where the record has something for it to read. */
function withValue(reader: ColumnReader | undefined, record: SourceRecord): ColumnReader[] {
  if (!reader) return [];
  return reader.from === null || scalarText(lookUp(record, reader.from)) !== null ? [reader] : [];
}

function revisionReader(mapping: Mapping, file: FileFacts): (record: SourceRecord) => string {
  const rule = mapping.revision;
  if (typeof rule === 'number') return () => String(rule);
  if (rule === '$line') return (record) => String(record.position);
  if ('file' in rule) {
    const revision = revisionOfName(file.name, rule.file);
    return () => revision;
  }
  const read = valueReader({
    type: rule.type === 'integer' ? 'bigint' : 'timestamptz',
    zone: rule.zone ?? mapping.zone ?? null,
    disambiguation: rule.disambiguation ?? mapping.disambiguation,
    ...(rule.format === undefined ? {} : { local: localReader(rule.format) }),
  });
  return (record) => {
    const text = scalarText(lookUp(record, rule.from));
    if (text === null) throw new BadLine('INVALID_INPUT', `revision: ${rule.from} is empty`);
    const value = read(text) as string;
    const revision = rule.type === 'integer' ? value : microsOf(value as Instant).toString();
    if (/^[1-9]\d*$/.test(revision)) return revision;
    throw new BadLine('INVALID_INPUT', `revision: ${JSON.stringify(text)} is no positive integer`);
  };
}

/** What the pattern's groups, or else the whole match, hold of the file's name, as one number. */
function revisionOfName(name: string, pattern: string): string {
  const match = new RegExp(pattern).exec(name);
  if (match === null) throw new MappingError(`revision: ${pattern} is not in the name ${name}`);
  const digits = (match.length > 1 ? match.slice(1) : match).join('');
  if (!/^\d{1,18}$/.test(digits) || BigInt(digits) < 1n) {
    throw new MappingError(`revision: ${pattern} gives ${JSON.stringify(digits)} of ${name}`);
  }
  return BigInt(digits).toString();
}

function opReader(mapping: Mapping): (record: SourceRecord) => 'upsert' | 'delete' {
  const rule = mapping.op;
  if (typeof rule === 'string') return () => rule;
  const { column, equals, startsWith } = rule.when;
  return (record) => {
    const text = scalarText(lookUp(record, column)) ?? '';
    const holds = equals?.includes(text) ?? startsWith?.some((start) => text.startsWith(start));
    return holds ? rule.then : rule.else;
  };
}

interface Used {
  readonly name: string;
  /** For what: the field of the mapping that names it. */
  readonly by: string;
  readonly required: boolean;
}

function usedColumns(mapping: Mapping, readers: readonly ColumnReader[]): Used[] {
  const { key, eventId, revision, op } = mapping;
  const named = (by: string, names: readonly string[]) =>
    names.map((name): Used => ({ name, by, required: true }));
  return [
    ...readers.flatMap(({ column, from, asked }): Used[] =>
      from === null
        ? []
        : [{ name: from, by: `columns.${column.name}`, required: asked || !column.nullable }],
    ),
    ...named('key', columnsOf(key)),
    ...named('eventId', columnsOf(eventId)),
    ...named('revision', typeof revision === 'object' && 'from' in revision ? [revision.from] : []),
    ...named('op', typeof op === 'object' ? [op.when.column] : []),
  ];
}

function checkColumns(used: readonly Used[], columns: readonly string[]): void {
  const missing = used.filter(({ name, required }) => required && !columns.includes(name));
  const twice = used.filter(({ name }) => columns.filter((each) => each === name).length > 1);
  const faults = [
    ...missing.map(({ name, by }) => `it has no column ${JSON.stringify(name)} (${by})`),
    ...twice.map(({ name, by }) => `it has the column ${JSON.stringify(name)} twice (${by})`),
  ];
  if (faults.length === 0) return;
  const has = columns.map((name) => JSON.stringify(name)).join(', ');
  throw new MappingError(`${[...new Set(faults)].join('\n')}\nits columns are ${has}`);
}
