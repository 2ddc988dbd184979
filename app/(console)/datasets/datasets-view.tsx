'use client';

import Link from 'next/link';
import { useLive } from '@/components/hooks/use-live';
import { StateBadge } from '@/components/release/state-badge';
import { DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Figure } from '@/components/ui/figure';
import { countText, figureText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import { readSorting, sortedRows, sortLink } from '@/components/ui/sorting';
import { Term } from '@/components/ui/term';
import type { DatasetOverview, DatasetsOverview } from '@/lib/queries/datasets-overview';
import { ContaminatedLink } from '../_parts/contaminated-link';
import { address } from '../_parts/search';
import { asOf } from '../_parts/when';

const SORTS = ['name', 'rows', 'lag', 'quarantined', 'leases'] as const;

const values = {
  name: (row: DatasetOverview) => row.name,
  rows: (row: DatasetOverview) => (row.rows === null ? null : BigInt(row.rows)),
  lag: (row: DatasetOverview) => row.lagSeconds,
  quarantined: (row: DatasetOverview) => row.quarantined,
  leases: (row: DatasetOverview) => row.openLeases,
};

/** Every dataset with what it serves, how far behind the log it is, and what is under way on it. */
export function DatasetsView({
  initial,
  sort,
}: {
  initial: DatasetsOverview;
  /** As in the address; by name where it is left out. */
  sort: string | undefined;
}) {
  const { data } = useLive<DatasetsOverview>({
    url: '/datasets/live',
    initial,
    asOf: asOf(initial.items[0]?.zone ?? 'UTC'),
  });
  const sorting = readSorting(sort, SORTS);
  const by = (key: (typeof SORTS)[number]) =>
    sortLink(sorting, key, (text) => address('/datasets', { sort: text }));
  return (
    <Panel label="Datasets" flush>
      <DataTable<DatasetOverview>
        caption="Datasets"
        cards={2}
        rows={sortedRows(data.items, sorting, values)}
        rowKey={(row) => row.name}
        empty={
          <Empty title="There is no dataset yet.">
            An admin declares one with <span className="mono">interlock dataset apply</span> or{' '}
            <span className="mono">PUT /api/v1/datasets/{'{name}'}</span>; its first generation is
            then built in the background.
          </Empty>
        }
        columns={[
          {
            key: 'name',
            head: 'Dataset',
            sort: by('name'),
            card: { full: true },
            cell: (row) => (
              <>
                <b>
                  <Link href={`/datasets/${row.name}`}>{row.name}</Link>
                </b>
                <span className="s">
                  by {row.unit}, {row.zone}, of{' '}
                  <Link href={`/sources/${row.source}`}>{row.source}</Link>
                </span>
                <ContaminatedLink dataset={row.name} count={row.contaminated} />
              </>
            ),
          },
          {
            key: 'generation',
            head: <Term name="generation">In use</Term>,
            card: { label: 'In use' },
            cell: (row) => (
              <>
                {row.activeGeneration ? (
                  <span className="mono">{row.activeGeneration}</span>
                ) : (
                  <StateBadge generation="candidate" turning>
                    first load, {row.loading}
                  </StateBadge>
                )}
                <span className="s">
                  {countText(row.generations, 'generation')}
                  {row.kept > 0 && `, ${row.kept} kept`}
                </span>
              </>
            ),
          },
          {
            key: 'rows',
            head: 'Rows',
            sort: by('rows'),
            number: true,
            card: { label: 'Rows' },
            cell: (row) =>
              row.rows === null ? (
                <span className="q" title="Figures of changed partitions are taken anew.">
                  in change
                </span>
              ) : (
                <Figure value={row.rows} />
              ),
          },
          {
            key: 'ingress',
            head: <Term name="ingress seal">Ingress</Term>,
            card: { label: 'Ingress' },
            cell: (row) => (
              <>
                <StateBadge ingress={row.ingress} />
                <span className="s">
                  epoch {row.epoch}
                  {row.sealer && `, by ${row.sealer}`}
                </span>
              </>
            ),
          },
          {
            key: 'lag',
            head: 'Lag',
            sort: by('lag'),
            number: true,
            width: '96px',
            card: { label: 'Lag' },
            cell: (row) => (
              <>
                {durationText(row.lagSeconds)}
                <span className="s">{figureText(row.buffered)} waiting</span>
              </>
            ),
          },
          {
            key: 'quarantined',
            head: 'Quarantined',
            sort: by('quarantined'),
            number: true,
            card: { label: 'Quarantined' },
            cell: (row) =>
              row.quarantined > 0 ? (
                <Figure value={row.quarantined} href={`/datasets/${row.name}#quarantine`} />
              ) : (
                '0'
              ),
          },
          {
            key: 'leases',
            head: 'Leases',
            sort: by('leases'),
            number: true,
            card: { label: 'Leases' },
            cell: (row) => <Figure value={row.openLeases} />,
          },
          {
            key: 'release',
            head: 'Under way',
            card: { full: true },
            cell: (row) =>
              row.release ? (
                <span className="row">
                  <Link href={`/releases/${row.release.release}`}>{row.release.release}</Link>
                  <StateBadge release={row.release.state as never} />
                </span>
              ) : (
                <span className="q">no release</span>
              ),
          },
        ]}
      />
    </Panel>
  );
}
