import type { Database } from '@/lib/db/client';
import { may, type Verb } from '@/lib/domain/permissions';
import { Forbidden, Unauthenticated } from '@/lib/domain/refusal';
import type { Actor } from '@/lib/services/context';
import { webDatabase } from '@/lib/web/db';
import { newRequestId, problemOf } from '@/lib/web/problem';
import { currentActor } from '@/lib/web/session';

/** What a page's read is given: who looks, and what its address says. */
export interface PageCall {
  db: Database;
  actor: Actor;
  /** Of the path, decoded. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

type Handler = (
  request: Request,
  context: { params: Promise<Record<string, string> | undefined> },
) => Promise<Response>;

/**
 * The GET handler that a page polls: who is signed in and what their roles of this moment allow,
 * then the page's own read model as JSON. Nothing is cached; errors are problem+json.
 */
export function pageData(permission: Verb, read: (call: PageCall) => Promise<unknown>): Handler {
  return guarded(permission, async (call) => Response.json(await read(call)));
}

/**
 * A file that a page offers: the same checks, then whatever `write` answers.
 *
 * @param write answers with its own type and `content-disposition`
 */
export function pageFile(permission: Verb, write: (call: PageCall) => Promise<Response>): Handler {
  return guarded(permission, write);
}

function guarded(permission: Verb, answer: (call: PageCall) => Promise<Response>): Handler {
  return async (request, { params }) => {
    const requestId = newRequestId();
    try {
      const actor = await currentActor();
      if (!actor) throw new Unauthenticated('You are not signed in any more; sign in again.');
      if (!may(actor.roles, permission)) {
        throw new Forbidden(`This needs another role: ${permission} is not yours to do.`);
      }
      const response = await answer({
        db: webDatabase(),
        actor,
        // a path without parts of its own has no params at all
        params: decoded((await params) ?? {}),
        query: new URL(request.url).searchParams,
      });
      response.headers.set('cache-control', 'no-store');
      return response;
    } catch (error) {
      const problem = problemOf(error, requestId);
      return Response.json(problem, {
        status: problem.status,
        headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
      });
    }
  };
}

/** Next hands parts of a path over as they were written; a name with `@` may come as `%40`. */
export function decoded(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, decodedPart(value)]),
  );
}

/** One part of a path; as it is where it is no valid encoding. */
export function decodedPart(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
