import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Figure } from '@/components/ui/figure';
import { Panel } from '@/components/ui/panel';
import { Term } from '@/components/ui/term';
import { formatCount, formatDuration, plural } from '@/lib/domain/figures';
import type { DatasetOverview } from '@/lib/queries/datasets-overview';
import { ContaminatedLink } from '../_parts/contaminated-link';

/** Every dataset with what it serves and how far behind its log it is. */
export function DatasetsPanel({ datasets }: { datasets: readonly DatasetOverview[] }) {
  return (
    <Panel title="Datasets" count={datasets.length} countHref="/datasets" flush>
      <DataTable
        caption="Datasets"
        cards={3}
        rows={datasets}
        rowKey={(dataset) => dataset.name}
        columns={columns}
        empty={
          <Empty title="There is no dataset yet.">
            An admin declares a source and a dataset over the API or the command line; the first
            generation is built from the log in the background.
          </Empty>
        }
      />
    </Panel>
  );
}

const columns: readonly Column<DatasetOverview>[] = [
  {
    key: 'name',
    head: 'Dataset',
    card: { full: true },
    cell: ({ name, unit, zone, contaminated }) => (
      <>
        <b>
          <Link href={`/datasets/${name}`}>{name}</Link>
        </b>
        <span className="s">
          {unit}, {zone}
        </span>
        <ContaminatedLink dataset={name} count={contaminated} />
      </>
    ),
  },
  {
    key: 'generation',
    head: <Term name="generation">Active generation</Term>,
    nowrap: true,
    card: { label: 'Active generation', two: true },
    cell: (dataset) => <Generation {...dataset} />,
  },
  {
    key: 'ingress',
    head: <Term name="ingress seal">Ingress</Term>,
    card: { label: 'Ingress' },
    cell: ({ ingress, sealer }) => (
      <>
        <StateBadge ingress={ingress} />
        {sealer && <span className="s">by {sealer}</span>}
      </>
    ),
  },
  {
    key: 'epoch',
    head: <Term name="ingress epoch">Epoch</Term>,
    number: true,
    card: { label: 'Epoch' },
    cell: ({ epoch }) => formatCount(epoch),
  },
  {
    key: 'lag',
    head: <Term name="lag" />,
    number: true,
    card: { label: 'Lag' },
    cell: ({ lagSeconds }) => formatDuration(lagSeconds),
  },
  {
    key: 'buffered',
    head: 'Buffered',
    number: true,
    card: { label: 'Buffered' },
    cell: ({ buffered }) => <Figure value={buffered} />,
  },
  {
    key: 'quarantined',
    head: <Term name="quarantined event">Quarantined</Term>,
    number: true,
    card: { label: 'Quarantined' },
    cell: ({ name, quarantined }) =>
      quarantined === 0 ? '0' : <Figure value={quarantined} href={`/datasets/${name}`} />,
  },
  {
    key: 'release',
    head: 'Release under way',
    card: { label: 'Release under way', two: true },
    cell: ({ release }) =>
      release === null ? (
        <span className="q">none</span>
      ) : (
        <Link href={`/releases/${release.release}`}>{release.release}</Link>
      ),
  },
];

function Generation({ activeGeneration, loading, kept, openLeases }: DatasetOverview) {
  if (activeGeneration === null) {
    return (
      <>
        <StateBadge flag="waiting">first load</StateBadge>
        <span className="s">{loading ? `fills ${loading}` : 'waits for the runner'}</span>
      </>
    );
  }
  return (
    <>
      <span className="mono">{activeGeneration}</span>
      <span className="s">
        {kept} kept, {plural(openLeases, 'lease')}
      </span>
    </>
  );
}
