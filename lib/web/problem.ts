import { randomUUID } from 'node:crypto';
import { errorForLog } from '@/lib/db/error-for-log';
import { isCancelled, isRetryable, pgError } from '@/lib/db/pg-error';
import {
  type Blocker,
  InterlockError,
  Invalid,
  type Issue,
  RateLimited,
  Refused,
} from '@/lib/domain/refusal';
import { type Code, statusOf, titleOf } from '@/lib/domain/refusal-codes';
import { log } from '@/lib/web/log';

/** RFC 9457, with our members: `code`, `blockers` of a refusal, `issues` of an input. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: Code;
  requestId: string;
  blockers?: readonly Blocker[];
  issues?: readonly (Issue & { detail: string })[];
  /** The first issue's JSON pointer. */
  pointer?: string;
  retryAfterSeconds?: number;
}

/** A new request id; it is in every answer, in every log line and in every audit row of a request. */
export function newRequestId(): string {
  return randomUUID();
}

/**
 * The one translator of errors at the web's doors. What has a code is shown with it; what has none
 * is logged under the request id and shown as one general sentence, never with its own message.
 */
export function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof InterlockError) return coded(error, requestId);
  // text that PostgreSQL does not hold, at a door that did not look for it
  if (pgError(error)?.code === '22021') {
    return plain('INVALID_INPUT', 'A text holds a NUL character.', requestId);
  }
  if (isBusy(error)) {
    log().warn({ requestId, ...errorForLog(error) }, 'busy');
    return plain('BUSY', 'A lock or a connection was not to be had in time.', requestId);
  }
  log().error({ requestId, ...errorForLog(error) }, 'unexpected error');
  return plain(
    'INTERNAL',
    `Something failed that has no code. It is in the log under the request id ${requestId}.`,
    requestId,
  );
}

function coded(error: InterlockError, requestId: string): Problem {
  const problem = plain(error.code, error.message, requestId, error.status);
  if (error instanceof Refused) return { ...problem, blockers: error.blockers };
  if (error instanceof RateLimited) {
    return { ...problem, retryAfterSeconds: error.retryAfterSeconds };
  }
  if (error instanceof Invalid) {
    return {
      ...problem,
      pointer: error.issues[0]?.pointer ?? '',
      issues: error.issues.map((issue) => ({ ...issue, detail: issue.message })),
    };
  }
  return problem;
}

function plain(code: Code, detail: string, requestId: string, status = statusOf(code)): Problem {
  return {
    type: `urn:interlock:problem:${code}`,
    title: titleOf(code),
    status,
    detail,
    code,
    requestId,
  };
}

/** The server had no room, or a statement ran into its limit: trying again is safe. */
function isBusy(error: unknown): boolean {
  if (isRetryable(error) || isCancelled(error)) return true;
  if (/^(57P0[123]|08...)$/.test(pgError(error)?.code ?? '')) return true;
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth++) {
    const { code } = current as Error & { code?: unknown };
    if (typeof code === 'string' && /^(CONNECT|CONNECTION_|ECONN|ETIMEDOUT)/.test(code))
      return true;
    current = current.cause;
  }
  return false;
}
