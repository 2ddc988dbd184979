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
import type { DatasetOverview, DatasetsOverview } from '@/lib/queries/datasets-overview';
import { asOf } from '../_parts/when';

/** Every dataset with what it serves, how far behind the log it is, and what is under way on it. */
export function DatasetsView({ initial }: { initial: DatasetsOverview }) {
  const { data } = useLive<DatasetsOverview>({
    url: '/datasets/live',
    initial,
    asOf: asOf(initial.items[0]?.zone ?? 'UTC'),
  });
  return (
    <Panel label="Datasets" flush>
      <DataTable<DatasetOverview>
        caption="Datasets"
        cards={2}
        rows={data.items}
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
              </>
            ),
          },
          {
            key: 'generation',
            head: 'In use',
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
            head: 'Ingress',
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
