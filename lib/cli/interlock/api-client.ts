import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { EXIT, exitCodeOf } from '@/lib/domain/refusal';

/** What went wrong, with the exit code that says so. */
export class CliError extends Error {
  override readonly name: string = 'CliError';

  constructor(
    message: string,
    readonly exitCode: number = EXIT.failure,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A problem as the API writes it (RFC 9457), as far as this side reads it. */
export interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly requestId?: string;
  readonly blockers?: readonly ProblemBlocker[];
  readonly issues?: readonly ProblemIssue[];
}

export interface ProblemBlocker {
  readonly code: string;
  readonly kind: string;
  readonly message: string;
  readonly pointer?: string;
}

export interface ProblemIssue {
  readonly pointer: string;
  readonly code?: string;
  readonly message?: string;
  readonly detail?: string;
  readonly line?: number;
  readonly column?: number;
}

export interface Answer {
  readonly status: number;
  /** The body as it came: `--json` prints it unchanged. */
  readonly text: string;
  /** The body parsed, or null where it is none. */
  readonly body: unknown;
  readonly headers: Headers;
}

/** An answer that is not a success. */
export class ApiError extends CliError {
  override readonly name = 'ApiError';
  readonly problem: Problem;

  constructor(readonly answer: Answer) {
    const problem = isProblem(answer.body) ? answer.body : {};
    const what = problem.detail ?? problem.title ?? `the server answered ${answer.status}`;
    super(
      problem.code === undefined ? what : `${problem.code}: ${what}`,
      exitCodeOf(answer.status, problem.blockers?.length ?? 0),
    );
    this.problem = problem;
  }
}

/** There is no answer: whether the server acted is not known, unless it refused the connection. */
export class Unreachable extends CliError {
  override readonly name = 'Unreachable';
  /** `hopeless`: the request could not even be tried. */
  readonly how: 'broken' | 'refused' | 'hopeless';

  constructor(url: string, cause: unknown) {
    const root = rootCause(cause);
    super(`${url} cannot be reached: ${root.message || root.code || root}`, EXIT.failure, {
      cause,
    });
    const refused = root.code === 'ECONNREFUSED' || root.code === 'ENOTFOUND';
    this.how = refused ? 'refused' : root.code === undefined ? 'hopeless' : 'broken';
  }
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`, encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** JSON text. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiClientOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly fetch?: typeof fetch;
}

export interface Patience {
  /** Pauses between tries, in milliseconds; one try more than there are pauses. */
  readonly pauses: readonly number[];
  /** Whether a server that is not there is waited for. */
  readonly forServer: boolean;
}

/** Somebody waits for the answer. */
const HASTE: Patience = { pauses: [200, 500, 1_000], forServer: false };
const TRANSIENT = new Set([429, 502, 503, 504]);
const MOST_PAUSE_MS = 60_000;

/** The REST API of one server. */
export class ApiClient {
  readonly url: string;
  readonly #token: string | undefined;
  readonly #fetch: typeof fetch;

  constructor(options: ApiClientOptions) {
    this.url = options.url.replace(/\/+$/, '');
    this.#token = options.token;
    this.#fetch = options.fetch ?? fetch;
  }

  /**
   * Sends a request and reads the answer.
   *
   * @throws ApiError for any answer that is not a success, Unreachable where there is none
   */
  async send(request: ApiRequest): Promise<Answer> {
    const answer = await this.#once(request);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new ApiError(answer);
  }

  /**
   * As `send`, again and again while the server is busy or away. Only for what is harmless twice:
   * questions, and posts whose repetition the server recognises.
   */
  async persist(request: ApiRequest, patience: Patience = HASTE): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.send(request);
      } catch (error) {
        const pause = patience.pauses[attempt];
        if (pause === undefined || !isTransient(error, patience)) throw error;
        await wait(Math.max(pause, retryAfterMs(error)));
      }
    }
  }

  async get(path: string, query: ApiRequest['query'] = {}): Promise<Answer> {
    return this.persist({ method: 'GET', path, query });
  }

  /** A POST under a key of its own, so that trying again after a broken connection acts once. */
  async post(
    path: string,
    body: unknown,
    query: ApiRequest['query'] = {},
    more: ApiRequest['headers'] = {},
  ): Promise<Answer> {
    const headers = { 'idempotency-key': randomUUID(), ...more };
    return this.persist({ method: 'POST', path, query, body: JSON.stringify(body), headers });
  }

  async put(path: string, body: unknown): Promise<Answer> {
    return this.send({ method: 'PUT', path, body: JSON.stringify(body) });
  }

  async #once({ method, path, query, body, headers }: ApiRequest): Promise<Answer> {
    if (this.#token === undefined) {
      throw new CliError(
        'INTERLOCK_TOKEN is not set; on the server, `interlock token create` makes one',
      );
    }
    const target = new URL(`${this.url}/api/v1${path}`);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) target.searchParams.set(name, value);
    }
    let response: Response;
    let text: string;
    try {
      response = await this.#fetch(target, {
        method,
        // A redirect would drop the token, or turn a POST into a GET; both deserve to be said.
        redirect: 'manual',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${this.#token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      });
      text = await response.text();
    } catch (error) {
      throw new Unreachable(this.url, error);
    }
    if (response.status >= 300 && response.status < 400) {
      const to = response.headers.get('location') ?? 'another address';
      throw new CliError(`${this.url} redirects to ${to}; set INTERLOCK_URL to where it really is`);
    }
    return { status: response.status, text, body: parsed(text), headers: response.headers };
  }
}

/** `/releases/order-tax-fix%403`: a name as one step of a path. */
export function pathOf(...steps: readonly string[]): string {
  return steps.map((step) => `/${encodeURIComponent(step)}`).join('');
}

function isTransient(error: unknown, { forServer }: Patience): boolean {
  if (error instanceof Unreachable) {
    return error.how === 'broken' || (error.how === 'refused' && forServer);
  }
  return error instanceof ApiError && TRANSIENT.has(error.answer.status);
}

function retryAfterMs(error: unknown): number {
  if (!(error instanceof ApiError)) return 0;
  const seconds = Number(error.answer.headers.get('retry-after') ?? '0');
  return Number.isFinite(seconds) ? Math.min(seconds * 1_000, MOST_PAUSE_MS) : 0;
}

/** `fetch failed` hides what happened one or two causes down. */
function rootCause(error: unknown): Error & { code?: string } {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0]);
  return error.cause === undefined ? error : rootCause(error.cause);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}
