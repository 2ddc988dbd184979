import type { Answer } from '@/lib/web/api/endpoint';
import { strictTransport } from '@/lib/web/page-headers';
import type { Problem } from '@/lib/web/problem';

/** An API's answer is never framed, sniffed, cached or run, nor loaded by another site's page. */
export function apiHeaders(): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...strictTransport(),
  };
}

export function answerResponse(answer: Answer, requestId: string): Response {
  const headers = new Headers({ ...apiHeaders(), 'x-request-id': requestId, ...answer.headers });
  if (answer.stream) return new Response(answer.stream, { status: answer.status, headers });
  if (answer.body === undefined) return new Response(null, { status: answer.status, headers });
  return textResponse(answer.status, JSON.stringify(answer.body), headers);
}

/** A body that is JSON text already. */
export function textResponse(status: number, body: string, headers: Headers): Response {
  if (!headers.has('content-type')) headers.set('content-type', 'application/json');
  return new Response(body === '' ? null : body, { status, headers });
}

export function problemResponse(
  problem: Problem,
  extra: Readonly<Record<string, string>> = {},
): Response {
  const headers = new Headers({
    ...apiHeaders(),
    'content-type': 'application/problem+json',
    'x-request-id': problem.requestId,
    ...extra,
  });
  if (problem.status === 401) headers.set('www-authenticate', 'Bearer realm="interlock"');
  if (problem.status === 503) headers.set('retry-after', '1');
  if (problem.retryAfterSeconds !== undefined) {
    headers.set('retry-after', String(problem.retryAfterSeconds));
  }
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}
