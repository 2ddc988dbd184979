import type { Database } from '@/lib/db/client';
import type { Role } from '@/lib/domain/permissions';
import { provisionToken } from '@/lib/services/people/tokens';
import type { Method } from '@/lib/web/api/endpoint';
import { matchPath } from '@/lib/web/api/path';
import { endpoints } from '@/lib/web/api/registry';
import { apiPrefix, serve, serveNothing } from '@/lib/web/api/serve';

export interface TestAnswer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  /** Parsed JSON, or null where there is no body. */
  body: T;
  text: string;
}

export interface TestRequest {
  token?: string | undefined;
  body?: unknown;
  /** Sent as it is. */
  text?: string;
  headers?: Record<string, string>;
}

/** Route files by path, static before named, as the router has them. */
const templates = [
  ...new Set(endpoints.map((e) => (e.move ? '/releases/{release}/{move}' : e.path))),
].sort((a, b) => names(a) - names(b));

function names(template: string): number {
  return template.split('{').length;
}

/** Sends a request to the route's own handler, without a server between. For tests. */
export async function send<T = Record<string, unknown>>(
  method: Method | 'OPTIONS',
  path: string,
  { token, body, text, headers = {} }: TestRequest = {},
): Promise<TestAnswer<T>> {
  const url = new URL(`http://localhost${apiPrefix}${path}`);
  const template = templates.find((each) => matchPath(each, url.pathname.slice(apiPrefix.length)));
  const handler = (template === undefined ? serveNothing() : serve(template))[method];
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const request = new Request(url, {
    method,
    headers: {
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const response = await handler(request);
  const answered = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (answered === '' ? null : JSON.parse(answered)) as T,
    text: answered,
  };
}

/** A token for each of some people, who are made with that one role. For tests. */
export async function tokensOf(
  db: Database,
  roles: Readonly<Record<string, Role>>,
): Promise<Record<string, string>> {
  const tokens: Record<string, string> = {};
  for (const [person, role] of Object.entries(roles)) {
    const made = await provisionToken(db, { person, roles: [role], requestId: 'set-up' });
    tokens[person] = made.token;
  }
  return tokens;
}
