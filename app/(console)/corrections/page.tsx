import type { Metadata } from 'next';
import Link from 'next/link';
import { PageTop } from '@/components/shell/page-top';
import { Empty } from '@/components/ui/empty';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { may } from '@/lib/domain/permissions';
import { correctionMetrics } from '@/lib/queries/corrections';
import {
  type CorrectionDataset,
  type CorrectionFacets,
  correctionFacets,
} from '@/lib/queries/corrections-page';
import { webDatabase } from '@/lib/web/db';
import { signedIn } from '@/lib/web/session';
import { NoAccess } from '../_parts/access';
import { address, type Search, said } from '../_parts/search';
import { asOf, commonZone } from '../times';
import { filterOf, readEnds } from './ends';
import { Exports } from './exports';
import { figureKeys } from './figure-lines';
import { FilterForm } from './filter-form';
import { HistoryTab } from './history-tab';
import { PublicationsTab } from './publications-tab';
import { PublishButton } from './publish-button';
import { SealedTab } from './sealed-tab';
import {
  type CorrectionsSearch,
  correctionsHref,
  correctionsSearch,
  TABS,
  type Tab,
} from './search';
import '../_parts/parts.css';
import './corrections.css';

export const metadata: Metadata = { title: 'Corrections' };

const TAB_WORDS: Record<Tab, string> = {
  sealed: 'Published partitions',
  history: 'History of corrections',
  publications: 'Publications',
};

/** What was published, what it would be as of now, and every correction in between. */
export default async function Corrections({ searchParams }: { searchParams: Promise<Search> }) {
  const actor = await signedIn('/corrections');
  if (!may(actor.roles, 'correction.read')) {
    return (
      <>
        <PageTop crumbs={[{ label: 'Corrections' }]} />
        <NoAccess
          actor={actor}
          verb="correction.read"
          what="What was published, and what the figures would be as of now."
        />
      </>
    );
  }
  const given = await searchParams;
  const search = correctionsSearch(given);
  const db = webDatabase();
  const facets = await correctionFacets(db);
  const dataset = chosen(facets, search);
  const zone = dataset?.zone ?? commonZone(facets.datasets.map((each) => each.zone));
  const ends = readEnds(zone, search);
  const filter = filterOf(search, dataset?.name, ends);
  const metrics = await correctionMetrics(db, dataset?.name);
  const cursor = said(given, 'cursor');
  const { cursor: _, ...fields } = { ...filter, cursor };
  return (
    <>
      <PageTop crumbs={[{ label: 'Corrections' }]} asOf={asOf(zone, facets.now)} />
      <PageHead
        title="Corrections"
        badges={dataset && <DatasetLink dataset={dataset} />}
        facts={[
          'Published figures are never overwritten. A correction says what a figure would be now, and why.',
        ]}
        action={
          <>
            <Exports
              links={(['csv', 'json'] as const).map((format) => ({
                format,
                href: address('/corrections/export', { ...fields, format }),
              }))}
            />
            {dataset && may(actor.roles, 'dataset.publish') && (
              <PublishButton
                dataset={dataset.name}
                zone={dataset.zone}
                unit={dataset.unit}
                initial={publishAsked(given)}
              />
            )}
          </>
        }
      />
      <div className="stack">
        <TabLinks search={search} />
        <Panel label="Filters">
          <FilterForm
            search={search}
            facets={facets}
            dataset={dataset?.name ?? ''}
            ends={ends}
            zone={zone}
            figures={figureKeys(metrics)}
          />
        </Panel>
        {unknown(facets, search) ? (
          <Panel label={TAB_WORDS[search.tab]}>
            <Empty title={`There is no dataset ${search.dataset}.`}>
              Choose another one above; a dataset is never renamed.
            </Empty>
          </Panel>
        ) : (
          <Shown
            search={search}
            dataset={dataset}
            filter={filter}
            cursor={cursor}
            facets={facets}
            mayPublish={may(actor.roles, 'dataset.publish')}
          />
        )}
      </div>
    </>
  );
}

function Shown({
  search,
  dataset,
  ...rest
}: {
  search: CorrectionsSearch;
  dataset: CorrectionDataset | undefined;
  filter: ReturnType<typeof filterOf>;
  cursor: string | undefined;
  facets: CorrectionFacets;
  mayPublish: boolean;
}) {
  if (search.tab === 'history') return <HistoryTab search={search} {...rest} />;
  if (!dataset) {
    return (
      <Panel label={TAB_WORDS[search.tab]}>
        <Empty title="There is no dataset yet.">
          Once an admin declares one, what of it is published stands here.
        </Empty>
      </Panel>
    );
  }
  return search.tab === 'sealed' ? (
    <SealedTab search={search} dataset={dataset} {...rest} />
  ) : (
    <PublicationsTab search={search} dataset={dataset} {...rest} />
  );
}

function TabLinks({ search }: { search: CorrectionsSearch }) {
  return (
    <nav className="tabs" aria-label="Published figures and corrections">
      {TABS.map((tab) => (
        <Link
          key={tab}
          href={correctionsHref(search, { tab })}
          aria-current={tab === search.tab ? 'page' : undefined}
        >
          {TAB_WORDS[tab]}
        </Link>
      ))}
    </nav>
  );
}

function DatasetLink({ dataset }: { dataset: CorrectionDataset }) {
  return (
    <Link className="m" href={`/datasets/${dataset.name}`}>
      {dataset.name}
    </Link>
  );
}

/** The dataset that the address names; but for the history, else the first with anything published. */
function chosen(
  { datasets }: CorrectionFacets,
  { dataset, tab }: CorrectionsSearch,
): CorrectionDataset | undefined {
  if (dataset !== undefined) return datasets.find(({ name }) => name === dataset);
  if (tab === 'history') return undefined;
  return datasets.find(({ sealed }) => sealed > 0) ?? datasets[0];
}

const unknown = ({ datasets }: CorrectionFacets, { dataset }: CorrectionsSearch) =>
  dataset !== undefined && !datasets.some(({ name }) => name === dataset);

/** `publish=FROM..TO` in the address opens the dialog, filled in. */
function publishAsked(search: Search): { from: string; to: string } | null {
  const [from = '', to = ''] = (said(search, 'publish') ?? '').split('..');
  return said(search, 'publish') === undefined ? null : { from, to };
}
