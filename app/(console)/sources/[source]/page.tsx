import type { Metadata } from 'next';
import { PageTop } from '@/components/shell/page-top';
import { may } from '@/lib/domain/permissions';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { signedIn } from '@/lib/web/session';
import { canDo, NoAccess, orNotFound } from '../../_parts/access';
import { readSource } from './read';
import { SourcePageView } from './source-page-view';
import '../../_parts/parts.css';

interface Props {
  params: Promise<{ source: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: decodedPart((await params).source) };
}

export default async function SourcePage({ params }: Props) {
  const name = decodedPart((await params).source);
  const actor = await signedIn(`/sources/${name}`);
  const crumbs = [{ label: 'Datasets', href: '/datasets' }, { label: `source ${name}` }];
  if (!may(actor.roles, 'source.read')) {
    return (
      <>
        <PageTop crumbs={crumbs} />
        <NoAccess actor={actor} verb="source.read" what="A source and its log." />
      </>
    );
  }
  const data = await orNotFound(readSource(webDatabase(), name));
  return (
    <>
      <PageTop crumbs={crumbs} />
      <SourcePageView initial={data} can={canDo(actor, ['demo.stream'])} />
    </>
  );
}
