import type { Json } from './json';
import { type Code, statusOf, titleOf } from './refusal-codes';

export type { Json } from './json';

/** Edges of the partitions around an instant: `before` is at or before it, `after` is after it. */
export type Edges = { before: string; after: string };

/**
 * One reason why a move is not open. `fix`: somebody has to do something; `wait`: it comes by
 * itself. `expected` and `current` are the two sides of the condition that does not hold.
 */
export type Blocker = {
  code: Code;
  kind: 'fix' | 'wait';
  message: string;
  pointer?: string;
  expected?: Json;
  current?: Json;
  edges?: Edges | { from: Edges; to: Edges };
  link?: string;
};

/** One fault of an input, at a JSON pointer (RFC 6901; '' is the whole body). */
export type Issue = {
  pointer: string;
  code: Code;
  message: string;
  edges?: Blocker['edges'];
  line?: number;
  column?: number;
};

/** Outcome of reading one value: the value in canonical form, or why it is none. */
export type Read<T> = { ok: true; value: T } | { ok: false; code: Code; message: string };

type Extra = Omit<Blocker, 'code' | 'kind' | 'message'>;

export function toFix(code: Code, message: string = titleOf(code), extra: Extra = {}): Blocker {
  return { code, kind: 'fix', message, ...extra };
}

export function toWait(code: Code, message: string = titleOf(code), extra: Extra = {}): Blocker {
  return { code, kind: 'wait', message, ...extra };
}

/** The code that stands for a list of blockers: the first `fix` one's, else the first one's. */
export function leadingCode(blockers: readonly Blocker[]): Code {
  return (blockers.find((b) => b.kind === 'fix') ?? blockers[0])?.code ?? 'LOST_RACE';
}

/** Base of every error that a door may show: `message` is written for people. */
export abstract class InterlockError extends Error {
  readonly code: Code;
  readonly status: number;

  constructor(code: Code, message: string = titleOf(code)) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.status = statusOf(code);
  }
}

/** The move is not open; carries the full list of blockers. Nothing changed. */
export class Refused extends InterlockError {
  readonly blockers: readonly Blocker[];
  /** A refusal is 409 also where its code is an input's code (a kept draft with a bad range). */
  override readonly status = 409;

  constructor(blockers: Blocker | readonly [Blocker, ...Blocker[]] | readonly Blocker[]) {
    const list = Array.isArray(blockers) ? (blockers as readonly Blocker[]) : [blockers as Blocker];
    if (list.length === 0) throw new TypeError('a refusal without blockers');
    const code = leadingCode(list);
    const leading = list.find((b) => b.code === code);
    super(code, leading?.message);
    this.blockers = list;
  }
}

/** A compare-and-set found another state than it named, and no standing blocker says why. */
export class LostRace extends InterlockError {
  constructor(message?: string, code: Code = 'LOST_RACE') {
    super(code, message);
  }
}

export class NotFound extends InterlockError {
  constructor(kind: string, name: string) {
    super('NOT_FOUND', `There is no ${kind} ${JSON.stringify(name.slice(0, 80))}.`);
  }
}

export class Unauthenticated extends InterlockError {
  constructor(message?: string) {
    super('UNAUTHENTICATED', message);
  }
}

export class Forbidden extends InterlockError {
  constructor(message?: string) {
    super('FORBIDDEN', message);
  }
}

/** The input is not valid; its code is the first issue's. */
export class Invalid extends InterlockError {
  readonly issues: readonly Issue[];
  override readonly status = 422;

  constructor(issues: readonly Issue[] | Issue) {
    const list = Array.isArray(issues) ? (issues as readonly Issue[]) : [issues as Issue];
    const first = list[0];
    if (first === undefined) throw new TypeError('an invalid input without issues');
    super(first.code, first.message);
    this.issues = list;
  }
}

/** What was pinned is no longer there to be read. */
export class Gone extends InterlockError {
  constructor(code: 'LEASE_ENDED' | 'GENERATION_GONE', message?: string) {
    super(code, message);
  }
}

export class TooLarge extends InterlockError {
  constructor(message?: string) {
    super('TOO_LARGE', message);
  }
}

/** Too many requests; `retryAfterSeconds` is when the next is welcome. */
export class RateLimited extends InterlockError {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('RATE_LIMITED', `Too many requests; try again in ${retryAfterSeconds} s.`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A blocker seen as an issue of the input: same words, same code, at the blocker's pointer. */
export function issueOf(blocker: Blocker): Issue {
  const { code, message, pointer = '', edges } = blocker;
  return edges === undefined ? { pointer, code, message } : { pointer, code, message, edges };
}

/** Exit codes of the operator's command line. */
export const EXIT = { ok: 0, failure: 1, usage: 2, refused: 3, notFound: 4, conflict: 5 } as const;

/**
 * Exit code for an answer of the API: bad input 2, refused with blockers 3, not found or gone 4,
 * a lost race 5, anything else that is not a success 1.
 */
export function exitCodeOf(status: number, blockers: number): number {
  if (status >= 200 && status < 300) return EXIT.ok;
  if (status === 422) return EXIT.usage;
  if (status === 409) return blockers > 0 ? EXIT.refused : EXIT.conflict;
  if (status === 404 || status === 410) return EXIT.notFound;
  return EXIT.failure;
}
