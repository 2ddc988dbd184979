import { MOST_EVENTS } from '@/lib/domain/event';
import type { Reached } from './resume';
import type { PlacedEvent } from './send-batch';

/** A body of the API may not be larger. */
export const MOST_BYTES = 8 * 1024 * 1024;

const ENVELOPE_BYTES = '{"events":[]}'.length;

/** Events that go out together, and the marks of the files that are reached once they are in. */
export interface Batch {
  readonly events: readonly PlacedEvent[];
  readonly reached: ReadonlyMap<string, Reached>;
}

/** Collects events into batches that the API takes. */
export class Batcher {
  readonly #limit: number;
  #events: PlacedEvent[] = [];
  #reached = new Map<string, Reached>();
  #bytes = ENVELOPE_BYTES;

  constructor(limit: number) {
    this.#limit = Math.min(limit, MOST_EVENTS);
  }

  /** Whether the event is small enough to be sent at all. */
  static fits(json: string): boolean {
    return Buffer.byteLength(json) + ENVELOPE_BYTES <= MOST_BYTES;
  }

  /** Adds an event; answers the batch that was full before it, if it was. */
  add(event: PlacedEvent): Batch | null {
    const bytes = Buffer.byteLength(event.json) + 1;
    const full =
      this.#events.length >= this.#limit ||
      (this.#events.length > 0 && this.#bytes + bytes - 1 > MOST_BYTES);
    const batch = full ? this.take() : null;
    this.#events.push(event);
    this.#bytes += bytes;
    return batch;
  }

  /** Every event of the file before the mark was added. */
  reach(file: string, reached: Reached): void {
    this.#reached.set(file, reached);
  }

  take(): Batch {
    const batch = { events: this.#events, reached: this.#reached };
    this.#events = [];
    this.#reached = new Map();
    this.#bytes = ENVELOPE_BYTES;
    return batch;
  }
}
