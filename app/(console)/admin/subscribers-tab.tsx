import Link from 'next/link';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { countText, figureText } from '@/components/ui/figure-text';
import { sayNoticeKind } from '@/lib/domain/notices';
import type { SubscriberView } from '@/lib/queries/notices';
import { DeliveryBadge, kindsText } from '../_parts/told';
import { When } from '../_parts/when';
import { SubscriberActs } from './subscriber-acts';

/** Subscribers by name, with how their newest notice went. */
export function SubscribersTable({
  subscribers,
  ended,
  may,
}: {
  subscribers: readonly SubscriberView[];
  ended: boolean;
  may: boolean;
}) {
  const columns: Column<SubscriberView>[] = [
    {
      key: 'name',
      head: 'Name',
      width: '28%',
      card: { full: true },
      cell: ({ name, url, madeAt, madeBy, endedAt, endedBy }) => (
        <>
          <b>{name}</b>
          <span className="s mono wrap">{url}</span>
          <span className="s wrap">
            {endedAt === null ? 'since' : 'ended'} <When zone="UTC" at={endedAt ?? madeAt} />, by{' '}
            {endedBy ?? madeBy}
          </span>
        </>
      ),
    },
    {
      key: 'of',
      head: 'Told of',
      card: { full: true, label: 'Told of' },
      cell: ({ dataset, kinds }) => (
        <>
          {dataset === null ? (
            'every dataset'
          ) : (
            <Link href={`/datasets/${dataset}#subscribers`}>{dataset}</Link>
          )}
          <span className="s">{kindsText(kinds)}</span>
        </>
      ),
    },
    {
      key: 'last',
      head: 'Last notice',
      card: { full: true, label: 'Last notice' },
      cell: ({ last }) => <Last last={last} />,
    },
    {
      key: 'counts',
      head: 'Delivered',
      number: true,
      card: { label: 'Delivered' },
      cell: ({ delivered, waiting, failed }) => (
        <>
          {figureText(delivered)}
          {waiting > 0 && <span className="s">{waiting} waiting</span>}
          {failed > 0 && <span className="s bad">{figureText(failed)} failed</span>}
        </>
      ),
    },
  ];
  if (may && !ended) {
    columns.push({
      key: 'act',
      head: <span className="sr">Change</span>,
      number: true,
      card: { full: true },
      cell: (subscriber) => <SubscriberActs subscriber={subscriber} />,
    });
  }
  return (
    <DataTable<SubscriberView>
      caption="Subscribers"
      cards={2}
      rows={subscribers}
      rowKey={({ name }) => name}
      columns={columns}
      empty={<NoSubscribers ended={ended} may={may} />}
    />
  );
}

function Last({ last }: Pick<SubscriberView, 'last'>) {
  if (last === null) return <span className="q">told nothing yet</span>;
  const { kind, subject, state, deliveredAt, nextAttemptAt, attempts, error } = last;
  return (
    <>
      <DeliveryBadge state={state} />
      <span className="s wrap">
        {sayNoticeKind(kind)}
        {kind !== 'TEST' && ` ${subject}`}
        {deliveredAt !== null && (
          <>
            , <When zone="UTC" at={deliveredAt} />
          </>
        )}
        {nextAttemptAt !== null && attempts > 0 && (
          <>
            , next try <When zone="UTC" at={nextAttemptAt} />
          </>
        )}
        {state === 'FAILED' && attempts > 0 && `, after ${countText(attempts, 'try', 'tries')}`}
      </span>
      {error !== null && (
        <span className="s wrap answered" title={error}>
          {error}
        </span>
      )}
    </>
  );
}

function NoSubscribers({ ended, may }: { ended: boolean; may: boolean }) {
  if (ended) {
    return (
      <Empty title="None was ended.">Whoever was told once stays here with what it got.</Empty>
    );
  }
  return (
    <Empty title="Nobody is told of anything.">
      A subscriber is an address to which notices of cutovers, rollbacks, publications and
      corrections are posted.{' '}
      {may ? 'Add one above, and send it a test.' : 'An admin can add one here.'}
    </Empty>
  );
}
