import type { Metadata } from 'next';
import { PageTop } from '@/components/shell/page-top';
import { may } from '@/lib/domain/permissions';
import { webDatabase } from '@/lib/web/db';
import { signedIn } from '@/lib/web/session';
import { canDo, NoAccess } from '../_parts/access';
import { OncallView } from './oncall-view';
import { readOncall } from './read';
import '../_parts/parts.css';

export const metadata: Metadata = { title: 'On-call' };

export default async function OncallPage() {
  const actor = await signedIn('/oncall');
  const crumbs = [{ label: 'On-call' }];
  if (!may(actor.roles, 'release.read')) {
    return (
      <>
        <PageTop crumbs={crumbs} />
        <NoAccess actor={actor} verb="release.read" what="Releases that can be rolled back." />
      </>
    );
  }
  return (
    <>
      <PageTop crumbs={crumbs} />
      <h1 className="sr">On-call</h1>
      <OncallView
        initial={await readOncall(webDatabase())}
        you={actor.person}
        can={canDo(actor, ['release.rollback', 'release.call-off', 'release.sign-rollback'])}
      />
    </>
  );
}
