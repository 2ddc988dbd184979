import { decode } from 'next-auth/jwt';
import { authSecret, secureCookies } from '@/lib/web/auth-settings';

/** Half a working day: roles are read anew at each decision, so this only bounds a lost laptop. */
export const sessionSeconds = 12 * 3600;

/** The session's cookie. Its token is encrypted and holds a person's name and no role. */
export const sessionCookieName = (): string =>
  secureCookies() ? '__Secure-next-auth.session-token' : 'next-auth.session-token';

export interface Session {
  person: string;
  /** Names the session in signatures; the same from signing in to signing out. */
  id: string;
}

/** Reads a session's token; null where it is missing, forged, or past its end. */
export async function readSession(token: string | undefined): Promise<Session | null> {
  if (token === undefined || token === '') return null;
  try {
    const claims = await decode({ token, secret: authSecret() });
    const { name, sid } = (claims ?? {}) as { name?: unknown; sid?: unknown };
    if (typeof name !== 'string' || name === '') return null;
    return { person: name, id: `session:${typeof sid === 'string' ? sid : 'unknown'}` };
  } catch {
    return null;
  }
}

/** The session of a request, from its `Cookie` header. */
export function sessionOfRequest(headers: Headers): Promise<Session | null> {
  const name = sessionCookieName();
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name)
      return readSession(pair.slice(at + 1).trim());
  }
  return Promise.resolve(null);
}
