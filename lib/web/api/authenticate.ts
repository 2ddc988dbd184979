import type { Database } from '@/lib/db/client';
import { Unauthenticated } from '@/lib/domain/refusal';
import type { Actor } from '@/lib/services/context';
import { authenticateToken, rolesOf } from '@/lib/services/people';
import { refuseOtherSites } from '@/lib/web/origin';
import { countAttempt, failedTokens } from '@/lib/web/rate-limit';
import { sessionOfRequest } from '@/lib/web/session-cookie';
import { countStranger } from '@/lib/web/strangers';

/**
 * Who calls: the person of the bearer token; without one, and only for reading, of the console's
 * session (an `EventSource` cannot send a header). A cookie never changes anything here, so no
 * other site can make a browser do so.
 *
 * @throws Unauthenticated for nobody, Forbidden for a session that another site uses, RateLimited for too many bad tokens from one address
 */
export async function authenticate(db: Database, request: Request): Promise<Actor> {
  const header = request.headers.get('authorization');
  if (header !== null) return ofToken(db, request, header);
  if (request.method === 'GET' || request.method === 'HEAD') {
    const session = await sessionOfRequest(request.headers);
    const roles = session && (await rolesOf(db, session.person));
    if (session && roles) {
      // reading pins generations for a while: another site's page may not have a browser do that
      refuseOtherSites(request.headers);
      return { person: session.person, roles, via: 'console', session: session.id };
    }
  }
  await countStranger(db, 'api');
  throw new Unauthenticated('This needs a token: Authorization: Bearer ilk_….');
}

async function ofToken(db: Database, request: Request, header: string): Promise<Actor> {
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  const actor = token === undefined ? null : await authenticateToken(db, token);
  if (actor) return actor;
  await countStranger(db, 'api-token');
  countAttempt(failedTokens, request.headers);
  throw new Unauthenticated('The token is unknown or revoked.');
}

/** The bearer token's text; for what only its holder may read again. */
export function bearerOf(request: Request): string {
  return /^Bearer +(\S+)/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
}
