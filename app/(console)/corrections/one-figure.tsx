import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { type Column, DataTable } from '@/components/ui/data-table';
import { countText, figureText } from '@/components/ui/figure-text';
import { Term } from '@/components/ui/term';
import type { CorrectionItem } from '@/lib/queries/corrections';
import type { CorrectionDataset } from '@/lib/queries/corrections-page';
import type { SealedItem } from '@/lib/queries/publications';
import { edgeText, When } from '../_parts/when';
import { figureLines } from './figure-lines';
import { Difference, Value } from './figure-value';
import { partitionHref } from './links';
import type { Reading } from './search';

export const PENDING = { label: 'pending', hue: 'wait', icon: 'wait' } as const;

/** One figure of every partition, a line for each. */
export function OneFigure({
  dataset: { name, zone },
  items,
  last,
  figure,
  read,
}: {
  dataset: CorrectionDataset;
  items: readonly SealedItem[];
  last: ReadonlyMap<string, CorrectionItem>;
  figure: string;
  read: Reading;
}) {
  const lineOf = ({ published, asOfNow, delta }: SealedItem) =>
    figureLines([published, asOfNow], delta, figure)[0];
  const columns: Column<SealedItem>[] = [
    {
      key: 'partition',
      head: 'Partition',
      width: '38%',
      card: { full: true },
      cell: ({ partition, publication }) => (
        <>
          <b>
            <Link
              href={partitionHref(name, partition.start)}
              title={`[${partition.start}, ${partition.end})`}
            >
              <span className="nw">[{edgeText(zone, partition.start)},</span>{' '}
              <span className="nw">{edgeText(zone, partition.end)})</span>
            </Link>
          </b>
          <span className="s">
            <When zone={zone} at={publication.at} /> to {publication.sentTo}
          </span>
        </>
      ),
    },
  ];
  if (read !== 'now') {
    columns.push({
      key: 'published',
      head: <Term name="as published" />,
      number: true,
      card: { label: 'As published' },
      cell: (item) => <Value value={lineOf(item)?.values[0]} />,
    });
  }
  if (read !== 'published') {
    columns.push({
      key: 'now',
      head: <Term name="as of now" />,
      number: true,
      card: { label: 'As of now' },
      cell: (item) => <Value value={lineOf(item)?.values[1]} />,
    });
  }
  if (read === 'both') {
    columns.push({
      key: 'difference',
      head: 'Difference',
      number: true,
      card: { label: 'Difference' },
      cell: (item) => <Difference value={lineOf(item)?.delta} />,
    });
  }
  columns.push({
    key: 'said',
    head: 'Corrections',
    card: { full: true, label: 'Corrections' },
    cell: ({ partition, corrections, pending }) => (
      <Said
        zone={zone}
        corrections={corrections}
        pending={pending.count}
        last={last.get(partition.start)}
      />
    ),
  });
  return (
    <DataTable<SealedItem>
      caption="Published partitions, one figure"
      cards={3}
      rows={items}
      rowKey={({ partition }) => partition.start}
      columns={columns}
    />
  );
}

function Said({
  zone,
  corrections,
  pending,
  last,
}: {
  zone: string;
  corrections: number;
  pending: number;
  last: CorrectionItem | undefined;
}) {
  return (
    <>
      <span className="row">
        {corrections === 0 ? (
          <span className="q">none</span>
        ) : (
          <span>{countText(corrections, 'correction')}</span>
        )}
        {pending > 0 && <StateBadge look={PENDING}>{figureText(pending)} pending</StateBadge>}
      </span>
      {last && (
        <span className="s wrap">
          “{last.reason}”, {last.by}, <When zone={zone} at={last.at} />
        </span>
      )}
    </>
  );
}
