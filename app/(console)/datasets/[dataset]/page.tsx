import type { Metadata } from 'next';
import { PageTop } from '@/components/shell/page-top';
import { may } from '@/lib/domain/permissions';
import { type DatasetServing, datasetServing } from '@/lib/queries/dataset-serving';
import { rollup } from '@/lib/web/api/figures';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { signedIn } from '@/lib/web/session';
import { NoAccess, orNotFound } from '../../_parts/access';
import { DatasetPageView } from './dataset-page-view';
import { Definition, ReadIt, TransformNow } from './definition';
import '../../_parts/parts.css';

export async function generateMetadata({
  params,
}: {
  params: Promise<{ dataset: string }>;
}): Promise<Metadata> {
  return { title: decodedPart((await params).dataset) };
}

export default async function DatasetPage({ params }: { params: Promise<{ dataset: string }> }) {
  const name = decodedPart((await params).dataset);
  const actor = await signedIn(`/datasets/${name}`);
  const crumbs = [{ label: 'Datasets', href: '/datasets' }, { label: name }];
  if (!may(actor.roles, 'dataset.read')) {
    return (
      <>
        <PageTop crumbs={crumbs} />
        <NoAccess actor={actor} verb="dataset.read" what={`How ${name} is served.`} />
      </>
    );
  }
  const data = await orNotFound(datasetServing(webDatabase(), name));
  return (
    <>
      <PageTop crumbs={crumbs} />
      <DatasetPageView
        initial={data}
        rollups={may(actor.roles, 'dataset.rows') ? await rollupsOf(data) : {}}
        claiming={may(actor.roles, 'dataset.claim') ? actor.person : null}
        side={
          <>
            <ReadIt data={data} />
            <Definition data={data} />
          </>
        }
      >
        <TransformNow data={data} />
      </DatasetPageView>
    </>
  );
}

/** The dataset's rollups over the generation in use; nothing while the first one is loading. */
async function rollupsOf(data: DatasetServing): Promise<Record<string, string | null>> {
  if (data.activeGeneration === null) return {};
  const { metrics } = await rollup(webDatabase(), { dataset: data.name });
  return metrics;
}
