import { cache } from 'react';
import { releaseHeader } from '@/lib/queries/release-header';
import { webDatabase } from '@/lib/web/db';
import { signedIn } from '@/lib/web/session';
import { orNotFound } from '../../_parts/access';

/** What stands over the tabs of a release; read once for a layout and its page. */
export const readHeader = cache(async (reference: string) => {
  const actor = await signedIn(`/releases/${reference}`);
  const viewer = { person: actor.person, roles: actor.roles };
  return orNotFound(releaseHeader(webDatabase(), viewer, reference));
});
