import type { Metadata } from 'next';
import { may } from '@/lib/domain/permissions';
import { buildView } from '@/lib/queries/build-view';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { signedIn } from '@/lib/web/session';
import { canDo, NoAccess, orNotFound } from '../../../_parts/access';
import { BuildTab } from './build-tab';

import '../../../_parts/parts.css';

export const metadata: Metadata = { title: 'Build' };

export default async function BuildPage({ params }: { params: Promise<{ release: string }> }) {
  const release = decodedPart((await params).release);
  const actor = await signedIn(`/releases/${release}/build`);
  if (!may(actor.roles, 'release.read')) {
    return <NoAccess actor={actor} verb="release.read" what="How a release is being built." />;
  }
  const data = await orNotFound(buildView(webDatabase(), release));
  return (
    <BuildTab
      data={data}
      can={canDo(actor, ['release.limits', 'release.pause', 'release.resume', 'release.retry'])}
    />
  );
}
