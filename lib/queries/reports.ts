import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { idForm } from '@/lib/domain/id-form';
import { NotFound } from '@/lib/domain/refusal';
import type { ReportDifference } from '@/lib/domain/report';
import { releaseId } from '@/lib/queries/release-ref';

/** A saved report of a dataset. */
export interface ReportView {
  id: string;
  dataset: string;
  name: string;
  sql: string;
  digest: string;
  /** How long one reading of it may take. */
  limitSeconds: number;
  madeBy: string;
  madeAt: string;
  /** Null while it is in use. */
  endedAt: string | null;
}

export interface ShadowSide {
  generation: string;
  rows: string;
  /** Of the result: equal rows, equal root. */
  root: string;
  millis: number;
}

/** A report read on both generations of a release. */
export interface ShadowReadView {
  id: string;
  state: 'ASKED' | 'READING' | 'COMPARED' | 'STOPPED';
  askedBy: string;
  askedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** Null unless it was compared. */
  compared: {
    old: ShadowSide;
    new: ShadowSide;
    columns: string[];
    /** Rows that are not the same on both. */
    differing: string;
    /** The first of them. */
    sample: ReportDifference[];
    /** Events that one generation had applied and the other had not. */
    eventsApart: string;
  } | null;
  /** Why nothing was compared. */
  why: string | null;
}

export interface ShadowView {
  report: ReportView;
  /** The newest reading on this release. */
  read: ShadowReadView | null;
}

const columns = sql`r.id, r.dataset, r.name, r.sql, r.digest, r.limit_seconds as "limitSeconds",
  r.made_by as "madeBy", r.made_at as "madeAt", r.ended_at as "endedAt"`;

/**
 * The reports of a dataset that are in use, by name.
 *
 * @throws NotFound
 */
export async function reportList(db: Database | Tx, dataset: string): Promise<ReportView[]> {
  if (!(await loadDataset(db, dataset))) throw new NotFound('dataset', dataset);
  return savedReports(db, dataset);
}

/** The same of a dataset that is there. */
export function savedReports(db: Database | Tx, dataset: string): Promise<ReportView[]> {
  return rows<ReportView>(
    db,
    sql`select ${columns} from control.report r
      where r.dataset = ${dataset} and r.ended_at is null order by r.name collate "C"`,
  );
}

/**
 * One report, in use or ended.
 *
 * @throws NotFound
 */
export async function reportView(db: Database | Tx, id: string): Promise<ReportView> {
  const found = idForm.test(id)
    ? await maybeOne<ReportView>(
        db,
        sql`select ${columns} from control.report r where r.id = ${id}`,
      )
    : null;
  if (!found) throw new NotFound('report', id);
  return found;
}

interface Row extends ReportView {
  readId: string | null;
  state: ShadowReadView['state'];
  askedBy: string;
  askedAt: string;
  startedAt: string | null;
  readEndedAt: string | null;
  oldGeneration: string;
  newGeneration: string;
  oldRows: string;
  newRows: string;
  oldRoot: string;
  newRoot: string;
  oldMillis: number;
  newMillis: number;
  columns: string[];
  differing: string | null;
  sample: ReportDifference[];
  eventsApart: string;
  why: string | null;
}

/**
 * The reports of a release's dataset, each with its newest reading on this release: those in use, and
 * those ended since that were read.
 *
 * @throws NotFound
 */
export async function shadowOf(db: Database | Tx, reference: string): Promise<ShadowView[]> {
  const id = await releaseId(db, reference);
  const found = await rows<Row>(
    db,
    sql`select ${columns}, s.id as "readId", s.state, s.asked_by as "askedBy", s.asked_at as "askedAt",
        s.started_at as "startedAt", s.ended_at as "readEndedAt", s.why, s.columns, s.sample,
        s.differing, o.name as "oldGeneration", s.old_rows as "oldRows", s.old_millis as "oldMillis",
        'sha256:' || encode(s.old_root, 'hex') as "oldRoot", n.name as "newGeneration",
        s.new_rows as "newRows", s.new_millis as "newMillis",
        'sha256:' || encode(s.new_root, 'hex') as "newRoot",
        (select coalesce(sum(abs(p.old - p.new)), 0)::text
          from unnest(s.old_progress, s.new_progress) as p (old, new)) as "eventsApart"
      from control.release x
      join control.report r on r.dataset = x.dataset
      left join lateral (select * from control.shadow_read a
        where a.release = x.id and a.report = r.id order by a.id desc limit 1) s on true
      left join control.generation o on o.id = s.old_generation
      left join control.generation n on n.id = s.new_generation
      where x.id = ${id} and (r.ended_at is null or s.id is not null)
      order by r.name collate "C", r.id desc`,
  );
  return found.map((row) => ({ report: reportOf(row), read: readOf(row) }));
}

function reportOf(row: Row): ReportView {
  const { id, dataset, name, sql: text, digest, limitSeconds, madeBy, madeAt, endedAt } = row;
  return { id, dataset, name, sql: text, digest, limitSeconds, madeBy, madeAt, endedAt };
}

function readOf(row: Row): ShadowReadView | null {
  if (row.readId === null) return null;
  return {
    id: row.readId,
    state: row.state,
    askedBy: row.askedBy,
    askedAt: row.askedAt,
    startedAt: row.startedAt,
    endedAt: row.readEndedAt,
    compared:
      row.differing === null
        ? null
        : {
            old: {
              generation: row.oldGeneration,
              rows: row.oldRows,
              root: row.oldRoot,
              millis: row.oldMillis,
            },
            new: {
              generation: row.newGeneration,
              rows: row.newRows,
              root: row.newRoot,
              millis: row.newMillis,
            },
            columns: row.columns,
            differing: row.differing,
            sample: row.sample,
            eventsApart: row.eventsApart,
          },
    why: row.why,
  };
}

/** What a request saved or ended, so that a second try of it is answered with the first one's. */
export async function reportOfRequest(
  db: Database | Tx,
  requestId: string,
): Promise<string | null> {
  const found = await maybeOne<{ id: string | null }>(
    db,
    sql`select coalesce(after ->> 'report', substring(subject from '^report (\\d+)$')) as id
      from control.audit_event
      where request_id = ${requestId} and outcome = 'done' and verb in ('report.save', 'report.end')
      order by id desc limit 1`,
  );
  return found?.id ?? null;
}
