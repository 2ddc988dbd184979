import { RateLimited } from '@/lib/domain/refusal';

/** So many in a minute for each address. */
export interface Limit {
  readonly name: string;
  readonly perMinute: number;
}

/** A failed token costs us a look-up and its sender nothing; a valid one is never limited. */
export const failedTokens: Limit = { name: 'failed-tokens', perMinute: 300 };

/** Attempts to sign in. */
export const signIns: Limit = { name: 'sign-ins', perMinute: 120 };

const windowMs = 60_000;
/** A flood of forged addresses must not fill the memory: past this, the window starts anew. */
const maxAddresses = 10_000;

const counts = new Map<string, number>();
let windowStart = 0;

/**
 * Counts one attempt from the request's address.
 *
 * @throws RateLimited past the limit, until the minute is over
 */
export function countAttempt(limit: Limit, headers: Headers, now = Date.now()): void {
  if (now - windowStart >= windowMs || counts.size >= maxAddresses) {
    counts.clear();
    windowStart = now;
  }
  const key = `${limit.name} ${addressOf(headers)}`;
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  if (count > limit.perMinute) {
    throw new RateLimited(Math.max(1, Math.ceil((windowStart + windowMs - now) / 1000)));
  }
}

/**
 * Where a request comes from, as the nearest proxy saw it: the last entry, since everything before
 * it was written by the caller. Next puts the socket's address there only where the header is
 * missing, so without a proxy a caller can forge it: these limits spare us work, and no more.
 */
function addressOf(headers: Headers): string {
  return headers.get('x-forwarded-for')?.split(',').at(-1)?.trim().slice(0, 64) || 'unknown';
}
