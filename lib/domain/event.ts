import * as z from 'zod';
import { type Column, type ColumnType, columnTypeOf } from './column';
import { textOf, validateTyped } from './column-value';
import { type Instant, readInstant } from './instant';
import { isObject, type Json, pointerOf } from './json';
import { Invalid, type Issue, TooLarge } from './refusal';
import type { SourceShape } from './source';
import { parseInput } from './zod-issues';

/** At most so many events in one call. */
export const MOST_EVENTS = 10_000;
/** A key is part of an index entry, which PostgreSQL bounds to about 2,700 bytes. */
const MOST_KEY_BYTES = 1024;
const EVENT_ID = /^[^\p{C}]{1,256}$/u;
/** After so many issues of one batch the rest is not looked for. */
const MOST_ISSUES = 100;

/**
 * A business fact in canonical form. `key` is the canonical text of the key column, or with
 * several a JSON array of their texts. `payload` has every column of the source; a delete has
 * none.
 */
export type SourceEvent = {
  eventId: string;
  key: string;
  revision: number;
  op: 'upsert' | 'delete';
  eventTime: Instant | null;
  payload: Record<string, Json> | null;
};

/** The form of one event of `POST /sources/{name}/events`; its columns are the source's. */
export const eventSchema = z.strictObject({
  eventId: z
    .string()
    .regex(EVENT_ID, 'An event id has 1 to 256 characters, none of them a control character.'),
  key: z
    .union([
      z.string(),
      z.number(),
      z.boolean(),
      z.array(z.union([z.string(), z.number(), z.boolean()])),
    ])
    .nullish(),
  revision: z.union([
    z.int().min(1),
    z
      .string()
      .regex(/^[1-9]\d{0,15}$/)
      .transform(Number)
      .pipe(z.int()),
  ]),
  op: z.enum(['upsert', 'delete']),
  eventTime: z.string().nullish(),
  payload: z.record(z.string(), z.unknown()).nullish(),
});

export const eventBatchSchema = z.strictObject({ events: z.array(eventSchema).max(MOST_EVENTS) });

const envelopeSchema = z.strictObject({ events: z.array(z.unknown()) });

/**
 * Reads the body of `POST /sources/{name}/events`. All or nothing: `Invalid` names index and
 * field of every bad event (the first hundred issues), `TooLarge` a batch over the limit.
 */
export function parseEvents(source: SourceShape, body: unknown): SourceEvent[] {
  const { events } = parseInput(envelopeSchema, body);
  if (events.length > MOST_EVENTS) {
    throw new TooLarge(`One call takes at most ${MOST_EVENTS} events, not ${events.length}.`);
  }
  const read: SourceEvent[] = [];
  const issues: Issue[] = [];
  for (const [index, raw] of events.entries()) {
    const result = readEvent(source, raw, `/events/${index}`);
    if (result.ok) read.push(result.event);
    else issues.push(...result.issues);
    if (issues.length >= MOST_ISSUES) break;
  }
  if (issues.length > 0) throw new Invalid(issues.slice(0, MOST_ISSUES));
  return read;
}

export type EventRead = { ok: true; event: SourceEvent } | { ok: false; issues: Issue[] };

/** Reads one event of a source; `base` is the JSON pointer at which it stands. */
export function readEvent(source: SourceShape, raw: unknown, base = ''): EventRead {
  let shape: z.output<typeof eventSchema>;
  try {
    shape = parseInput(eventSchema, raw, base);
  } catch (error) {
    if (error instanceof Invalid) return { ok: false, issues: [...error.issues] };
    throw error;
  }
  // The payload as it came, so that a key named __proto__ is still seen as one.
  const payload = isObject(raw) && isObject(raw.payload) ? raw.payload : null;
  const reading = new Reading(source, base);
  if (shape.op === 'upsert' && payload === null) {
    reading.fault(['payload'], 'An upsert carries its payload.', 'REQUIRED');
  }
  const values = reading.payload(payload ?? {});
  const key = reading.key(shape.key, values);
  const eventTime = reading.eventTime(shape.eventTime, values);
  if (shape.op === 'upsert' && payload !== null) reading.complete(values);
  if (reading.issues.length > 0 || key === null) return { ok: false, issues: reading.issues };
  return {
    ok: true,
    event: {
      eventId: shape.eventId,
      key,
      revision: shape.revision,
      op: shape.op,
      eventTime,
      payload: shape.op === 'delete' ? null : Object.fromEntries(values),
    },
  };
}

/**
 * What an event says, for the content digest: two events of one content are one fact, however
 * their numbers, times and fields were spelt. The event id is its name, not its content.
 */
export function contentOf({ key, revision, op, eventTime, payload }: SourceEvent): Json {
  return { key, revision, op, eventTime, payload };
}

/** One key text of the canonical texts of the key columns. */
export function keyOf(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] as string) : JSON.stringify(texts);
}

type Values = Map<string, Json>;
type Typed = Column & { parsed: ColumnType };

/** Parsed columns by source: a batch reads thousands of values of the same few types. */
const prepared = new WeakMap<SourceShape, Map<string, Typed>>();

function columnsOf(source: SourceShape): Map<string, Typed> {
  let columns = prepared.get(source);
  if (columns === undefined) {
    columns = new Map(source.columns.map((c) => [c.name, { ...c, parsed: columnTypeOf(c.type) }]));
    prepared.set(source, columns);
  }
  return columns;
}

class Reading {
  readonly issues: Issue[] = [];
  readonly #source: SourceShape;
  readonly #base: string;
  readonly #columns: Map<string, Typed>;

  constructor(source: SourceShape, base: string) {
    this.#source = source;
    this.#base = base;
    this.#columns = columnsOf(source);
  }

  fault(path: readonly PropertyKey[], message: string, code: Issue['code'] = 'INVALID_INPUT') {
    this.issues.push({ pointer: this.#base + pointerOf(path), code, message });
  }

  /** Canonical values of the columns that the payload has; NULLs are judged in `complete`. */
  payload(payload: Record<string, unknown>): Values {
    const values: Values = new Map();
    for (const [name, raw] of Object.entries(payload)) {
      const column = this.#columns.get(name);
      if (column === undefined) {
        this.fault(['payload', name], 'The source has no such column.', 'UNKNOWN_FIELD');
        continue;
      }
      if (raw === null || raw === undefined) {
        values.set(name, null);
        continue;
      }
      const read = validateTyped(column.parsed, raw);
      if (read.ok) values.set(name, read.value);
      else this.fault(['payload', name], `${name}: ${read.message}`, read.code);
    }
    return values;
  }

  /** The key, from where it was given; fills the payload's key columns from it. */
  key(given: z.output<typeof eventSchema>['key'], values: Values): string | null {
    const { key } = this.#source;
    const parts = this.#givenParts(given);
    if (parts === undefined) return null;
    const texts: string[] = [];
    for (const [index, name] of key.entries()) {
      const { parsed } = this.#columns.get(name) as Typed;
      const held = values.get(name) ?? null;
      if (parts !== null) {
        const read = validateTyped(parsed, parts[index]);
        if (!read.ok) {
          this.fault(['key'], `${name}: ${read.message}`, read.code);
          return null;
        }
        const said = read.value as Exclude<Json, null>;
        if (held !== null && textOf(held) !== textOf(said)) {
          this.fault(
            ['key'],
            `The key says ${name} = ${textOf(said)}, the payload ${textOf(held)}.`,
            'KEY_DISAGREES',
          );
          return null;
        }
        values.set(name, said);
        texts.push(textOf(said));
      } else if (held !== null) {
        texts.push(textOf(held));
      } else {
        // A payload value that was there and bad has been named already.
        if (this.issues.length === 0) {
          this.fault(
            ['key'],
            `Key column ${name} is neither in key nor in the payload.`,
            'REQUIRED',
          );
        }
        return null;
      }
    }
    const text = keyOf(texts);
    if (new TextEncoder().encode(text).length > MOST_KEY_BYTES) {
      this.fault(['key'], `A key has at most ${MOST_KEY_BYTES} bytes.`);
      return null;
    }
    return text;
  }

  /** The given key by columns: null if none was given, undefined if it has the wrong form. */
  #givenParts(given: z.output<typeof eventSchema>['key']): unknown[] | null | undefined {
    const count = this.#source.key.length;
    if (given === null || given === undefined) return null;
    if (count === 1) {
      if (!Array.isArray(given)) return [given];
    } else {
      const list = typeof given === 'string' ? parsedList(given) : given;
      if (Array.isArray(list) && list.length === count) return list;
    }
    const form = count === 1 ? 'one text' : `a JSON array of ${count} texts`;
    this.fault(['key'], `The key is ${this.#source.key.join(', ')}: ${form}.`);
    return undefined;
  }

  /** The event's time, from the field or the column that the source names for it. */
  eventTime(given: string | null | undefined, values: Values): Instant | null {
    const column = this.#source.eventTime;
    const held = column === null ? null : ((values.get(column) ?? null) as Instant | null);
    if (given === null || given === undefined) return held;
    const read = readInstant(given);
    if (!read.ok) {
      this.fault(['eventTime'], read.message, read.code);
      return null;
    }
    if (held !== null && held !== read.value) {
      this.fault(
        ['eventTime'],
        `eventTime is ${read.value}, the payload's ${column} ${held}.`,
        'TIME_DISAGREES',
      );
    } else if (column !== null) {
      values.set(column, read.value);
    }
    return read.value;
  }

  /** Fills what was left out with NULL, and names what may not be NULL. */
  complete(values: Values) {
    for (const { name, nullable } of this.#source.columns) {
      if ((values.get(name) ?? null) !== null) continue;
      values.set(name, null);
      const named = this.issues.some((i) => i.pointer.startsWith(`${this.#base}/payload/${name}`));
      if (!nullable && !named && !this.#source.key.includes(name)) {
        this.fault(['payload', name], `${name} may not be NULL.`, 'REQUIRED');
      }
    }
  }
}

function parsedList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
