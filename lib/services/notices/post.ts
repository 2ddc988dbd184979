import { signatureOf } from './secret';

/** What came of one try to tell a subscriber. */
export type Outcome =
  | { delivered: true; status: number }
  | { delivered: false; status: number | null; error: string };

export interface Letter {
  url: string;
  secret: string;
  /** The notice's, the same at every try. */
  id: string;
  /** JSON text. */
  body: string;
}

/** For the whole of it: connecting, sending, and what of the answer is read. */
export const TIMEOUT_MS = 10_000;
const MOST_OF_ANSWER = 500;
/** A character has four bytes at most. */
const mostBytes = MOST_OF_ANSWER * 4;

/**
 * Posts one notice. 2xx is delivered; any other answer, a redirect too, is not, and neither is none
 * within the timeout. A redirect is not followed: an admin named this address, not the next one.
 * Of the answer a short piece is kept, as text. Never throws.
 */
export async function post(letter: Letter, timeoutMs: number = TIMEOUT_MS): Promise<Outcome> {
  try {
    const response = await fetch(letter.url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'interlock',
        'interlock-notice': letter.id,
        'interlock-signature': signatureOf(
          letter.secret,
          Math.floor(Date.now() / 1_000),
          letter.body,
        ),
      },
      body: letter.body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { status } = response;
    if (response.ok) {
      // told: what else it says, or fails to say, changes nothing
      await response.body?.cancel().catch(() => {});
      return { delivered: true, status };
    }
    const said = await beginningOf(response);
    const redirect = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
    return { delivered: false, status, error: cut(`It answered ${status}${redirect}. ${said}`) };
  } catch (error) {
    return { delivered: false, status: null, error: cut(whyNot(error, timeoutMs)) };
  }
}

/** The answer's first bytes as text; what cannot be read is left out. */
async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    while (size < mostBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      size += value.byteLength;
    }
  } catch {
    // broken off: what came before is what it said
  }
  await reader.cancel().catch(() => {});
  return new TextDecoder().decode(Buffer.concat(parts).subarray(0, mostBytes));
}

/** One line of visible text; PostgreSQL takes no NUL, and a page no control characters. */
const cut = (text: string): string =>
  [...text.replace(/[\s\p{C}]+/gu, ' ').trim()].slice(0, MOST_OF_ANSWER).join('');

function whyNot(error: unknown, timeoutMs: number): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return `No answer within ${timeoutMs / 1_000} s.`;
  }
  // fetch says no more than that it failed; what did is its cause, or the first of several
  let root: unknown = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  if (root instanceof AggregateError) root = root.errors[0] ?? root;
  const { code, message } = root as { code?: unknown; message?: unknown };
  return `It could not be reached: ${String(message || code || root)}`;
}
