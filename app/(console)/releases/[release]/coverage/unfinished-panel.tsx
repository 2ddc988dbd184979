import Link from 'next/link';
import { KeepOpen } from '@/components/release/keep-open';
import { StateBadge } from '@/components/release/state-badge';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import { plural } from '@/lib/domain/figures';
import { MOST_UNFINISHED, type UnfinishedPartition } from '@/lib/queries/coverage';
import { ends } from '../../../times';
import type { Shown } from '../make-move';
import { RetryFailed } from './retry-failed';

/** What failed and what is under way, with the reason, and the retry of what failed. */
export function UnfinishedPanel({
  zone,
  unfinished,
  failed,
  within,
  shown,
  kept,
  mayRetry,
}: {
  zone: string;
  unfinished: readonly UnfinishedPartition[];
  /** Starts of all that failed, of the stretch that is selected where one is. */
  failed: readonly string[];
  /** The selected stretch in words; null where the whole plan is meant. */
  within: string | null;
  shown: Shown;
  /** What of the page's address stays where one partition is opened: filter and stretch. */
  kept: Record<string, string>;
  mayRetry: boolean;
}) {
  const texts = new Map(
    unfinished.map(({ start, end }) => {
      const { from, to } = ends(zone, start, end);
      return [start, `[${from}, ${to})`] as const;
    }),
  );
  return (
    <Panel
      title="Failed and running"
      count={unfinished.length}
      note={within === null ? undefined : `in ${within}`}
      flush
      aside={
        mayRetry && (
          <KeepOpen of={failed.length > 0 ? 'retry' : ''}>
            {failed.length > 0 && (
              <RetryFailed
                shown={shown}
                partitions={failed}
                texts={failed.slice(0, 10).map((start) => texts.get(start) ?? start)}
                zone={zone}
              />
            )}
          </KeepOpen>
        )
      }
    >
      <DataTable
        caption="Partitions that failed or are under way"
        cards={3}
        rows={unfinished}
        rowKey={({ start }) => start}
        columns={columnsOf(zone, shown.release, kept)}
        empty={
          <Empty title="Nothing failed and nothing runs.">
            {within === null
              ? 'A partition that fails stands here with its reason until it is retried.'
              : 'Not in the stretch that is selected.'}
          </Empty>
        }
      />
      {unfinished.length === MOST_UNFINISHED && (
        <p className="pad s m">
          The first {plural(MOST_UNFINISHED, 'partition')}, failed ones first.
        </p>
      )}
    </Panel>
  );
}

function columnsOf(
  zone: string,
  release: string,
  kept: Record<string, string>,
): readonly Column<UnfinishedPartition>[] {
  return [
    {
      key: 'partition',
      head: `Partition, ${zone}`,
      nowrap: true,
      card: { full: true },
      cell: ({ start, end }) => {
        const { from, to, fromUtc, toUtc } = ends(zone, start, end);
        return (
          <Link
            href={`/releases/${release}?${new URLSearchParams({ ...kept, partition: start })}`}
            title={`[${fromUtc}, ${toUtc})`}
            scroll={false}
          >
            [{from}, {to})
          </Link>
        );
      },
    },
    {
      key: 'state',
      head: 'State',
      card: { full: true },
      cell: ({ state }) => <StateBadge partition={state} turning={state === 'building'} />,
    },
    {
      key: 'attempt',
      head: 'Attempt',
      number: true,
      card: { label: 'Attempt' },
      cell: ({ attempt }) => attempt,
    },
    {
      key: 'worker',
      head: 'Worker',
      card: { label: 'Worker', two: true },
      cell: ({ worker }) => worker ?? <span className="q">none</span>,
    },
    {
      key: 'reason',
      head: 'Reason',
      card: { full: true },
      cell: ({ state, error, seconds }) =>
        state === 'failed' ? (
          (error ?? 'no reason given')
        ) : (
          <span className="m">{durationText(seconds ?? 0)} so far</span>
        ),
    },
  ];
}
