import NextAuth from 'next-auth';
import { readText } from '@/lib/web/api/body';
import { apiHeaders, problemResponse } from '@/lib/web/api/respond';
import { authOptions } from '@/lib/web/auth-options';
import { refuseOtherSites } from '@/lib/web/origin';
import { newRequestId, problemOf } from '@/lib/web/problem';
import { countAttempt, signIns } from '@/lib/web/rate-limit';

interface Context {
  params: Promise<{ nextauth: string[] }>;
}

type Handler = (request: Request, context: Context) => Promise<Response>;

/** What a form of ours, or an identity provider, may send. */
const maxFormBytes = 64 * 1024;

/**
 * next-auth behind our limits: attempts per address, and the size of a body, which it would read
 * to its end whatever its length.
 */
export const authHandlers: { GET: Handler; POST: Handler } = {
  GET: (request, context) => guarded(request, context),
  POST: (request, context) => guarded(request, context),
};

async function guarded(request: Request, context: Context): Promise<Response> {
  try {
    const [kind] = (await context.params).nextauth;
    if (kind === 'callback' || (kind === 'signin' && request.method === 'POST')) {
      countAttempt(signIns, request.headers);
    }
    // its own token guards its forms; a page of another site has no business here at all
    if (request.method === 'POST') refuseOtherSites(request.headers);
    const handle = NextAuth(authOptions()) as Handler;
    return withHeaders(await handle(await bounded(request), context));
  } catch (error) {
    return problemResponse(problemOf(error, newRequestId()));
  }
}

/** next-auth sets none, and has a page of its own for signing out. */
function withHeaders(response: Response): Response {
  const answered = new Response(response.body, response);
  for (const [name, value] of Object.entries({ ...apiHeaders(), ...formPolicy })) {
    answered.headers.set(name, value);
  }
  return answered;
}

const formPolicy = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
};

/** The same request with its body read up to the limit, and `nextUrl`, which next-auth looks at. */
async function bounded(request: Request): Promise<Request> {
  const { url, method, headers } = request;
  const nextUrl = new URL(url);
  if (method !== 'POST') {
    return 'nextUrl' in request
      ? request
      : Object.assign(new Request(url, { headers }), { nextUrl });
  }
  const body = await readText(request, maxFormBytes);
  return Object.assign(new Request(url, { method, headers, body }), { nextUrl });
}
