import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { countText } from '@/components/ui/figure-text';
import { Pager } from '@/components/ui/pager';
import { Panel } from '@/components/ui/panel';
import { Invalid } from '@/lib/domain/refusal';
import {
  type CorrectionFilter,
  type CorrectionItem,
  correctionList,
} from '@/lib/queries/corrections';
import type { CorrectionFacets } from '@/lib/queries/corrections-page';
import { webDatabase } from '@/lib/web/db';
import { edgeText, When } from '../_parts/when';
import { figureLines } from './figure-lines';
import { GroupedFigures } from './grouped-figures';
import { KIND_LOOKS } from './kinds';
import { partitionHref, receiptHref } from './links';
import { type CorrectionsSearch, correctionsHref } from './search';

const PAGE = 20;

/** Every correction, newest first: what was published, before, after, and who said why. */
export async function HistoryTab({
  search,
  filter,
  cursor,
  facets,
}: {
  search: CorrectionsSearch;
  filter: CorrectionFilter;
  cursor: string | undefined;
  facets: CorrectionFacets;
}) {
  const page = await pageOf(filter, cursor);
  const zones = new Map(facets.datasets.map(({ name, zone }) => [name, zone]));
  if (page.items.length === 0) {
    const filtered = Object.values(filter).some((value) => value !== undefined);
    return (
      <Panel title="History of corrections">
        <Empty
          title={filtered ? 'No correction is like this.' : 'Nothing was corrected yet.'}
          action={
            filtered ? (
              <ButtonLink href="/corrections?tab=history">All corrections</ButtonLink>
            ) : undefined
          }
        >
          A correction is written when somebody records what a published partition would be now, or
          when a release over it is cut over or rolled back. None is ever changed or taken back.
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel title="History of corrections" note="newest first" flush>
      <GroupedFigures
        caption="Corrections, newest first"
        heads={['Published', 'Before', 'After']}
        groups={page.items.map((item) => ({
          key: item.id,
          head: <CorrectionHead item={item} zone={zones.get(item.dataset) ?? 'UTC'} />,
          lines: figureLines([item.published, item.before, item.after], item.delta, search.figure),
        }))}
      />
      <Pager
        text={`${countText(page.items.length, 'correction')}${cursor ? ' of an earlier page' : ''}, newest first`}
        {...(cursor ? { firstHref: correctionsHref(search, {}) } : {})}
        {...(page.nextCursor
          ? { nextHref: correctionsHref(search, { cursor: page.nextCursor }) }
          : {})}
      />
    </Panel>
  );
}

/** A page of corrections; a cursor that is none of ours begins again. */
async function pageOf(filter: CorrectionFilter, cursor: string | undefined) {
  const db = webDatabase();
  try {
    return await correctionList(db, filter, { limit: PAGE, cursor });
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return correctionList(db, filter, { limit: PAGE });
  }
}

function CorrectionHead({ item, zone }: { item: CorrectionItem; zone: string }) {
  const { partition, release, receipt } = item;
  return (
    <div className="of-head">
      <span>
        <Link
          href={partitionHref(item.dataset, partition.start)}
          title={`[${partition.start}, ${partition.end})`}
        >
          <span className="nw">[{edgeText(zone, partition.start)},</span>{' '}
          <span className="nw">{edgeText(zone, partition.end)})</span> {zone}
        </Link>
        <span className="s">
          {item.dataset}, “{item.reason}”
        </span>
      </span>
      <span className="of-said">
        <StateBadge look={KIND_LOOKS[item.kind]} />
        <span className="nw">
          {item.by}, <When zone={zone} at={item.at} />
        </span>
        {release !== null && (
          <span className="s">
            <Link href={`/releases/${release}`}>{release}</Link>
            {', '}
            <Link href={`/releases/${release}/approval`}>
              {item.signatures.length === 0
                ? 'nobody signed'
                : `signed by ${item.signatures.join(', ')}`}
            </Link>
            {receipt && (
              <>
                {', '}
                <Link href={receiptHref(receipt.release, receipt.partition)}>receipt</Link>
              </>
            )}
          </span>
        )}
      </span>
    </div>
  );
}
