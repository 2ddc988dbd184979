import { type SQL, sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { idForm } from '@/lib/domain/id-form';
import {
  type AskedKind,
  type DeliveryState,
  type NoticeKind,
  shownUrl,
  type Told,
} from '@/lib/domain/notices';
import { NotFound } from '@/lib/domain/refusal';
import { type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';

/** That a subscriber is to be told of a notice, and what became of it. */
export interface DeliveryView {
  subscriber: string;
  state: DeliveryState;
  /** Tries that were begun since it was written, or sent again. */
  attempts: number;
  /** While it waits: when it is tried next, or the try under way is given up. */
  nextAttemptAt: string | null;
  /** HTTP status of the last answer; null where none came. */
  status: number | null;
  /** Why the last try did not deliver it: text that somebody else's server wrote, cut. */
  error: string | null;
  deliveredAt: string | null;
}

export interface NoticeView {
  /** What receivers drop repetitions by. */
  id: string;
  kind: NoticeKind;
  dataset: string | null;
  subject: string;
  at: string;
  body: Record<string, unknown>;
  deliveries: DeliveryView[];
}

export interface SubscriberView {
  name: string;
  /** Null: of every dataset. */
  dataset: string | null;
  /** Whole for who manages subscribers; for others without its query, which may hold a key. */
  url: string;
  /** None: of everything. */
  kinds: AskedKind[];
  madeBy: string;
  madeAt: string;
  endedBy: string | null;
  endedAt: string | null;
  waiting: number;
  delivered: number;
  failed: number;
  /** The newest notice that it is, or was, to be told of. */
  last: (DeliveryView & Pick<NoticeView, 'id' | 'kind' | 'subject' | 'at'>) | null;
  /** Ids of the newest notices that were given up. */
  failures: string[];
}

const mostFailures = 100;

const delivery = sql`jsonb_build_object('subscriber', d.subscriber, 'state', d.state,
  'attempts', d.attempts,
  'nextAttemptAt', case when d.state = 'WAITING' then ${utc(sql`d.next_attempt_at`)} end,
  'status', d.last_status, 'error', d.last_error, 'deliveredAt', ${utc(sql`d.delivered_at`)})`;

/** An instant within JSON in the form that the client gives it in everywhere else. */
function utc(instant: SQL): SQL {
  return sql`regexp_replace(to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
    '\.?0+$', '') || 'Z'`;
}

const subscriberColumns = sql`s.name, s.dataset, s.url, s.kinds, s.made_by as "madeBy",
  s.made_at as "madeAt", s.ended_by as "endedBy", s.ended_at as "endedAt",
  c.waiting, c.delivered, c.failed, l.last,
  array(select n.uuid::text from control.notice_delivery f join control.notice n on n.id = f.notice
    where f.subscriber = s.name and f.state = 'FAILED'
    order by f.notice desc limit ${mostFailures}) as failures`;

const subscriberTables = sql`control.subscriber s
  cross join lateral (select count(*) filter (where d.state = 'WAITING')::int as waiting,
      count(*) filter (where d.state = 'DELIVERED')::int as delivered,
      count(*) filter (where d.state = 'FAILED')::int as failed
    from control.notice_delivery d where d.subscriber = s.name) c
  left join lateral (select ${delivery} || jsonb_build_object('id', n.uuid, 'kind', n.kind,
      'subject', n.subject, 'at', ${utc(sql`n.at`)}) as last
    from control.notice_delivery d join control.notice n on n.id = d.notice
    where d.subscriber = s.name order by d.notice desc limit 1) l on true`;

const nameForm = /^[a-z][a-z0-9-]{0,47}$/;

/** With the address as the caller may see it. */
const seen = (subscriber: SubscriberView, whole: boolean): SubscriberView =>
  whole ? subscriber : { ...subscriber, url: shownUrl(subscriber.url) };

/** Subscribers by name: those that are told, those that were ended, or all of them. */
export async function subscriberList(
  db: Database | Tx,
  { whole, ended = null }: { whole: boolean; ended?: boolean | null },
  { limit, cursor }: PageRequest,
): Promise<Page<SubscriberView>> {
  const [after] = readCursor(cursor, [nameForm]) ?? [''];
  const found = await rows<SubscriberView>(
    db,
    sql`select ${subscriberColumns} from ${subscriberTables}
      where s.name > ${after}
        and (${ended}::boolean is null or (s.ended_at is not null) = ${ended}::boolean)
      order by s.name limit ${limit + 1}`,
  );
  const list = found.map((each) => seen(each, whole));
  return pageOf(list, limit, ({ name }) => [name]);
}

/** @throws NotFound */
export async function subscriberView(
  db: Database | Tx,
  name: string,
  { whole }: { whole: boolean },
): Promise<SubscriberView> {
  const found = await maybeOne<SubscriberView>(
    db,
    sql`select ${subscriberColumns} from ${subscriberTables} where s.name = ${name}`,
  );
  if (!found) throw new NotFound('subscriber', name);
  return seen(found, whole);
}

/** Who is told of a dataset, and of what; none is everything. */
export function subscribersOf(
  db: Database | Tx,
  dataset: string,
): Promise<{ name: string; kinds: AskedKind[]; every: boolean }[]> {
  return rows(
    db,
    sql`select name, kinds, dataset is null as every from control.subscriber
      where ended_at is null and (dataset is null or dataset = ${dataset}) order by name`,
  );
}

const noticeColumns = sql`n.id as key, n.uuid as id, n.kind, n.dataset, n.subject, n.at, n.body,
  coalesce((select jsonb_agg(${delivery} order by d.subscriber) from control.notice_delivery d
    where d.notice = n.id), '[]') as deliveries`;

const withoutKey = ({ key: _, ...notice }: NoticeView & { key: string }): NoticeView => notice;

/**
 * What was told of a dataset, newest first.
 *
 * @throws NotFound
 */
export async function noticeList(
  db: Database | Tx,
  dataset: string,
  { limit, cursor }: PageRequest,
): Promise<Page<NoticeView>> {
  const [before] = readCursor(cursor, [idForm]) ?? [null];
  const there = await maybeOne(
    db,
    sql`select 1 from control.dataset where name = ${dataset} and fork_of is null`,
  );
  if (!there) throw new NotFound('dataset', dataset);
  const found = await rows<NoticeView & { key: string }>(
    db,
    sql`select ${noticeColumns} from control.notice n
      where n.dataset = ${dataset} and (${before}::bigint is null or n.id < ${before}::bigint)
      order by n.id desc limit ${limit + 1}`,
  );
  const page = pageOf(found, limit, ({ key }) => [key]);
  return { ...page, items: page.items.map(withoutKey) };
}

/**
 * One notice by the id that its receivers see.
 *
 * @throws NotFound
 */
export async function noticeView(db: Database | Tx, id: string): Promise<NoticeView> {
  const found = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
    ? await maybeOne<NoticeView & { key: string }>(
        db,
        sql`select ${noticeColumns} from control.notice n where n.uuid = ${id}`,
      )
    : null;
  if (!found) throw new NotFound('notice', id);
  return withoutKey(found);
}

/** How many were told of a release's newest cutover, or rollback; null before there was one. */
export function toldOf(
  db: Database | Tx,
  { dataset, kind, release }: { dataset: string; kind: NoticeKind; release: string },
): Promise<Told | null> {
  return maybeOne<Told>(
    db,
    sql`select (select count(*)::int from control.notice_delivery where notice = n.id) as total,
        (select count(*)::int from control.notice_delivery
          where notice = n.id and state = 'DELIVERED') as delivered,
        (select count(*)::int from control.notice_delivery
          where notice = n.id and state = 'WAITING') as waiting,
        (select count(*)::int from control.notice_delivery
          where notice = n.id and state = 'FAILED') as failed
      from control.notice n
      where n.dataset = ${dataset} and n.kind = ${kind} and n.subject = ${release}
      order by n.id desc limit 1`,
  );
}
