import { type SQL, sql } from 'drizzle-orm';
import { type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { isFork } from '@/lib/domain/names';

/** Of each mark `c`: the turn that says whether it stands, as `last`, and the release it is linked to. */
export const markTurns: SQL = sql`left join lateral (
    select t.kind, t.cutover, t.reason, t."by", t.at from control.contamination_turn t
    where t.contamination = c.id and t.kind in ('LIFTED', 'PUT_BACK') order by t.id desc limit 1
  ) last on true
  left join lateral (
    select coalesce((select t.release from control.contamination_turn t
      where t.contamination = c.id and t.kind = 'LINKED' order by t.id desc limit 1),
      c.repaired_by) as release
  ) link on true`;

/** A mark stands unless it was lifted and not put back. */
export const markStands: SQL = sql`last.kind is distinct from 'LIFTED'`;

/** A mark that stands, as a dataset's own view has it. */
export interface StandingMark {
  id: string;
  /** Half-open, on partition edges. */
  from: string;
  to: string;
  reason: string;
  servedSince: string | null;
  markedBy: string;
  markedAt: string;
  /** Name of the release that repairs it, all revisions. */
  repairedBy: string | null;
}

/** Columns of a `StandingMark`. */
export const markColumns: SQL = sql`c.id, c.range_from as "from", c.range_to as "to", c.reason,
  c.served_since as "servedSince", c."by" as "markedBy", c.at as "markedAt",
  link.release as "repairedBy"`;

/** Marks of a dataset that stand, in order of time. */
export function standingMarksOf(tx: Database | Tx, dataset: string): Promise<StandingMark[]> {
  return rows<StandingMark>(
    tx,
    sql`select ${markColumns} from control.contamination c ${markTurns}
      where c.dataset = ${dataset} and ${markStands} order by c.range_from, c.id`,
  );
}

export interface Mark {
  id: string;
  dataset: string;
  from: string;
  to: string;
  repairedBy: string | null;
  standing: boolean;
  /** By a person, for good: the mark itself was wrong. */
  liftedByHand: boolean;
}

/** One mark as it stands; null where there is none. The caller holds the dataset's registry row. */
export function readMark(tx: Database | Tx, id: string): Promise<Mark | null> {
  return maybeOne<Mark>(
    tx,
    sql`select c.id, c.dataset, c.range_from as "from", c.range_to as "to",
        link.release as "repairedBy", ${markStands} as standing,
        last.kind is not distinct from 'LIFTED' and last.cutover is null as "liftedByHand"
      from control.contamination c ${markTurns}
      where c.id = ${id}`,
  );
}

/** Adds a mark, which stands from here on. The caller holds the dataset's registry row. */
export async function addMark(
  tx: Tx,
  mark: {
    dataset: string;
    from: string;
    to: string;
    reason: string;
    servedSince: string | null;
    repairedBy: string | null;
    by: string;
  },
): Promise<string> {
  const { id } = await one<{ id: string }>(
    tx,
    sql`insert into control.contamination
        (dataset, range_from, range_to, reason, served_since, repaired_by, "by")
      values (${mark.dataset}, ${mark.from}, ${mark.to}, ${mark.reason}, ${mark.servedSince},
        ${mark.repairedBy}, ${mark.by})
      returning id`,
  );
  return id;
}

/** Links a mark to a release by its name; the newest link counts. */
export async function addLink(
  tx: Tx,
  turn: { mark: string; release: string; by: string },
): Promise<void> {
  await tx.execute(sql`
    insert into control.contamination_turn (contamination, kind, release, "by")
    values (${turn.mark}, 'LINKED', ${turn.release}, ${turn.by})`);
}

/** Lifts a mark for good: no rollback puts it back. */
export async function addLift(
  tx: Tx,
  turn: { mark: string; reason: string; by: string },
): Promise<void> {
  await tx.execute(sql`
    insert into control.contamination_turn (contamination, kind, reason, "by")
    values (${turn.mark}, 'LIFTED', ${turn.reason}, ${turn.by})`);
}

/**
 * In the cutover's transaction, after its record: lifts every standing mark that is linked to the
 * release's name and lies within its range. A mark that is made beside it comes before or after,
 * since both hold the dataset's registry row.
 *
 * @returns the marks that it lifted
 */
export async function liftByCutover(
  tx: Tx,
  at: {
    dataset: string;
    release: string;
    name: string;
    from: string | null;
    /** Null: open. */
    to: string | null;
    by: string;
  },
): Promise<string[]> {
  if (isFork(at.dataset)) return [];
  const lifted = await rows<{ mark: string }>(
    tx,
    sql`insert into control.contamination_turn (contamination, kind, cutover, "by")
      select c.id, 'LIFTED', ${at.release}, ${at.by}
      from control.contamination c ${markTurns}
      where c.dataset = ${at.dataset} and ${markStands} and link.release = ${at.name}
        and c.range_from >= ${at.from}::timestamptz
        and (${at.to}::timestamptz is null or c.range_to <= ${at.to}::timestamptz)
      order by c.id
      returning contamination as mark`,
  );
  return lifted.map(({ mark }) => mark);
}

/**
 * In the transaction of the switch back: puts back what the release's cutover had lifted, but for
 * what a person has lifted since.
 *
 * @returns the marks that stand again
 */
export async function putBackByRollback(
  tx: Tx,
  at: { dataset: string; release: string; rollback: string; by: string },
): Promise<string[]> {
  if (isFork(at.dataset)) return [];
  const back = await rows<{ mark: string }>(
    tx,
    sql`insert into control.contamination_turn (contamination, kind, rollback, "by")
      select c.id, 'PUT_BACK', ${at.rollback}, ${at.by}
      from control.contamination c ${markTurns}
      where c.dataset = ${at.dataset} and last.kind = 'LIFTED' and last.cutover = ${at.release}
      order by c.id
      returning contamination as mark`,
  );
  return back.map(({ mark }) => mark);
}

/** Why a reader is warned: what it reads of `[from, to)` is known to be wrong. */
export interface ContaminatedWarning {
  code: 'CONTAMINATED';
  from: string;
  to: string;
  reason: string;
  servedSince: string | null;
  /** Name of the release that repairs it, all revisions. */
  repairedBy: string | null;
}

/**
 * The warnings for whoever reads an interval of a generation, in order of time; of a side that is
 * null, without bound. Which marks concern a generation is said in `control.contaminating`.
 */
export function contaminatedWarnings(
  tx: Database | Tx,
  generation: string,
  { from, to }: { from: string | null; to: string | null } = { from: null, to: null },
): Promise<ContaminatedWarning[]> {
  return rows<ContaminatedWarning>(
    tx,
    sql`select 'CONTAMINATED' as code, m.range_from as "from", m.range_to as "to", m.reason,
        m.served_since as "servedSince", m.repaired_by as "repairedBy"
      from control.contaminating(${generation}) m
      where (${to}::timestamptz is null or m.range_from < ${to}::timestamptz)
        and (${from}::timestamptz is null or m.range_to > ${from}::timestamptz)
      order by m.range_from, m.id`,
  );
}
