import { columnTypeOf } from '@/lib/domain/column';
import { BadLine } from './bad-line';
import { type ExactJson, JsonNumber } from './exact-json';
import { type BuiltEvent, finishedEvent } from './finished-event';
import type { NamedSource } from './source-shape';
import { apiValue, plainJson } from './value';

const MEMBERS = ['eventId', 'key', 'revision', 'op', 'eventTime', 'payload'];

type JsonObject = { readonly [name: string]: ExactJson };

/**
 * Whether a JSON Lines record is an event as the API takes it, rather than a row: it says its own
 * id, revision and operation, and the source has no columns of those names.
 */
export function isWholeEvent(record: ExactJson, source: NamedSource): record is JsonObject {
  if (!isObject(record)) return false;
  if (source.columns.some(({ name }) => MEMBERS.includes(name))) return false;
  return ['eventId', 'revision', 'op'].every((name) => Object.hasOwn(record, name));
}

/** A reader of such records. @returns a function that throws BadLine where one is no event */
export function wholeEventReader(source: NamedSource): (record: JsonObject) => BuiltEvent {
  const types = new Map(source.columns.map(({ name, type }) => [name, columnTypeOf(type)]));
  const readPayload = (payload: JsonObject) =>
    Object.fromEntries(
      Object.entries(payload).map(([name, value]) => {
        const type = types.get(name);
        return [name, type === undefined ? plainJson(value) : apiValue(type, value)];
      }),
    );
  return (record) => {
    const { eventId, payload, revision, ...rest } = record;
    if (typeof eventId !== 'string') throw new BadLine('INVALID_INPUT', 'eventId: it is no text');
    const raw = {
      ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, plainJson(value)])),
      revision: revision instanceof JsonNumber ? revision.text : revision,
      ...(payload === undefined
        ? {}
        : { payload: isObject(payload) ? readPayload(payload) : payload }),
    };
    return finishedEvent(source, raw, () => eventId);
  };
}

function isObject(value: ExactJson): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonNumber)
  );
}
