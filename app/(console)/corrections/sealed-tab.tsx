import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { BigFigure } from '@/components/ui/figure';
import { countText, figureText } from '@/components/ui/figure-text';
import { Pager } from '@/components/ui/pager';
import { Panel } from '@/components/ui/panel';
import { subtractDecimals } from '@/lib/domain/decimal';
import { Invalid } from '@/lib/domain/refusal';
import type { CorrectionFilter, CorrectionItem } from '@/lib/queries/corrections';
import {
  type CorrectionDataset,
  lastCorrections,
  type SealedSummary,
  sealedSummary,
} from '@/lib/queries/corrections-page';
import { type SealedItem, sealedPartitions } from '@/lib/queries/publications';
import { webDatabase } from '@/lib/web/db';
import { edgeText, When } from '../_parts/when';
import { figureLines } from './figure-lines';
import { Difference, Value } from './figure-value';
import { GroupedFigures } from './grouped-figures';
import { partitionHref } from './links';
import { OneFigure, PENDING } from './one-figure';
import { ReadSwitch } from './read-switch';
import { type CorrectionsSearch, correctionsHref, type Reading } from './search';

const PAGE = 25;

interface Props {
  search: CorrectionsSearch;
  dataset: CorrectionDataset;
  filter: CorrectionFilter;
  cursor: string | undefined;
  mayPublish: boolean;
}

/** Sealed partitions of a dataset: as published and as of now, and who said so last. */
export async function SealedTab({ search, dataset, filter, cursor, mayPublish }: Props) {
  const db = webDatabase();
  const { from, to } = filter;
  const page = await pageOf(dataset.name, { from, to }, cursor);
  const starts = page.items.map(({ partition }) => partition.start);
  const last = await lastCorrections(db, dataset.name, starts);
  if (page.items.length === 0) {
    return (
      <Panel title="Published partitions">
        <Nothing {...{ search, dataset, mayPublish }} />
      </Panel>
    );
  }
  const figure = search.figure;
  return (
    <>
      <Summary dataset={dataset} span={{ from, to }} figure={figure} />
      <Panel
        title="Published partitions"
        note={<span className="nw">{dataset.zone}, in order of time</span>}
        aside={<ReadSwitch search={search} />}
        flush
      >
        {figure === undefined ? (
          <GroupedFigures
            caption="Published partitions, as published and as of now"
            heads={HEADS[search.read]}
            withDifference={search.read === 'both'}
            groups={page.items.map((item) => ({
              key: item.partition.start,
              head: (
                <PartitionHead
                  dataset={dataset}
                  item={item}
                  last={last.get(item.partition.start)}
                />
              ),
              lines: figureLines(sidesOf(item, search.read), item.delta),
            }))}
          />
        ) : (
          <OneFigure
            dataset={dataset}
            items={page.items}
            last={last}
            figure={figure}
            read={search.read}
          />
        )}
        <Pager
          text={`${countText(page.items.length, 'partition')}${cursor ? ' of a later page' : ''}, in order of time`}
          {...(cursor ? { firstHref: correctionsHref(search, {}) } : {})}
          {...(page.nextCursor
            ? { nextHref: correctionsHref(search, { cursor: page.nextCursor }) }
            : {})}
        />
      </Panel>
    </>
  );
}

const HEADS: Record<Reading, string[]> = {
  both: ['As published', 'As of now'],
  published: ['As published'],
  now: ['As of now'],
};

function sidesOf({ published, asOfNow }: SealedItem, read: Reading) {
  if (read === 'published') return [published];
  return read === 'now' ? [asOfNow] : [published, asOfNow];
}

/** A page of partitions; a cursor that is none of ours begins again. */
async function pageOf(
  dataset: string,
  span: { from: string | undefined; to: string | undefined },
  cursor: string | undefined,
) {
  const db = webDatabase();
  try {
    return await sealedPartitions(db, dataset, { ...span, limit: PAGE, cursor });
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return sealedPartitions(db, dataset, { ...span, limit: PAGE });
  }
}

function PartitionHead({
  dataset,
  item,
  last,
}: {
  dataset: CorrectionDataset;
  item: SealedItem;
  last: CorrectionItem | undefined;
}) {
  const { zone } = dataset;
  const { partition, publication, corrections, pending } = item;
  return (
    <div className="of-head">
      <span>
        <Link
          href={partitionHref(dataset.name, partition.start)}
          title={`[${partition.start}, ${partition.end})`}
        >
          <span className="nw">[{edgeText(zone, partition.start)},</span>{' '}
          <span className="nw">{edgeText(zone, partition.end)})</span>
        </Link>
        <span className="s">
          published <When zone={zone} at={publication.at} /> to {publication.sentTo}
        </span>
      </span>
      <span className="of-said">
        {corrections === 0 ? (
          <span className="q">no correction</span>
        ) : (
          <span>{countText(corrections, 'correction')}</span>
        )}
        {pending.count > 0 && (
          <StateBadge look={PENDING}>{figureText(pending.count)} pending</StateBadge>
        )}
        {last && (
          <span className="s">
            “{last.reason}”, {last.by}, <When zone={zone} at={last.at} />
          </span>
        )}
      </span>
    </div>
  );
}

async function Summary({
  dataset,
  span,
  figure,
}: {
  dataset: CorrectionDataset;
  span: { from: string | undefined; to: string | undefined };
  figure: string | undefined;
}) {
  const db = webDatabase();
  const found = await sealedSummary(db, dataset.name, span);
  const lines = figureLines([found.published, found.asOfNow], deltaOf(found), figure);
  return (
    <Panel label="In sum" className="sealed-sum">
      <div className="figs">
        <BigFigure
          label="Published partitions"
          value={figureText(found.partitions)}
          note={
            found.lastSealedAt !== null && (
              <>
                last sealed <When zone={dataset.zone} at={found.lastSealedAt} />
              </>
            )
          }
          hue="seal"
          icon="lock"
        />
        {lines.slice(0, 2).map((line) => (
          <BigFigure
            key={line.key}
            label={`${line.name}, as of now`}
            value={<Value value={line.values[1]} />}
            note={
              <>
                published <Value value={line.values[0]} />,{' '}
                <span className="nw">
                  difference <Difference value={line.delta} />
                </span>
              </>
            }
          />
        ))}
        <BigFigure
          label="Corrected"
          value={figureText(found.corrected)}
          note={`${found.corrected === 1 ? 'partition' : 'partitions'}, by ${countText(found.corrections, 'correction')}`}
        />
        <BigFigure
          label="Pending events"
          value={figureText(found.pending)}
          note={
            found.pendingSince === null ? (
              'every late event is in a correction'
            ) : (
              <>
                in no correction yet, since <When zone={dataset.zone} at={found.pendingSince} />
              </>
            )
          }
          {...(found.pending > 0 ? { hue: 'wait' as const, icon: 'wait' as const } : {})}
        />
      </div>
    </Panel>
  );
}

function deltaOf({ published, asOfNow }: SealedSummary) {
  const differences = (before: Record<string, string>, after: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(after).map(([name, value]) => [
        name,
        subtractDecimals(value, before[name] ?? '0'),
      ]),
    );
  return {
    rows: subtractDecimals(asOfNow.rows, published.rows),
    sums: differences(published.sums, asOfNow.sums),
    partials: differences(published.partials, asOfNow.partials),
  };
}

function Nothing({ search, dataset, mayPublish }: Omit<Props, 'filter' | 'cursor'>) {
  if (dataset.sealed > 0) {
    return (
      <Empty
        title="Nothing that was published begins in this range."
        action={
          <ButtonLink href={correctionsHref(search, { from: undefined, to: undefined })}>
            All {countText(dataset.sealed, 'published partition')}
          </ButtonLink>
        }
      >
        {dataset.name} has {countText(dataset.sealed, 'published partition')} in all.
      </Empty>
    );
  }
  return (
    <Empty title={`Nothing of ${dataset.name} was published yet.`}>
      Publishing records that figures were sent out, and seals their partitions: from then on
      nothing changes what is served of them, and what would have changed is a correction.{' '}
      {mayPublish
        ? 'Publish a range with the button above, or from the dataset’s calendar.'
        : 'An owner or on-call publishes.'}
    </Empty>
  );
}
