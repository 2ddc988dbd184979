import type { Metadata } from 'next';
import { may } from '@/lib/domain/permissions';
import { ingressSeal } from '@/lib/queries/ingress-seal';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { signedIn } from '@/lib/web/session';
import { canDo, NoAccess, orNotFound } from '../../../_parts/access';
import { IngressTab } from './ingress-tab';

import '../../../_parts/parts.css';

export const metadata: Metadata = { title: 'Ingress' };

export default async function IngressPage({ params }: { params: Promise<{ release: string }> }) {
  const release = decodedPart((await params).release);
  const actor = await signedIn(`/releases/${release}/ingress`);
  if (!may(actor.roles, 'release.read')) {
    return <NoAccess actor={actor} verb="release.read" what="Who sealed ingress, and how far." />;
  }
  const data = await orNotFound(ingressSeal(webDatabase(), release));
  return <IngressTab initial={data} can={canDo(actor, ['release.reopen'])} />;
}
