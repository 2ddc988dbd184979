import { type NextRequest, NextResponse } from 'next/server';
import { pageHeaders } from '@/lib/web/page-headers';

/**
 * Security headers of every page. Scripts run only with the nonce of their response: Next finds it
 * in the request's policy and puts it on its own, layouts read it from `x-nonce`, and where they are
 * from `x-path`.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = crypto.randomUUID().replaceAll('-', '');
  const headers = pageHeaders(nonce);
  const asked = new Headers(request.headers);
  asked.set('x-nonce', nonce);
  // layouts are not told which page is asked for, and signing in has to lead back to it
  asked.set('x-path', `${request.nextUrl.pathname}${request.nextUrl.search}`);
  asked.set('content-security-policy', headers['content-security-policy'] ?? '');
  const response = NextResponse.next({ request: { headers: asked } });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

export const config = {
  // The API sets its own headers, and its bodies must not be copied through here.
  matcher: ['/((?!api/|_next/static|_next/image|healthz$|readyz$|metrics$|icon\\.svg$).*)'],
};
