import { type SQL, sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { idForm } from '@/lib/domain/id-form';
import { isFork } from '@/lib/domain/names';
import { isGreen, type SkipReason } from '@/lib/domain/range-walk';
import { NotFound } from '@/lib/domain/refusal';
import {
  type FoundFacts,
  hasEnded,
  type RunAnswers,
  type RunKind,
  type RunState,
} from '@/lib/domain/runs';
import { type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';

export interface RunHead {
  id: string;
  dataset: string;
  kind: RunKind;
  state: RunState;
  /** The half-open range that was asked for; of a retry it reaches over what was left out. */
  range: { from: string; to: string };
  owner: string;
  by: string;
  /** Why it waits, failed or was cancelled. */
  why: string | null;
  secondNeeded: boolean;
  secondBy: string | null;
  retryOf: string | null;
  scheduledFor: string | null;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
}

export interface RunItem extends RunHead {
  /** Ended with nothing but absence in its way; null while it goes on. */
  green: boolean | null;
  counts: { planned: number; done: number; skipped: number; failed: number; changed: number };
}

/** A partition that was replaced, or found to be what the log yields (`changed` false). */
export interface RunFigures {
  start: string;
  changed: boolean;
  rowsBefore: string;
  rootBefore: string;
  rows: string;
  root: string;
  sums: Record<string, string | null>;
}

/** What of one run stands beside its head. */
export interface RunFacts {
  secondAt: string | null;
  answers: (RunAnswers & { found: FoundFacts }) | null;
  /** The generation and the epoch that it worked on last. */
  generation: string | null;
  epoch: number | null;
}

export interface RunView extends RunHead, RunFacts {
  green: boolean | null;
  /** Starts of partitions, each in one of the four lists. */
  planned: string[];
  done: string[];
  skipped: [start: string, reason: string][];
  failed: [start: string, message: string][];
  /** Those of the done ones that were not what the log yields. */
  changed: string[];
  /** Rows in the partitions that are done. */
  rows: string;
  /** Of the done partitions, the first ones. */
  figures: RunFigures[];
}

/** Partitions of a run whose figures one answer holds. */
const mostFigures = 1_000;

export interface RunFilter {
  dataset?: string | undefined;
  state?: RunState | undefined;
  kind?: RunKind | undefined;
}

type HeadRow = Omit<RunHead, 'range'> & { from: string; to: string };

const headColumns = sql`u.id, u.dataset, u.kind, u.state, u.range_from as "from", u.range_to as "to",
  u.owner, u."by", u.why, u.second_needed as "secondNeeded", u.second_by as "secondBy",
  u.retry_of as "retryOf", u.scheduled_for as "scheduledFor", u.created_at as "createdAt",
  u.started_at as "startedAt", u.ended_at as "endedAt"`;

export const runHeadOf = ({ from, to, ...row }: HeadRow): RunHead => ({
  ...row,
  range: { from, to },
});

export type RunFactsRow = HeadRow & RunFacts;

/** One run without its partitions. */
export const runFactsSql = (id: string): SQL => sql`
  select ${headColumns}, u.second_at as "secondAt", u.answers, g.name as generation, u.epoch
  from control.run u left join control.generation g on g.id = u.generation
  where u.id = ${id}`;

/**
 * Runs of one dataset, newest first.
 *
 * @throws NotFound where there is no such dataset
 */
export async function runsOfDataset(
  db: Database | Tx,
  filter: RunFilter & { dataset: string },
  page: PageRequest,
): Promise<Page<RunItem>> {
  const dataset = await loadDataset(db, filter.dataset);
  if (!dataset || isFork(dataset.name)) throw new NotFound('dataset', filter.dataset);
  return runList(db, filter, page);
}

/** Runs, newest first, without their partitions. */
export async function runList(
  db: Database | Tx,
  { dataset, state, kind }: RunFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<RunItem>> {
  const before = readCursor(cursor, [idForm]);
  const conditions: SQL[] = [sql`true`];
  if (before) conditions.push(sql`u.id < ${before[0]}`);
  if (dataset !== undefined) conditions.push(sql`u.dataset = ${dataset}`);
  if (state !== undefined) conditions.push(sql`u.state = ${state}`);
  if (kind !== undefined) conditions.push(sql`u.kind = ${kind}`);
  const found = await rows<HeadRow & RunItem['counts'] & { stopped: number }>(
    db,
    sql`select ${headColumns}, c.*
      from control.run u
      cross join lateral (
        select count(*) filter (where p.state = 'planned')::int as planned,
          count(*) filter (where p.state = 'done')::int as done,
          count(*) filter (where p.state = 'skipped')::int as skipped,
          count(*) filter (where p.state = 'failed')::int as failed,
          count(*) filter (where p.changed)::int as changed,
          count(*) filter (where p.state = 'skipped' and p.reason <> 'no_data')::int as stopped
        from control.run_partition p where p.run = u.id
      ) c
      where ${sql.join(conditions, sql` and `)}
      order by u.id desc limit ${limit + 1}`,
  );
  const page = pageOf(found, limit, (row) => [row.id]);
  return {
    items: page.items.map(({ planned, done, skipped, failed, changed, stopped, ...row }) => ({
      ...runHeadOf(row),
      green: hasEnded(row.state) ? row.state === 'done' && stopped === 0 : null,
      counts: { planned, done, skipped, failed, changed },
    })),
    nextCursor: page.nextCursor,
  };
}

interface PartitionRow {
  start: string;
  state: 'planned' | 'done' | 'skipped' | 'failed';
  reason: string | null;
  changed: boolean | null;
  rowsBefore: string | null;
  rootBefore: Buffer | null;
  rows: string | null;
  root: Buffer | null;
  sums: Record<string, string | null> | null;
}

/**
 * A run with every partition of it in one of four lists.
 *
 * @throws NotFound
 */
export async function runView(db: Database | Tx, id: string): Promise<RunView> {
  const found = idForm.test(id) ? await maybeOne<RunFactsRow>(db, runFactsSql(id)) : null;
  if (!found) throw new NotFound('run', id);
  const parts = await rows<PartitionRow>(
    db,
    sql`select start_at as start, state, reason, changed, rows_before as "rowsBefore",
        root_before as "rootBefore", rows, root, sums
      from control.run_partition where run = ${id} order by start_at`,
  );
  const of = (state: PartitionRow['state']) => parts.filter((part) => part.state === state);
  const starts = (list: readonly PartitionRow[]) => list.map(({ start }) => start);
  const told = (list: readonly PartitionRow[]) =>
    list.map(({ start, reason }): [string, string] => [start, reason ?? '']);
  const done = of('done');
  const skipped = told(of('skipped'));
  const { secondAt, answers, generation, epoch, ...row } = found;
  return {
    ...runHeadOf(row),
    green: hasEnded(row.state)
      ? row.state === 'done' && isGreen(skipped as [string, SkipReason][])
      : null,
    secondAt,
    answers,
    generation,
    epoch,
    planned: starts(of('planned')),
    done: starts(done),
    skipped,
    failed: told(of('failed')),
    changed: starts(done.filter((part) => part.changed)),
    rows: String(done.reduce((sum, part) => sum + BigInt(part.rows ?? '0'), 0n)),
    figures: done.slice(0, mostFigures).map(figuresOf),
  };
}

const figuresOf = (part: PartitionRow): RunFigures => ({
  start: part.start,
  changed: part.changed === true,
  rowsBefore: part.rowsBefore ?? '0',
  rootBefore: digestText(part.rootBefore),
  rows: part.rows ?? '0',
  root: digestText(part.root),
  sums: part.sums ?? {},
});

const digestText = (root: Buffer | null) => `sha256:${(root ?? Buffer.alloc(0)).toString('hex')}`;

/** Whether a run has nothing ahead of it for the runner; one that waits for a person has not. */
export async function runIsIdle(db: Database | Tx, id: string): Promise<boolean> {
  const found = await maybeOne<{ state: RunState }>(
    db,
    sql`select state from control.run where id = ${id}`,
  );
  return found === null || found.state === 'second_person' || hasEnded(found.state);
}

/** What the newest run made of a partition; `planned` while it is still to come. */
export interface LastRun {
  run: string;
  state: PartitionRow['state'];
  reason: string | null;
  at: string | null;
}

/**
 * Per partition that begins in `[from, to)`, by start: what the newest run made of it. What a
 * cancelled run never came to is none.
 */
export async function lastRunOf(
  db: Database | Tx,
  dataset: string,
  span: { from: string; to: string },
): Promise<Map<string, LastRun>> {
  const found = await rows<LastRun & { start: string }>(
    db,
    sql`select distinct on (p.start_at) p.start_at as start, p.run, p.state, p.reason, p.at
      from control.run u join control.run_partition p on p.run = u.id
      where u.dataset = ${dataset} and p.start_at >= ${span.from}::timestamptz
        and p.start_at < ${span.to}::timestamptz
        and not (u.state = 'cancelled' and p.state = 'planned')
      order by p.start_at, u.id desc`,
  );
  return new Map(found.map(({ start, ...last }) => [start, last]));
}
