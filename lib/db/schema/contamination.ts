import { sql } from 'drizzle-orm';
import { check, index, text } from 'drizzle-orm/pg-core';
import { dataset } from './dataset';
import { cutover, rollback } from './release';
import { control, identity, instant, int8 } from './types';

/** An interval whose served values are known to be wrong. Append-only: what becomes of it are turns. */
export const contamination = control.table(
  'contamination',
  {
    id: identity().primaryKey(),
    dataset: text()
      .notNull()
      .references(() => dataset.name),
    /** Half-open, on partition edges. */
    from: instant('range_from').notNull(),
    to: instant('range_to').notNull(),
    reason: text().notNull(),
    /** Since when the wrong values were served; null where nobody knows. */
    servedSince: instant('served_since'),
    /** Name of the release that repairs it, all revisions; a later link takes its place. */
    repairedBy: text('repaired_by'),
    by: text().notNull(),
    at: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('contamination_dataset').on(t.dataset, t.id),
    check('contamination_interval', sql`${t.from} < ${t.to}`),
    check('contamination_not_of_a_fork', sql`position('~' in ${t.dataset}) = 0`),
  ],
);

/**
 * What became of a mark, in order. It stands unless the newest of LIFTED and PUT_BACK is LIFTED.
 * Append-only.
 */
export const contaminationTurn = control.table(
  'contamination_turn',
  {
    id: identity().primaryKey(),
    contamination: int8()
      .notNull()
      .references(() => contamination.id),
    /** LINKED | LIFTED | PUT_BACK */
    kind: text().notNull(),
    /** Name of the release that it was linked to. */
    release: text(),
    /** The cutover that lifted it; null where a person did. */
    cutover: int8().references(() => cutover.release),
    /** The rollback that put it back. */
    rollback: int8().references(() => rollback.id),
    /** Why a person lifted it. */
    reason: text(),
    by: text().notNull(),
    at: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('contamination_turn_of').on(t.contamination, t.id),
    index('contamination_turn_cutover').on(t.cutover),
    check(
      'contamination_turn_kind',
      sql`case ${t.kind}
        when 'LINKED' then ${t.release} is not null and num_nonnulls(${t.cutover}, ${t.rollback}, ${t.reason}) = 0
        when 'LIFTED' then num_nonnulls(${t.cutover}, ${t.reason}) = 1 and num_nonnulls(${t.release}, ${t.rollback}) = 0
        when 'PUT_BACK' then ${t.rollback} is not null and num_nonnulls(${t.release}, ${t.cutover}, ${t.reason}) = 0
        else false end`,
    ),
  ],
);
