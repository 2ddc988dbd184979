import { type SQL, sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import {
  markColumns,
  markStands,
  markTurns,
  type StandingMark,
  standingMarksOf,
} from '@/lib/db/statements/contamination';
import { type Span, touchesMark } from '@/lib/domain/contamination';
import { idForm } from '@/lib/domain/id-form';
import { NotFound } from '@/lib/domain/refusal';
import { type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';

/** One thing that became of a mark. */
export interface MarkTurn {
  kind: 'LINKED' | 'LIFTED' | 'PUT_BACK';
  at: string;
  by: string;
  /** Of a link the name; of a cutover's lift and of a rollback `name@revision`. */
  release: string | null;
  /** Why a person lifted it. */
  reason: string | null;
}

export interface ContaminationView extends StandingMark {
  dataset: string;
  standing: boolean;
  /** The newest revision of the release that repairs it. */
  repairing: { release: string; state: string } | null;
  /** Oldest first. */
  turns: MarkTurn[];
}

/** Marks that stand and have an instant in common with a range, in order of time. */
export async function marksTouching(
  db: Database | Tx,
  dataset: string,
  range: Span,
): Promise<StandingMark[]> {
  return (await standingMarksOf(db, dataset)).filter((mark) => touchesMark(range, mark));
}

type Found = Omit<ContaminationView, 'repairing' | 'turns'> & {
  newest: string | null;
  state: string | null;
};

const view: SQL = sql`select ${markColumns}, c.dataset, ${markStands} as standing,
    r.name || '@' || r.revision as newest, r.state
  from control.contamination c ${markTurns}
  left join lateral (
    select n.name, n.revision, n.state from control.release n
    where n.name = link.release order by n.revision desc limit 1
  ) r on true`;

/**
 * Marks of a dataset with what became of them, newest first.
 *
 * @param standing only those that stand, or only those that do not; all where it is left out
 * @throws NotFound
 */
export async function contaminationList(
  db: Database | Tx,
  dataset: string,
  { limit, cursor, standing }: PageRequest & { standing?: boolean | undefined },
): Promise<Page<ContaminationView>> {
  if (!(await loadDataset(db, dataset))) throw new NotFound('dataset', dataset);
  const last = readCursor(cursor, [idForm])?.[0] ?? null;
  const found = await rows<Found>(
    db,
    sql`${view}
      where c.dataset = ${dataset} and (${last}::bigint is null or c.id < ${last}::bigint)
        and (${standing ?? null}::boolean is null or (${markStands}) = ${standing ?? null}::boolean)
      order by c.id desc limit ${limit + 1}`,
  );
  const page = pageOf(found, limit, (mark) => [mark.id]);
  return { ...page, items: await withTurns(db, page.items) };
}

/**
 * One mark with what became of it.
 *
 * @throws NotFound
 */
export async function contaminationView(db: Database | Tx, id: string): Promise<ContaminationView> {
  const found = idForm.test(id) ? await maybeOne<Found>(db, sql`${view} where c.id = ${id}`) : null;
  const [mark] = found ? await withTurns(db, [found]) : [];
  if (!mark) throw new NotFound('contaminated mark', id);
  return mark;
}

/** The newest mark that a person made of a range: what a repeated request made the first time. */
export async function lastMark(
  db: Database | Tx,
  { dataset, from, to, by }: { dataset: string; from: string; to: string; by: string },
): Promise<ContaminationView | null> {
  const found = await maybeOne<Found>(
    db,
    sql`${view}
      where c.dataset = ${dataset} and c.range_from = ${from}::timestamptz
        and c.range_to = ${to}::timestamptz and c."by" = ${by}
      order by c.id desc limit 1`,
  );
  return found ? ((await withTurns(db, [found]))[0] ?? null) : null;
}

async function withTurns(db: Database | Tx, found: readonly Found[]): Promise<ContaminationView[]> {
  if (found.length === 0) return [];
  const turns = await rows<MarkTurn & { mark: string }>(
    db,
    sql`select t.contamination as mark, t.kind, t.at, t."by", t.reason,
        coalesce(t.release, r.name || '@' || r.revision) as release
      from control.contamination_turn t
      left join control.rollback b on b.id = t.rollback
      left join control.release r on r.id = coalesce(t.cutover, b.release)
      where t.contamination in (${sql.join(
        found.map(({ id }) => sql`${id}::bigint`),
        sql`, `,
      )})
      order by t.id`,
  );
  return found.map(({ newest, state, ...mark }) => ({
    ...mark,
    repairing: newest === null || state === null ? null : { release: newest, state },
    turns: turns.filter((turn) => turn.mark === mark.id).map(({ mark: _, ...turn }) => turn),
  }));
}

/** The mark that a request made, linked or lifted, by the request id in its audit row. */
export async function contaminationOfRequest(
  db: Database | Tx,
  requestId: string,
): Promise<string | null> {
  const found = await maybeOne<{ id: string | null }>(
    db,
    sql`select after ->> 'contamination' as id from control.audit_event
      where request_id = ${requestId} and outcome = 'done'
        and verb in ('dataset.mark-contaminated', 'dataset.link-contamination',
          'dataset.lift-contamination')
      order by id desc limit 1`,
  );
  return found?.id ?? null;
}
