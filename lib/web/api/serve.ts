import { isObject } from '@/lib/domain/json';
import { isFork } from '@/lib/domain/names';
import { Invalid, NotFound } from '@/lib/domain/refusal';
import { parseInput } from '@/lib/domain/zod-issues';
import type { Ctx } from '@/lib/services/context';
import { authenticate } from '@/lib/web/api/authenticate';
import { maxBodyBytes, readText } from '@/lib/web/api/body';
import {
  type Answer,
  type Call,
  type Endpoint,
  type Method,
  methods,
} from '@/lib/web/api/endpoint';
import { faultOfText, parseJson } from '@/lib/web/api/json-text';
import { matchPath } from '@/lib/web/api/path';
import { endpoints } from '@/lib/web/api/registry';
import { runOnce } from '@/lib/web/api/repeat';
import { answerResponse, apiHeaders, problemResponse, textResponse } from '@/lib/web/api/respond';
import { webDatabase } from '@/lib/web/db';
import { observeRequest } from '@/lib/web/metrics';
import { requirePermission } from '@/lib/web/permission';
import { newRequestId, type Problem, problemOf } from '@/lib/web/problem';

export const apiPrefix = '/api/v1';

type Handler = (request: Request) => Promise<Response>;
type Handlers = Record<Method | 'OPTIONS', Handler>;

/**
 * What a route file exports for its path: a handler for every method, so that a wrong one gets our
 * 405 and not an empty page. The endpoints are those of the registry; a file whose path has none
 * does not load.
 *
 * `{move}` at the end stands for each move that the registry has.
 */
export function serve(template: string): Handlers {
  const served = endpointsOf(template);
  if (served.length === 0) throw new Error(`no endpoint is declared at ${template}`);
  return handlers(template);
}

/** For every path that no route file has. */
export function serveNothing(): Handlers {
  return handlers(null);
}

/** The endpoints that a route file's path stands for. */
export function endpointsOf(template: string): Endpoint[] {
  if (!template.endsWith('/{move}')) return endpoints.filter((e) => e.path === template);
  const parent = template.slice(0, -'{move}'.length);
  return endpoints.filter((e) => e.move === true && e.path.startsWith(parent));
}

function handlers(template: string | null): Handlers {
  const of = (method: Method | 'OPTIONS') => [method, respond(template, method)] as const;
  return Object.fromEntries([...methods, 'OPTIONS' as const].map(of)) as Handlers;
}

function respond(template: string | null, method: Method | 'OPTIONS'): Handler {
  return async (request) => {
    const started = performance.now();
    const requestId = newRequestId();
    const response = await answer(template, method, request, requestId).catch((error) =>
      problemResponse(problemOf(error, requestId)),
    );
    const seconds = (performance.now() - started) / 1000;
    observeRequest({ route: template ?? 'unknown', method, status: response.status, seconds });
    return response;
  };
}

async function answer(
  template: string | null,
  method: Method | 'OPTIONS',
  request: Request,
  requestId: string,
): Promise<Response> {
  const path = new URL(request.url).pathname.slice(apiPrefix.length);
  const params = template === null ? null : matchPath(template, path);
  if (template === null || params === null) throw new NotFound('path', path);
  const { move, ...names } = params;
  const concrete = move === undefined ? template : template.replace('{move}', move);
  const here = endpoints.filter((e) => e.path === concrete);
  if (here.length === 0) throw new NotFound('path', path);

  const allow = [
    'OPTIONS',
    ...here.flatMap((e) => (e.method === 'GET' ? ['GET', 'HEAD'] : [e.method])),
  ];
  if (method === 'OPTIONS') {
    return new Response(null, {
      status: 204,
      headers: { ...apiHeaders(), allow: allow.join(', ') },
    });
  }
  const endpoint = here.find((e) => e.method === method);
  if (!endpoint)
    return problemResponse(wrongMethod(method, requestId), { allow: allow.join(', ') });
  return run(endpoint, names, request, requestId);
}

async function run(
  endpoint: Endpoint,
  params: Record<string, string>,
  request: Request,
  requestId: string,
): Promise<Response> {
  const db = webDatabase();
  if (endpoint.permission === 'public') {
    const actor = { person: 'nobody', roles: [], via: 'api', session: null } as const;
    const call: Call = {
      ctx: { db, actor, requestId },
      params,
      query: {},
      body: undefined,
      request,
    };
    return answerResponse(await endpoint.handle(call), requestId);
  }
  const ctx: Ctx = { db, actor: await authenticate(db, request), requestId };
  await requirePermission(ctx, endpoint.permission, params);
  const { dataset } = params;
  // a drill's fork is nobody's to read, pin or change
  if (dataset !== undefined && isFork(dataset)) throw new NotFound('dataset', dataset);
  const bodyText = endpoint.body
    ? await readText(request, endpoint.maxBodyBytes ?? maxBodyBytes)
    : '';
  const call: Call = {
    ctx,
    params,
    query: endpoint.query ? parseInput(endpoint.query, queryOf(request)) : {},
    body: endpoint.body ? readBody(endpoint, bodyText) : undefined,
    request,
  };
  if (endpoint.method === 'POST' && request.headers.has('idempotency-key')) {
    const { status, headers, text } = await runOnce(endpoint, call, bodyText, () =>
      endpoint.handle(call),
    );
    return textResponse(
      status,
      text,
      new Headers({ ...apiHeaders(), 'x-request-id': requestId, ...headers }),
    );
  }
  const made: Answer = await endpoint.handle(call);
  return answerResponse(made, requestId);
}

function queryOf(request: Request): Record<string, string> {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  for (const [name, value] of Object.entries(query)) {
    const why = faultOfText(value);
    if (why) {
      throw new Invalid({
        pointer: `/${name}`,
        code: 'INVALID_INPUT',
        message: `The text holds ${why}.`,
      });
    }
  }
  return query;
}

function readBody(endpoint: Endpoint, text: string): unknown {
  const value = text.trim() === '' ? {} : parseJson(text);
  if (!isObject(value)) {
    throw new Invalid({
      pointer: '',
      code: 'INVALID_INPUT',
      message: 'The body is a JSON object.',
    });
  }
  if (endpoint.parsedBy === 'verb' || !endpoint.body) return value;
  return parseInput(endpoint.body, value);
}

function wrongMethod(method: string, requestId: string): Problem {
  return {
    type: 'urn:interlock:problem:METHOD_NOT_ALLOWED',
    title: 'Method not allowed',
    status: 405,
    detail: `${method} is not among the methods of this path; the header Allow lists them.`,
    code: 'METHOD_NOT_ALLOWED',
    requestId,
  };
}
