import Link from 'next/link';
import { ButtonLink } from '@/components/ui/button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Panel } from '@/components/ui/panel';
import { sayNoticeKind } from '@/lib/domain/notices';
import {
  type DeliveryView,
  type NoticeView,
  noticeList,
  subscribersOf,
} from '@/lib/queries/notices';
import { webDatabase } from '@/lib/web/db';
import { DeliveryBadge, kindsText } from '../../_parts/told';
import { When } from '../../_parts/when';

const SHOWN = 10;

/** Who is told what became of the dataset, and of its newest notices whom they reached. */
export async function SubscribersPanel({
  dataset,
  zone,
  mayManage,
}: {
  dataset: string;
  zone: string;
  mayManage: boolean;
}) {
  const db = webDatabase();
  const subscribers = await subscribersOf(db, dataset);
  const { items, nextCursor } = await noticeList(db, dataset, { limit: SHOWN });
  return (
    <Panel
      title="Subscribers"
      id="subscribers"
      count={subscribers.length}
      aside={
        mayManage && (
          <ButtonLink size="sm" href="/admin?tab=subscribers">
            Manage
          </ButtonLink>
        )
      }
      flush
    >
      {subscribers.length === 0 ? (
        <div className="pad">
          <Empty title="Nobody is told.">
            A cutover, a rollback, a publication or a correction is posted to whoever subscribes to
            it.{' '}
            {mayManage ? (
              <Link href="/admin?tab=subscribers">Add a subscriber</Link>
            ) : (
              'An admin adds subscribers, under Admin'
            )}
            , with the address to post to.
          </Empty>
        </div>
      ) : (
        <ul className="pad told-who">
          {subscribers.map(({ name, kinds, every }) => (
            <li key={name}>
              <b>{name}</b>{' '}
              <span className="m">
                of {kindsText(kinds)}
                {every && ', as of every dataset'}
              </span>
            </li>
          ))}
        </ul>
      )}
      {(items.length > 0 || subscribers.length > 0) && (
        <DataTable<NoticeView>
          caption="Newest notices"
          cards={2}
          rows={items}
          rowKey={({ id }) => id}
          empty={<Empty title="There was nothing to tell yet." />}
          columns={columnsIn(zone)}
        />
      )}
      {nextCursor !== null && (
        <p className="pad s m">The newest {SHOWN}; the API lists all of them.</p>
      )}
    </Panel>
  );
}

const columnsIn = (zone: string): Column<NoticeView>[] => [
  {
    key: 'notice',
    head: 'Notice',
    width: '30%',
    card: { full: true },
    cell: ({ kind, subject, body }) => (
      <>
        {sayNoticeKind(kind)}
        <span className="s wrap">
          {typeof body.link === 'string' && body.link.startsWith('/') ? (
            <Link href={body.link}>{subject}</Link>
          ) : (
            subject
          )}
        </span>
      </>
    ),
  },
  {
    key: 'told',
    head: 'Told',
    card: { full: true, label: 'Told' },
    cell: ({ deliveries }) =>
      deliveries.length === 0 ? (
        <span className="q">nobody asked</span>
      ) : (
        <ul className="told-who">
          {deliveries.map((delivery) => (
            <Told key={delivery.subscriber} delivery={delivery} zone={zone} />
          ))}
        </ul>
      ),
  },
  {
    key: 'at',
    head: 'Written',
    number: true,
    card: { label: 'Written' },
    cell: ({ at }) => <When zone={zone} at={at} />,
  },
];

function Told({ delivery, zone }: { delivery: DeliveryView; zone: string }) {
  const { subscriber, state, error, attempts, nextAttemptAt } = delivery;
  return (
    <li>
      <DeliveryBadge state={state} subscriber={subscriber} />{' '}
      {state === 'WAITING' && attempts > 0 && nextAttemptAt !== null && (
        <span className="s">
          next try <When zone={zone} at={nextAttemptAt} />
        </span>
      )}
      {error !== null && (
        <span className="s wrap answered" title={error}>
          {error}
        </span>
      )}
    </li>
  );
}
