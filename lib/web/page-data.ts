import type { Database } from '@/lib/db/client';
import type { Verb } from '@/lib/domain/permissions';
import { Invalid, Unauthenticated } from '@/lib/domain/refusal';
import type { Actor } from '@/lib/services/context';
import { faultOfText } from '@/lib/web/api/json-text';
import { problemResponse } from '@/lib/web/api/respond';
import { webDatabase } from '@/lib/web/db';
import { requirePermission } from '@/lib/web/permission';
import { newRequestId, problemOf } from '@/lib/web/problem';
import { currentActor } from '@/lib/web/session';
import { countStranger } from '@/lib/web/strangers';

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
      const db = webDatabase();
      const actor = await currentActor();
      if (!actor) {
        await countStranger(db, 'page');
        throw new Unauthenticated('You are not signed in any more; sign in again.');
      }
      // a path without parts of its own has no params at all
      const names = decoded((await params) ?? {});
      const query = new URL(request.url).searchParams;
      const fault = [...Object.entries(names), ...query].find(([, text]) => faultOfText(text));
      await requirePermission({ db, actor, requestId }, permission, fault ? {} : names);
      if (fault) {
        const pointer = `/${fault[0]}`;
        const message = `The text holds ${faultOfText(fault[1])}.`;
        throw new Invalid({ pointer, code: 'INVALID_INPUT', message });
      }
      const response = await answer({ db, actor, params: names, query });
      // a file with a digest of its bytes also says that they must not be transformed
      if (!response.headers.get('cache-control')?.includes('no-store')) {
        response.headers.set('cache-control', 'no-store');
      }
      return response;
    } catch (error) {
      return problemResponse(problemOf(error, requestId));
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
