'use client';

import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { ButtonLink } from '@/components/ui/button';
import { DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { figureText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import type { DatasetRelease, DatasetServing } from '@/lib/queries/dataset-serving';
import { QuarantineTable } from '../../_parts/quarantine-table';
import { Between, When } from '../../_parts/when';

/** Events that could not become a row of the generation in use. */
export function QuarantineList({ data }: { data: DatasetServing }) {
  const { quarantine, ingress } = data;
  return (
    <Panel title="Quarantine" id="quarantine" count={ingress.quarantined} flush>
      <QuarantineTable
        caption="Quarantined events"
        rows={quarantine}
        zone={data.timezone}
        hue="wait"
        empty={
          <Empty title="No event is quarantined.">
            An event that cannot become a row is kept here with its error; it never stops the stream
            and is never dropped.
          </Empty>
        }
      />
      {ingress.quarantined > quarantine.length && (
        <p className="pad s m">
          The {quarantine.length} that have been there longest, of {figureText(ingress.quarantined)}
          .
        </p>
      )}
    </Panel>
  );
}

/** Releases of the dataset, newest first. */
export function DatasetReleases({ data }: { data: DatasetServing }) {
  return (
    <Panel
      title="Releases"
      count={data.releases.length}
      countHref={`/releases?dataset=${data.name}`}
      flush
      aside={
        <ButtonLink size="sm" href={`/audit?dataset=${data.name}`}>
          Audit chain
        </ButtonLink>
      }
    >
      <DataTable<DatasetRelease>
        caption="Releases of this dataset"
        cards={2}
        rows={data.releases}
        rowKey={(row) => row.release}
        empty={
          <Empty title="No release yet.">
            To change what its history says, an owner drafts one.
          </Empty>
        }
        columns={[
          {
            key: 'release',
            head: 'Release',
            card: { full: true },
            cell: (row) => (
              <>
                <b>
                  <Link href={`/releases/${row.release}`}>{row.release}</Link>
                </b>
                <span className="s">
                  by {row.by}
                  {row.generation && ` into ${row.generation}`}
                </span>
              </>
            ),
          },
          {
            key: 'state',
            head: 'State',
            cell: (row) => <StateBadge release={row.state as never} />,
          },
          {
            key: 'range',
            head: 'Range',
            card: { full: true },
            cell: (row) =>
              row.from === null ? (
                <span className="q">not said yet</span>
              ) : (
                <Between zone={data.timezone} from={row.from} to={row.to} />
              ),
          },
          {
            key: 'at',
            head: 'Changed',
            number: true,
            card: { label: 'Changed' },
            cell: (row) => <When zone={data.timezone} at={row.at} />,
          },
        ]}
      />
    </Panel>
  );
}
