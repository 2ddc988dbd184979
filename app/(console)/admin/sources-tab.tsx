import Link from 'next/link';
import { Fragment } from 'react';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Figure } from '@/components/ui/figure';
import { countText } from '@/components/ui/figure-text';
import type { AdminSource } from '@/lib/queries/admin';
import { RetentionForm } from './retention-form';

/** Sources with what they keep and who reads them. */
export function SourcesTable({ sources, may }: { sources: readonly AdminSource[]; may: boolean }) {
  const columns: Column<AdminSource>[] = [
    {
      key: 'name',
      head: 'Source',
      card: { full: true },
      cell: ({ name, key, shards }) => (
        <>
          <b>
            <Link href={`/sources/${name}`}>{name}</Link>
          </b>
          <span className="s">
            key <span className="mono">{key.join(', ')}</span>, {countText(shards, 'shard')}
          </span>
        </>
      ),
    },
    {
      key: 'complete',
      head: 'Holds',
      card: { full: true, label: 'Holds' },
      cell: ({ complete }) =>
        complete ? 'the whole history: an absent key is a delete' : 'a part of the history',
    },
    {
      key: 'retention',
      head: 'Keeps',
      card: { full: true, label: 'Keeps' },
      cell: ({ retentionDays }) =>
        retentionDays === null
          ? 'every event'
          : `every event of ${countText(retentionDays, 'day')}, before that the newest of each key`,
    },
    {
      key: 'size',
      head: 'Events',
      number: true,
      card: { label: 'Events' },
      cell: ({ name, size }) => <Figure value={size} href={`/sources/${name}`} />,
    },
    {
      key: 'datasets',
      head: 'Read by',
      card: { label: 'Read by' },
      cell: ({ datasets }) =>
        datasets.length === 0 ? (
          <span className="q">no dataset</span>
        ) : (
          datasets.map((name, at) => (
            <Fragment key={name}>
              {at > 0 && ', '}
              <Link href={`/datasets/${name}`}>{name}</Link>
            </Fragment>
          ))
        ),
    },
  ];
  if (may) {
    columns.push({
      key: 'act',
      head: <span className="sr">Change</span>,
      number: true,
      card: { full: true },
      cell: ({ name, retentionDays }) => <RetentionForm source={name} days={retentionDays} />,
    });
  }
  return (
    <DataTable<AdminSource>
      caption="Sources"
      cards={2}
      rows={sources}
      rowKey={({ name }) => name}
      columns={columns}
      empty={
        <Empty title="There is no source yet.">
          One is declared with <span className="mono">interlock source apply</span> or the API, and
          never changes but in how long it keeps events.
        </Empty>
      }
    />
  );
}
