import { eventSchema, readEvent, type SourceEvent } from '@/lib/domain/event';
import { BadLine } from './bad-line';
import type { NamedSource } from './source-shape';

/** An event as the API takes it, ready to be sent. */
export interface BuiltEvent {
  readonly eventId: string;
  readonly json: string;
}

/**
 * Reads an event with the function that the server reads it with, so that what it would refuse a
 * whole batch for is found here, with its line. `eventId` may depend on the key that is read.
 *
 * @throws BadLine with everything that is wrong
 */
export function finishedEvent(
  source: NamedSource,
  raw: { readonly [member: string]: unknown },
  eventId: (event: SourceEvent) => string,
): BuiltEvent {
  const read = readEvent(source, { eventId: '-', ...raw });
  if (!read.ok) {
    const [first] = read.issues;
    const what = read.issues.map(({ pointer, message }) => {
      const field = pointer.split('/').at(-1) ?? '';
      return field === '' || message.includes(field) ? message : `${field}: ${message}`;
    });
    throw new BadLine(first?.code ?? 'INVALID_INPUT', what.join('; '));
  }
  const { event } = read;
  const id = eventId(event);
  const checked = eventSchema.shape.eventId.safeParse(id);
  if (!checked.success) {
    throw new BadLine('INVALID_INPUT', checked.error.issues[0]?.message ?? 'no event id');
  }
  const { key, revision, op, eventTime, payload } = event;
  // A payload holds key and time; a delete has none, so it says by itself whom it is about.
  const rest =
    payload === null ? { key, ...(eventTime === null ? {} : { eventTime }) } : { payload };
  return { eventId: id, json: JSON.stringify({ eventId: id, revision, op, ...rest }) };
}
