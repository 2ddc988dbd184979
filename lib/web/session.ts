import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache } from 'react';
import type { Actor } from '@/lib/services/context';
import { rolesOf } from '@/lib/services/people';
import { webDatabase } from '@/lib/web/db';
import { readSession, sessionCookieName } from '@/lib/web/session-cookie';

/**
 * Who is signed in, with the roles that the database gives now; null for nobody, and for somebody
 * whose person is gone. Read once per request: a page and its layout see the same.
 */
export const currentActor = cache(async (): Promise<Actor | null> => {
  const session = await readSession((await cookies()).get(sessionCookieName())?.value);
  if (!session) return null;
  const roles = await rolesOf(webDatabase(), session.person);
  if (!roles) return null;
  return { person: session.person, roles, via: 'console', session: session.id };
});

/** For pages: who is signed in, or off to the sign-in page and back to `path` afterwards. */
export async function signedIn(path: string): Promise<Actor> {
  const actor = await currentActor();
  if (!actor) redirect(`/sign-in?${new URLSearchParams({ callbackUrl: path })}`);
  return actor;
}
