import { sql } from 'drizzle-orm';
import { index, jsonb, primaryKey, text } from 'drizzle-orm/pg-core';
import { control, identity, instant, int8 } from './types';

/** Append-only by grants and trigger; each row's hash covers the one before it in its chain. */
export const auditEvent = control.table(
  'audit_event',
  {
    id: identity().primaryKey(),
    /** `dataset:<name>`, `people`, or `heads` (the chain over the others' heads). */
    chain: text().notNull(),
    seq: int8().notNull(),
    prev: text().notNull(),
    hash: text().notNull(),
    at: instant().notNull(),
    actor: text().notNull(),
    verb: text().notNull(),
    subject: text().notNull(),
    /** done | refused */
    outcome: text().notNull(),
    before: jsonb(),
    after: jsonb(),
    reason: text(),
    evidence: text(),
    requestId: text('request_id').notNull(),
  },
  (t) => [
    index('audit_event_chain').on(t.chain, t.seq),
    index('audit_event_subject').on(t.subject, t.id),
    // what the audit page filters by, and where it finds what there is to choose
    index('audit_event_actor').on(t.actor, t.id),
    index('audit_event_verb').on(t.verb, t.id),
  ],
);

export const auditHead = control.table(
  'audit_head',
  { chain: text().notNull(), seq: int8().notNull(), hash: text().notNull() },
  (t) => [primaryKey({ columns: [t.chain] })],
);

/** Calls by strangers, counted per minute; never a row each. */
export const strangerCall = control.table(
  'stranger_call',
  {
    window: instant('window_start').notNull(),
    door: text().notNull(),
    count: int8().notNull().default(sql`0`),
  },
  (t) => [primaryKey({ columns: [t.window, t.door] })],
);
