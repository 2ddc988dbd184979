'use client';

import Link from 'next/link';
import { Fragment } from 'react';
import { useLive } from '@/components/hooks/use-live';
import { DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { BigFigure, Facts, Figure } from '@/components/ui/figure';
import { figureText } from '@/components/ui/figure-text';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { Tag } from '@/components/ui/tag';
import type { LogEvent } from '@/lib/queries/source-log';
import type { SourceShardView } from '@/lib/queries/source-view';
import type { Can } from '../../_parts/access';
import { asOf, TimeOfDay, When } from '../../_parts/when';
import type { SourceData } from './read';
import { StreamSwitch } from './stream-switch';

/** A source: its shards, its columns, and what came last. */
export function SourcePageView({ initial, can }: { initial: SourceData; can: Can<'demo.stream'> }) {
  const { data, refresh } = useLive<SourceData>({
    url: `/sources/${initial.name}/live`,
    initial,
    asOf: asOf('UTC'),
  });
  return (
    <>
      <PageHead
        title={data.name}
        badges={<Tag>source</Tag>}
        facts={[
          <span key="key">
            key <span className="mono">{data.key.join(', ')}</span>
          </span>,
          data.eventTime ? (
            <span key="time">
              event time <span className="mono">{data.eventTime}</span>
            </span>
          ) : (
            'no event time'
          ),
          data.complete
            ? 'holds the whole history: an absent key is a delete'
            : 'does not hold the whole history',
          ...(data.retentionDays === null
            ? []
            : [`pruned after ${data.retentionDays} days to the newest event of each key`]),
        ]}
      />
      <div className="stack">
        <Panel label="The log">
          <div className="figs">
            <BigFigure label="Events kept" value={figureText(data.size)} note="in all shards" />
            <BigFigure
              label="Keys"
              value={figureText(data.keys)}
              note="whose newest event is no delete"
            />
            <BigFigure
              label="Last minute"
              value={figureText(data.lastMinute)}
              note="events received"
            />
            <BigFigure
              label="Read by"
              value={figureText(data.datasets.length)}
              note={
                data.datasets.length === 0
                  ? 'no dataset'
                  : data.datasets.map((name, at) => (
                      <Fragment key={name}>
                        {at > 0 && ', '}
                        <Link href={`/datasets/${name}`}>{name}</Link>
                      </Fragment>
                    ))
              }
            />
          </div>
        </Panel>
        <div className="grid side">
          <div className="stack">
            <Newest events={data.newest} />
          </div>
          <div className="stack">
            {data.stream && (
              <StreamSwitch stream={data.stream} may={can['demo.stream']} refresh={refresh} />
            )}
            <ShardList shards={data.shards} />
            <Panel title="Columns" count={data.columns.length}>
              <Facts
                items={data.columns.map((column) => ({
                  term: column.name,
                  value: (
                    <>
                      <span className="mono">{column.type}</span>
                      {data.key.includes(column.name) && ' key'}
                      {column.nullable && <span className="q"> may be NULL</span>}
                    </>
                  ),
                }))}
              />
            </Panel>
          </div>
        </div>
      </div>
    </>
  );
}

function ShardList({ shards }: { shards: readonly SourceShardView[] }) {
  return (
    <Panel title="Shards" count={shards.length}>
      <DataTable<SourceShardView>
        caption="Shards of the log"
        rows={shards}
        rowKey={(row) => String(row.shard)}
        columns={[
          { key: 'shard', head: 'Shard', cell: (row) => row.shard },
          {
            key: 'from',
            head: 'Whole from',
            number: true,
            cell: (row) => <Figure value={row.retainedFrom} />,
          },
          {
            key: 'last',
            head: 'Last offset',
            number: true,
            cell: (row) => <Figure value={row.lastOffset} />,
          },
        ]}
      />
    </Panel>
  );
}

function Newest({ events }: { events: readonly LogEvent[] }) {
  return (
    <Panel title="Newest events" count={events.length} flush>
      <DataTable<LogEvent>
        caption="Newest events"
        cards={2}
        rows={events}
        rowKey={(row) => `${row.shard} ${row.offset}`}
        empty={
          <Empty title="The log is empty.">
            A writer posts events to <span className="mono">/api/v1/sources/…/events</span>, or{' '}
            <span className="mono">interlock source import</span> reads them from files.
          </Empty>
        }
        columns={[
          {
            key: 'received',
            head: 'Received',
            nowrap: true,
            card: { label: 'Received' },
            cell: (row) => <TimeOfDay zone="UTC" at={row.receivedAt} />,
          },
          {
            key: 'key',
            head: 'Key',
            mono: true,
            card: { full: true },
            cell: (row) => (
              <>
                {row.key} <span className="q">r{row.revision}</span>
              </>
            ),
          },
          {
            key: 'op',
            head: 'Operation',
            card: { label: 'Operation' },
            cell: (row) => (
              <>
                {row.op}
                {!row.effective && <Tag>not effective</Tag>}
              </>
            ),
          },
          {
            key: 'time',
            head: 'Event time',
            card: { full: true, label: 'Event time' },
            cell: (row) =>
              row.eventTime === null ? (
                <span className="q">none</span>
              ) : (
                <When zone="UTC" at={row.eventTime} />
              ),
          },
          {
            key: 'place',
            head: 'Shard, offset',
            number: true,
            card: { label: 'Shard, offset' },
            cell: (row) => `${row.shard}, ${figureText(row.offset)}`,
          },
        ]}
      />
    </Panel>
  );
}
