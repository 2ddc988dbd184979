'use client';

import { PrimaryAction } from '@/components/release/primary-action';
import { DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Figure } from '@/components/ui/figure';
import { countText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import { Tag } from '@/components/ui/tag';
import { Term } from '@/components/ui/term';
import { say } from '@/components/ui/toaster';
import type {
  BuildView,
  BuildWorker,
  FailedPartition,
  RunningAttempt,
} from '@/lib/queries/build-view';
import { type Move, words } from '../../../_parts/use-move';
import { Between, TimeOfDay } from '../../../_parts/when';
import type { BuildCan } from './build-tab';

/** Attempts under way, with the lease that their worker has to renew. */
export function Attempts({ data }: { data: BuildView }) {
  return (
    <Panel title="Attempts under way" count={data.attempts.length} flush>
      <DataTable<RunningAttempt>
        caption="Attempts under way"
        cards={2}
        rows={data.attempts}
        rowKey={(row) => `${row.start} ${row.attempt}`}
        empty={
          <Empty title="Nobody builds a partition now.">
            {data.step
              ? `${data.step.worker} does the release’s next step, its lease has ${durationText(data.step.leaseSeconds)} left.`
              : data.waiting === 0
                ? 'No planned partition is left to take.'
                : 'A job runner takes the next planned partition as soon as nothing keeps it.'}
          </Empty>
        }
        columns={[
          {
            key: 'partition',
            head: 'Partition',
            card: { full: true },
            cell: (row) => <Between zone={data.zone} from={row.start} to={row.end} />,
          },
          {
            key: 'attempt',
            head: <Term name="attempt" />,
            number: true,
            card: { label: 'Attempt' },
            cell: (row) => row.attempt,
          },
          {
            key: 'worker',
            head: 'Worker',
            mono: true,
            card: { full: true, label: 'Worker' },
            cell: (row) => row.worker,
          },
          {
            key: 'since',
            head: 'Runs for',
            number: true,
            width: '88px',
            card: { label: 'Runs for' },
            cell: (row) => durationText(row.seconds),
          },
          {
            key: 'lease',
            head: 'Lease left',
            number: true,
            width: '88px',
            card: { label: 'Lease left' },
            cell: (row) =>
              row.leaseSeconds > 0 ? durationText(row.leaseSeconds) : <Tag kind="wait">ended</Tag>,
          },
        ]}
      />
    </Panel>
  );
}

/** What each worker did for this release. */
export function Workers({ data }: { data: BuildView }) {
  return (
    <Panel title="Workers" count={data.workers.length} flush>
      <DataTable<BuildWorker>
        caption="Workers of this release"
        cards={3}
        rows={data.workers}
        rowKey={(row) => row.worker}
        empty={<Empty title="No worker has taken a partition yet." />}
        columns={[
          {
            key: 'worker',
            head: 'Worker',
            mono: true,
            card: { full: true },
            cell: (row) => row.worker,
          },
          {
            key: 'running',
            head: 'Running',
            number: true,
            card: { label: 'Running' },
            cell: (row) => <Figure value={row.running} />,
          },
          {
            key: 'accepted',
            head: <Term name="receipt">Receipts</Term>,
            number: true,
            card: { label: 'Receipts' },
            cell: (row) => <Figure value={row.accepted} />,
          },
          {
            key: 'rows',
            head: 'Rows',
            number: true,
            card: { label: 'Rows' },
            cell: (row) => <Figure value={row.rows} />,
          },
          {
            key: 'failed',
            head: 'Failed',
            number: true,
            card: { label: 'Failed' },
            cell: (row) => <Figure value={row.failed} />,
          },
          {
            key: 'lost',
            head: 'Lost',
            number: true,
            card: { label: 'Lost' },
            cell: (row) => <Figure value={row.lost} />,
          },
          {
            key: 'last',
            head: 'Last seen',
            number: true,
            card: { label: 'Last seen' },
            cell: (row) => <TimeOfDay zone={data.zone} at={row.lastAt} />,
          },
        ]}
      />
    </Panel>
  );
}

/** Partitions that failed, with PostgreSQL’s own words, and the one way on. */
export function Failures({ data, can, move }: { data: BuildView; can: BuildCan; move: Move }) {
  const many = countText(data.failed, 'failed partition');
  return (
    <Panel
      title="Failed partitions"
      count={data.failed}
      flush
      aside={
        can['release.retry'] && data.state === 'BUILDING' ? (
          <PrimaryAction
            label={`Retry ${many}`}
            pendingLabel="Planning again…"
            variant="plain"
            size="sm"
            confirm={{
              title: `Retry ${many}?`,
              body: (
                <p>
                  Each is planned again and built by the next worker that is free, with a new
                  attempt. Partitions with a receipt are left alone.
                </p>
              ),
              comment: 'optional',
            }}
            action={({ comment, key }) => move('retry', words(comment), key)}
            onDone={() => {
              say(`${many} planned again`);
            }}
          />
        ) : undefined
      }
    >
      <DataTable<FailedPartition>
        caption="Failed partitions"
        cards={2}
        rows={data.failures}
        rowKey={(row) => row.start}
        columns={[
          {
            key: 'partition',
            head: 'Partition',
            card: { full: true },
            cell: (row) => <Between zone={data.zone} from={row.start} to={row.end} />,
          },
          {
            key: 'error',
            head: 'Why',
            card: { full: true },
            cell: (row) => <span className="bad">{row.error ?? 'no reason was given'}</span>,
          },
          {
            key: 'attempt',
            head: 'Tries',
            number: true,
            card: { label: 'Tries' },
            cell: (row) => row.attempt,
          },
          {
            key: 'at',
            head: 'At',
            number: true,
            card: { label: 'At' },
            cell: (row) => <TimeOfDay zone={data.zone} at={row.at} />,
          },
        ]}
      />
      {data.failed > data.failures.length && (
        <p className="pad s m">
          The first {data.failures.length} of {data.failed} in order of time.
        </p>
      )}
    </Panel>
  );
}
