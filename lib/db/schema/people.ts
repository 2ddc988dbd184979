import { sql } from 'drizzle-orm';
import { boolean, integer, jsonb, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { control, instant } from './types';

export const person = control.table('person', {
  name: text().primaryKey(),
  displayName: text('display_name').notNull(),
  email: text(),
  demo: boolean().notNull().default(false),
  createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
});

export const personRole = control.table(
  'person_role',
  {
    person: text()
      .notNull()
      .references(() => person.name),
    role: text().notNull(),
    grantedAt: instant('granted_at').notNull().default(sql`clock_timestamp()`),
    grantedBy: text('granted_by'),
  },
  (t) => [primaryKey({ columns: [t.person, t.role] })],
);

/** Only the SHA-256 of a token is kept; its roles count as far as its person still has them. */
export const token = control.table('token', {
  id: uuid().primaryKey().default(sql`gen_random_uuid()`),
  person: text()
    .notNull()
    .references(() => person.name),
  hash: text().notNull().unique(),
  roles: text().array().notNull(),
  createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
  createdBy: text('created_by'),
  lastUsedAt: instant('last_used_at'),
  revokedAt: instant('revoked_at'),
});

/** The first answer to a POST, kept per (person, route, key); a refusal is never stored. */
export const idempotency = control.table(
  'idempotency',
  {
    person: text().notNull(),
    route: text().notNull(),
    key: text().notNull(),
    bodyDigest: text('body_digest').notNull(),
    status: integer(),
    answer: jsonb(),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.person, t.route, t.key] })],
);

/** Switches of the installation, e.g. whether the demo's live events flow. */
export const setting = control.table('setting', {
  name: text().primaryKey(),
  value: jsonb().notNull(),
  changedAt: instant('changed_at').notNull().default(sql`clock_timestamp()`),
  changedBy: text('changed_by'),
});
