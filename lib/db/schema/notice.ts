import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { dataset } from './dataset';
import { control, identity, instant, int8 } from './types';

/** Who is told what became of datasets, at an address. A name is never used twice. */
export const subscriber = control.table(
  'subscriber',
  {
    name: text().primaryKey(),
    /** Null: of every dataset. */
    dataset: text().references(() => dataset.name),
    url: text().notNull(),
    /** Kinds of notices; none is all. */
    kinds: text().array().notNull().default([]),
    /** In clear: every call is signed with it. */
    secret: text().notNull(),
    madeBy: text('made_by').notNull(),
    madeAt: instant('made_at').notNull().default(sql`clock_timestamp()`),
    endedBy: text('ended_by'),
    endedAt: instant('ended_at'),
  },
  (t) => [
    check('subscriber_ended', sql`(${t.endedAt} is null) = (${t.endedBy} is null)`),
    check('subscriber_not_of_a_fork', sql`position('~' in ${t.dataset}) = 0`),
  ],
);

/** What subscribers are told, written in the transaction of what it tells of. Append-only. */
export const notice = control.table(
  'notice',
  {
    /** The order in which they were written. */
    id: identity().primaryKey(),
    /** The id that receivers see and drop repetitions by: the same at every try. */
    uuid: uuid().notNull().unique().default(sql`gen_random_uuid()`),
    /** Null: a test of a subscriber of every dataset. */
    dataset: text().references(() => dataset.name),
    kind: text().notNull(),
    /** A release, `name@revision`, or an interval; of a test the subscriber. */
    subject: text().notNull(),
    body: jsonb().notNull(),
    at: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('notice_dataset').on(t.dataset, t.id),
    check(
      'notice_kind',
      sql`${t.kind} in ('CUTOVER', 'ROLLED_BACK', 'PUBLISHED', 'CORRECTED', 'CONTAMINATED',
        'CONTAMINATION_LIFTED', 'CONTAMINATION_PUT_BACK', 'TEST')`,
    ),
    check('notice_of_a_dataset', sql`${t.dataset} is not null or ${t.kind} = 'TEST'`),
    check('notice_not_of_a_fork', sql`position('~' in ${t.dataset}) = 0`),
  ],
);

/** That a subscriber is to be told of a notice, and what became of it. */
export const noticeDelivery = control.table(
  'notice_delivery',
  {
    notice: int8()
      .notNull()
      .references(() => notice.id),
    subscriber: text()
      .notNull()
      .references(() => subscriber.name),
    /** WAITING | DELIVERED | FAILED */
    state: text().notNull().default('WAITING'),
    /** Tries that were begun; whoever begins one owns it by this number. */
    attempts: integer().notNull().default(0),
    /** From when on it is due; while a try is under way, when that one is given up. */
    nextAttemptAt: instant('next_attempt_at').notNull().default(sql`clock_timestamp()`),
    /** HTTP status of the last answer; null where none came. */
    lastStatus: integer('last_status'),
    /** Why the last try did not deliver it: what came back, cut. */
    lastError: text('last_error'),
    deliveredAt: instant('delivered_at'),
  },
  (t) => [
    primaryKey({ columns: [t.notice, t.subscriber] }),
    index('notice_delivery_subscriber').on(t.subscriber, t.notice),
    index('notice_delivery_due').on(t.nextAttemptAt).where(sql`state = 'WAITING'`),
    check('notice_delivery_state', sql`${t.state} in ('WAITING', 'DELIVERED', 'FAILED')`),
    check(
      'notice_delivery_delivered',
      sql`(${t.state} = 'DELIVERED') = (${t.deliveredAt} is not null)`,
    ),
    check('notice_delivery_error', sql`length(${t.lastError}) <= 500`),
  ],
);
