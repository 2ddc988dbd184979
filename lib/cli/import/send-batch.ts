import * as z from 'zod';
import {
  type Answer,
  type ApiClient,
  ApiError,
  CliError,
  type Patience,
  type Problem,
  pathOf,
} from '@/lib/cli/interlock/api-client';

/** A line of a file. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly position: number;
}

export interface PlacedEvent {
  readonly place: Place;
  /** JSON text of the event. */
  readonly json: string;
  readonly raw: () => string;
}

export interface Refusal {
  readonly event: PlacedEvent;
  readonly code: string;
  readonly reason: string;
}

/** What became of a batch: three disjoint counts, and the lines that the API refused. */
export interface Sent {
  accepted: number;
  duplicates: number;
  stale: number;
  refused: Refusal[];
}

const answerSchema = z.object({
  accepted: z.number().int(),
  duplicates: z.number().int(),
  stale: z.number().int(),
});

/** A batch is refused as a whole; after so many refusals by name it is halved instead. */
const ROUNDS_BEFORE_HALVING = 3;
/** Refusals that name no event come from what all have in common: no use in trying each. */
const MOST_UNNAMED = 20;

/** Nobody waits for a single batch, and an import of hours should outlast a restart of the server. */
const PATIENCE: Patience = {
  pauses: [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000],
  forServer: true,
};

/** Sends batches of events to one source, and finds the lines that spoil one. */
export class EventSender {
  readonly #api: ApiClient;
  readonly #path: string;
  readonly #patience: Patience;
  #unnamed = 0;

  constructor(api: ApiClient, source: string, patience: Patience = PATIENCE) {
    this.#api = api;
    this.#patience = patience;
    this.#path = `${pathOf('sources', source)}/events`;
  }

  /**
   * Sends events until each is acknowledged or refused. The API takes a batch whole or not at all;
   * so what it refuses by name is taken out and the rest sent again, or the batch is halved until
   * the event is alone.
   *
   * @throws CliError where the server does not take events at all
   */
  async send(events: readonly PlacedEvent[], rounds = 0): Promise<Sent> {
    if (events.length === 0) return nothing();
    try {
      return counts(await this.#post(events));
    } catch (error) {
      if (!isAboutEvents(error)) throw error;
      return this.#without(events, error, rounds);
    }
  }

  async #without(events: readonly PlacedEvent[], error: ApiError, rounds: number): Promise<Sent> {
    const named = refusedEvents(error.problem, events);
    if (named.size === 0) return this.#halves(events, error);
    const rest = events.filter((event) => !named.has(event));
    const sent =
      rounds < ROUNDS_BEFORE_HALVING || rest.length < 2
        ? await this.send(rest, rounds + 1)
        : await this.#both(rest);
    sent.refused.push(...named.values());
    return sent;
  }

  async #halves(events: readonly PlacedEvent[], error: ApiError): Promise<Sent> {
    const [only] = events;
    if (events.length > 1 || only === undefined) return this.#both(events);
    this.#unnamed += 1;
    if (this.#unnamed > MOST_UNNAMED) throw error;
    const { code = `HTTP_${error.answer.status}`, detail, title } = error.problem;
    return {
      ...nothing(),
      refused: [{ event: only, code, reason: detail ?? title ?? error.message }],
    };
  }

  async #both(events: readonly PlacedEvent[]): Promise<Sent> {
    const middle = Math.ceil(events.length / 2);
    const first = await this.send(events.slice(0, middle));
    return add(first, await this.send(events.slice(middle)));
  }

  #post(events: readonly PlacedEvent[]): Promise<Answer> {
    const body = `{"events":[${events.map(({ json }) => json).join(',')}]}`;
    return this.#api.persist({ method: 'POST', path: this.#path, body }, this.#patience);
  }
}

export function nothing(): Sent {
  return { accepted: 0, duplicates: 0, stale: 0, refused: [] };
}

export function add(to: Sent, more: Sent): Sent {
  to.accepted += more.accepted;
  to.duplicates += more.duplicates;
  to.stale += more.stale;
  to.refused.push(...more.refused);
  return to;
}

function counts(answer: Answer): Sent {
  const parsed = answerSchema.safeParse(answer.body);
  if (!parsed.success) throw new CliError('the server acknowledged a batch in an unknown form');
  return { ...nothing(), ...parsed.data };
}

/** Whether an answer speaks of the events, and not of the caller, the source or the server. */
function isAboutEvents(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { status } = error.answer;
  return (
    status === 413 || status === 422 || (status === 409 && error.problem.code === 'EVENT_CONFLICT')
  );
}

function refusedEvents(
  problem: Problem,
  events: readonly PlacedEvent[],
): Map<PlacedEvent, Refusal> {
  const refused = new Map<PlacedEvent, Refusal>();
  for (const fault of [...(problem.issues ?? []), ...(problem.blockers ?? [])]) {
    const index = /^\/events\/(\d+)(?:\/(.*))?$/.exec(fault.pointer ?? '');
    const event = index ? events[Number(index[1])] : undefined;
    if (!index || !event || refused.has(event)) continue;
    const at = index[2] ? `${index[2].replaceAll('/', '.')}: ` : '';
    const reason = fault.message ?? problem.detail ?? 'refused';
    refused.set(event, {
      event,
      code: fault.code ?? problem.code ?? 'INVALID_INPUT',
      reason: at + reason,
    });
  }
  return refused;
}
