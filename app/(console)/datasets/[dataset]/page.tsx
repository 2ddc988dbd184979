import type { Metadata } from 'next';
import { PageTop } from '@/components/shell/page-top';
import { may } from '@/lib/domain/permissions';
import { gapsOf } from '@/lib/queries/dataset-gaps';
import { datasetServing } from '@/lib/queries/dataset-serving';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { signedIn } from '@/lib/web/session';
import { NoAccess, orNotFound } from '../../_parts/access';
import { GapsNote } from './calendar/gaps-note';
import { DatasetPageView } from './dataset-page-view';
import { Definition, ReadIt, TransformNow } from './definition';
import { PublishedPanel } from './published-panel';
import { ReportsPanel } from './reports-panel';
import { SubscribersPanel } from './subscribers-panel';
import { TotalsPanel } from './totals-panel';
import '../../_parts/parts.css';
import '../../corrections/corrections.css';

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
  const [gaps] = await gapsOf(webDatabase(), name);
  return (
    <>
      <PageTop crumbs={crumbs} />
      <DatasetPageView
        initial={data}
        totals={
          may(actor.roles, 'dataset.rows') &&
          data.activeGeneration !== null && <TotalsPanel dataset={name} />
        }
        published={
          may(actor.roles, 'correction.read') && (
            <PublishedPanel
              dataset={name}
              zone={data.timezone}
              unit={data.partition}
              mayPublish={data.activeGeneration !== null && may(actor.roles, 'dataset.publish')}
            />
          )
        }
        subscribers={
          may(actor.roles, 'subscriber.read') && (
            <SubscribersPanel
              dataset={name}
              zone={data.timezone}
              mayManage={may(actor.roles, 'subscriber.manage')}
            />
          )
        }
        reports={
          <ReportsPanel
            dataset={name}
            zone={data.timezone}
            maySave={may(actor.roles, 'report.save')}
            mayEnd={may(actor.roles, 'report.end')}
          />
        }
        warning={gaps && <GapsNote gaps={gaps} mayRun={may(actor.roles, 'dataset.run')} />}
        marks={{
          mark: may(actor.roles, 'dataset.mark-contaminated'),
          link: may(actor.roles, 'dataset.link-contamination'),
          lift: may(actor.roles, 'dataset.lift-contamination'),
        }}
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
