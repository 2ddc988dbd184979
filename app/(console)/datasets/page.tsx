import type { Metadata } from 'next';
import { PageTop } from '@/components/shell/page-top';
import { PageHead } from '@/components/ui/page-head';
import { may } from '@/lib/domain/permissions';
import { datasetsOverview } from '@/lib/queries/datasets-overview';
import { webDatabase } from '@/lib/web/db';
import { signedIn } from '@/lib/web/session';
import { NoAccess } from '../_parts/access';
import { type Search, said } from '../_parts/search';
import { DatasetsView } from './datasets-view';
import '../_parts/parts.css';

export const metadata: Metadata = { title: 'Datasets' };

export default async function DatasetsPage({ searchParams }: { searchParams: Promise<Search> }) {
  const actor = await signedIn('/datasets');
  const mayRead = may(actor.roles, 'dataset.read');
  return (
    <>
      <PageTop crumbs={[{ label: 'Datasets' }]} />
      <PageHead
        title="Datasets"
        facts={['What people read: one generation of each is in use, the others are kept or made.']}
      />
      {mayRead ? (
        <DatasetsView
          initial={await datasetsOverview(webDatabase())}
          sort={said(await searchParams, 'sort')}
        />
      ) : (
        <NoAccess actor={actor} verb="dataset.read" what="What people read, and from where." />
      )}
    </>
  );
}
