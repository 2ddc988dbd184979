import { notFound } from 'next/navigation';
import { cache } from 'react';
import { may } from '@/lib/domain/permissions';
import { releaseHeader } from '@/lib/queries/release-header';
import { webDatabase } from '@/lib/web/db';
import { signedIn } from '@/lib/web/session';
import { orNotFound } from '../../_parts/access';

/**
 * What stands over the tabs of a release; read once for a layout and its page. Who may not read
 * releases is told so by the console's frame; but a page can be asked for without its frame.
 */
export const readHeader = cache(async (reference: string) => {
  const actor = await signedIn(`/releases/${reference}`);
  if (!may(actor.roles, 'release.read')) notFound();
  const viewer = { person: actor.person, roles: actor.roles };
  return orNotFound(releaseHeader(webDatabase(), viewer, reference));
});
