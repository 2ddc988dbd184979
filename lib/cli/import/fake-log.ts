import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** For tests: the part of the API that an import talks to, with a log in memory. */

interface LogEvent {
  readonly eventId: string;
  readonly revision: number;
  readonly op: string;
  readonly key?: string;
  readonly payload?: Record<string, unknown>;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

export interface FakeLogOptions {
  /** The answer of `GET /sources/{name}`. */
  readonly source: {
    readonly name: string;
    readonly columns: readonly object[];
    readonly key: readonly string[];
  };
  /** Asked before each batch is taken; an answer stands instead. */
  readonly before?: (
    events: readonly LogEvent[],
    call: number,
  ) => Reply | Promise<Reply | null> | null;
}

export class FakeLog {
  readonly events = new Map<string, LogEvent>();
  /** Sizes of the batches that came in, refused ones too. */
  readonly batches: number[] = [];
  readonly #server: Server;

  private constructor(private readonly options: FakeLogOptions) {
    this.#server = createServer((request, response) => {
      void this.#serve(request, response);
    });
  }

  static async start(options: FakeLogOptions): Promise<FakeLog> {
    const log = new FakeLog(options);
    await new Promise<void>((resolve) => log.#server.listen(0, '127.0.0.1', resolve));
    return log;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body, headers } = await this.#reply(request);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  }

  async #reply(request: IncomingMessage): Promise<Reply> {
    const path = `/api/v1/sources/${this.options.source.name}`;
    if (request.headers.authorization !== 'Bearer ilk_test') return problem(401, 'UNAUTHENTICATED');
    if (request.method === 'GET' && request.url === path) {
      return { status: 200, body: this.options.source };
    }
    if (request.method !== 'POST' || request.url !== `${path}/events`)
      return problem(404, 'NOT_FOUND');
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { events } = JSON.parse(Buffer.concat(parts).toString()) as { events: LogEvent[] };
    this.batches.push(events.length);
    return (await this.options.before?.(events, this.batches.length)) ?? this.#append(events);
  }

  #append(events: readonly LogEvent[]): Reply {
    const conflicts = events.flatMap((event, i) => {
      const known = this.events.get(event.eventId);
      return known && JSON.stringify(known) !== JSON.stringify(event) ? [i] : [];
    });
    if (conflicts.length > 0) return conflict(conflicts);
    const duplicates = events.filter(({ eventId }) => this.events.has(eventId)).length;
    for (const event of events) this.events.set(event.eventId, event);
    return {
      status: 200,
      body: { accepted: events.length - duplicates, duplicates, stale: 0, offsets: {} },
    };
  }
}

export function problem(status: number, code: string, more: object = {}): Reply {
  return { status, body: { title: code, detail: `${code} it is.`, status, code, ...more } };
}

function conflict(indexes: readonly number[]): Reply {
  const blockers = indexes.slice(0, 100).map((i) => ({
    code: 'EVENT_CONFLICT',
    kind: 'fix',
    message: 'The log holds it with other content.',
    pointer: `/events/${i}`,
  }));
  return problem(409, 'EVENT_CONFLICT', { blockers });
}
