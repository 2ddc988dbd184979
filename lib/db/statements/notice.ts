import { type SQL, sql } from 'drizzle-orm';
import { affected, type Database, json, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { MOST_ATTEMPTS, type NoticeKind, retryWaitSeconds } from '@/lib/domain/notices';

export interface NewNotice {
  /** Null only for the test of a subscriber of every dataset. */
  dataset: string | null;
  kind: NoticeKind;
  subject: string;
  body: Record<string, unknown>;
}

export interface WrittenNotice {
  id: string;
  uuid: string;
  /** Subscribers that are to be told. */
  told: number;
}

/**
 * A notice with one delivery for each subscriber that `who` names, `s`. Takes no lock that a later
 * one of the same transaction waits behind: rows of its own, and shared ones of what it refers to.
 */
export async function insertNotice(
  tx: Tx,
  { dataset, kind, subject, body }: NewNotice,
  who: SQL,
): Promise<WrittenNotice> {
  const { id, uuid } = await one<{ id: string; uuid: string }>(
    tx,
    sql`insert into control.notice (dataset, kind, subject, body)
      values (${dataset}, ${kind}, ${subject}, ${json(body)}) returning id, uuid`,
  );
  const told = await affected(
    tx,
    sql`insert into control.notice_delivery (notice, subscriber)
      select ${id}, s.name from control.subscriber s
      where s.ended_at is null and ${who} order by s.name`,
  );
  return { id, uuid, told };
}

/** Of whom are told of a dataset: who asked for the kind, or for all of them. */
export const askedFor = (dataset: string, kind: NoticeKind): SQL =>
  sql`(s.dataset is null or s.dataset = ${dataset})
    and (cardinality(s.kinds) = 0 or ${kind} = any(s.kinds))`;

/** One delivery that is this caller's to try. */
export interface ClaimedDelivery {
  notice: string;
  subscriber: string;
  /** Which try this is: a later one's outcome counts, not this one's. */
  attempt: number;
  url: string;
  secret: string;
  uuid: string;
  kind: NoticeKind;
  dataset: string | null;
  subject: string;
  at: string;
  body: unknown;
}

/**
 * Takes one due delivery, by counting its try and moving its next one past the lease: two callers
 * never take the same, and what a dead one took is due again when the lease is over. Null: none is
 * due. A subscriber with fewer tries under way goes first, so that one who never answers holds up
 * nobody else for longer than it takes.
 */
export function claimDelivery(db: Database, leaseSeconds: number): Promise<ClaimedDelivery | null> {
  return maybeOne<ClaimedDelivery>(
    db,
    sql`with due as (
        select d.notice, d.subscriber from control.notice_delivery d
        join control.subscriber s on s.name = d.subscriber and s.ended_at is null
        where d.state = 'WAITING' and d.next_attempt_at <= clock_timestamp()
          and d.attempts < ${MOST_ATTEMPTS}
        order by (select count(*) from control.notice_delivery o
            where o.subscriber = d.subscriber and o.state = 'WAITING' and o.attempts > 0
              and o.next_attempt_at > clock_timestamp()),
          d.next_attempt_at, d.notice
        limit 1 for update of d skip locked
      ), taken as (
        update control.notice_delivery d set attempts = d.attempts + 1,
          next_attempt_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
        from due where d.notice = due.notice and d.subscriber = due.subscriber
        returning d.notice, d.subscriber, d.attempts
      )
      select t.notice, t.subscriber, t.attempts as attempt, s.url, s.secret, n.uuid, n.kind,
        n.dataset, n.subject, n.at, n.body
      from taken t
      join control.subscriber s on s.name = t.subscriber
      join control.notice n on n.id = t.notice`,
  );
}

/** That it was delivered is true whoever found out, also after its lease. */
export async function recordDelivered(
  db: Database,
  { notice, subscriber }: ClaimedDelivery,
  status: number,
): Promise<void> {
  await affected(
    db,
    sql`update control.notice_delivery set state = 'DELIVERED', delivered_at = clock_timestamp(),
        last_status = ${status}, last_error = null
      where notice = ${notice} and subscriber = ${subscriber} and state <> 'DELIVERED'`,
  );
}

/**
 * That a try did not deliver it: the next one comes after its wait, or none after the last. Nothing
 * is written where a later try has begun meanwhile, or somebody ended it.
 */
export async function recordFailed(
  db: Database,
  { notice, subscriber, attempt }: ClaimedDelivery,
  { status, error }: { status: number | null; error: string },
): Promise<void> {
  await affected(
    db,
    sql`update control.notice_delivery set last_status = ${status}, last_error = ${error},
        state = ${attempt >= MOST_ATTEMPTS ? 'FAILED' : 'WAITING'},
        next_attempt_at = clock_timestamp() + make_interval(secs => ${retryWaitSeconds(attempt)})
      where notice = ${notice} and subscriber = ${subscriber} and state = 'WAITING'
        and attempts = ${attempt}`,
  );
}

const NO_WORD = 'The process that made the last try ended before it could say what came of it.';
const WAS_ENDED = 'The subscriber was ended.';

/**
 * Gives up what nobody will try any more: after a last try of which no word came, and what was
 * written for a subscriber in the moment in which it was ended.
 */
export function failHopeless(db: Database): Promise<number> {
  return affected(
    db,
    sql`update control.notice_delivery d set state = 'FAILED', last_status = null,
        last_error = case when s.ended_at is null then ${NO_WORD} else ${WAS_ENDED} end
      from control.subscriber s
      where s.name = d.subscriber and d.state = 'WAITING'
        and d.next_attempt_at <= clock_timestamp()
        and (s.ended_at is not null or d.attempts >= ${MOST_ATTEMPTS})`,
  );
}

/** Whether anything is due: what asks the queue for a look. */
export async function anyDue(db: Database): Promise<boolean> {
  const found = await rows(
    db,
    sql`select 1 from control.notice_delivery
      where state = 'WAITING' and next_attempt_at <= clock_timestamp() limit 1`,
  );
  return found.length > 0;
}

/** Ends what still waits for a subscriber that is being ended. */
export function endDeliveries(tx: Tx, subscriber: string): Promise<number> {
  return affected(
    tx,
    sql`update control.notice_delivery set state = 'FAILED', last_status = null,
        last_error = ${WAS_ENDED}
      where subscriber = ${subscriber} and state = 'WAITING'`,
  );
}
