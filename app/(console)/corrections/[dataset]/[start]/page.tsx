import type { Metadata } from 'next';
import { StateBadge } from '@/components/release/state-badge';
import { PageTop } from '@/components/shell/page-top';
import { PageHead } from '@/components/ui/page-head';
import { PrintButton } from '@/components/ui/print-button';
import { readInstant } from '@/lib/domain/instant';
import { may } from '@/lib/domain/permissions';
import { NotFound } from '@/lib/domain/refusal';
import { partitionHistory } from '@/lib/queries/corrections-history';
import { correctionFacets } from '@/lib/queries/corrections-page';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { signedIn } from '@/lib/web/session';
import { NoAccess, orNotFound } from '../../../_parts/access';
import { address } from '../../../_parts/search';
import { Between } from '../../../_parts/when';
import { asOf } from '../../../times';
import { partitionHref } from '../../links';
import { AmendButton } from './amend-button';
import { Chain } from './chain';
import { PendingEvents } from './pending-events';
import { Sendings } from './sendings';
import { SideBySide } from './side-by-side';
import '../../../_parts/parts.css';
import '../../corrections.css';

export const metadata: Metadata = { title: 'Published partition' };

interface Props {
  params: Promise<{ dataset: string; start: string }>;
}

/** One sealed partition: what was published, what it would be now, and every step in between. */
export default async function PublishedPartition({ params }: Props) {
  const named = await params;
  const dataset = decodedPart(named.dataset);
  const start = decodedPart(named.start);
  const actor = await signedIn(partitionHref(dataset, start));
  const crumbs = [
    { label: 'Corrections', href: '/corrections' },
    { label: dataset, href: address('/corrections', { dataset }) },
    { label: 'Partition' },
  ];
  if (!may(actor.roles, 'correction.read')) {
    return (
      <>
        <PageTop crumbs={crumbs} />
        <NoAccess
          actor={actor}
          verb="correction.read"
          what={`What was published of ${dataset}, and its corrections.`}
        />
      </>
    );
  }
  const { history, zone, now } = await orNotFound(read(dataset, start));
  const { partition, pending, corrections } = history;
  return (
    <>
      <PageTop crumbs={crumbs} asOf={asOf(zone, now)} />
      <PageHead
        title={dataset}
        badges={
          <StateBadge partition="sealed" pill>
            Sealed
          </StateBadge>
        }
        interval={<Between zone={zone} from={partition.start} to={partition.end} />}
        action={
          <>
            <PrintButton />
            {may(actor.roles, 'dataset.amend') && (
              <AmendButton
                dataset={dataset}
                start={partition.start}
                pending={pending.count}
                corrections={corrections.length}
              />
            )}
          </>
        }
      />
      <div className="grid side l">
        <div className="stack">
          <SideBySide history={history} />
          <Chain history={history} zone={zone} />
          <PendingEvents history={history} zone={zone} />
        </div>
        <div className="stack">
          <Sendings history={history} zone={zone} />
        </div>
      </div>
    </>
  );
}

async function read(dataset: string, start: string) {
  const db = webDatabase();
  const instant = readInstant(start);
  if (!instant.ok) throw new NotFound('sealed partition', start);
  const { datasets, now } = await correctionFacets(db);
  const found = datasets.find(({ name }) => name === dataset);
  if (!found) throw new NotFound('dataset', dataset);
  return { history: await partitionHistory(db, dataset, instant.value), zone: found.zone, now };
}
