import { type SQL, sql } from 'drizzle-orm';
import { type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import type { RunOutcome } from '@/lib/domain/gaps';
import { idForm } from '@/lib/domain/id-form';
import type { PartitionUnit } from '@/lib/domain/partition-plan';
import { NotFound } from '@/lib/domain/refusal';
import { RUN_STATES, type RunKind, type RunState } from '@/lib/domain/runs';
import { instantForm, type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';
import type { Stamp } from '@/lib/queries/stamp';

/** One partition of a run. Counts are exact text. */
export interface RunPartitionItem {
  start: string;
  end: string;
  state: RunOutcome;
  /** Of a skipped one `claimed_by:<owner>`, `sealed` or `no_data`; of a failed one what went wrong. */
  reason: string | null;
  /** Whether its rows were not what the log yields. */
  changed: boolean | null;
  rowsBefore: string | null;
  rows: string | null;
  at: string | null;
}

/** Which partitions of a run are listed. */
export const RUN_PARTITION_FILTERS = ['planned', 'done', 'changed', 'skipped', 'failed'] as const;
export type RunPartitionFilter = (typeof RUN_PARTITION_FILTERS)[number];

const conditionOf = (filter: RunPartitionFilter | undefined): SQL => {
  if (filter === undefined) return sql`true`;
  return filter === 'changed' ? sql`p.changed` : sql`p.state = ${filter}`;
};

/** Partitions of a run in order of time. */
export async function runPartitionPage(
  db: Database | Tx,
  run: string,
  filter: RunPartitionFilter | undefined,
  { limit, cursor }: PageRequest,
): Promise<Page<RunPartitionItem>> {
  const after = readCursor(cursor, [instantForm]);
  const found = await rows<RunPartitionItem>(
    db,
    sql`select p.start_at as start, p.end_at as "end", p.state, p.reason, p.changed,
        p.rows_before as "rowsBefore", p.rows, p.at
      from control.run_partition p
      where p.run = ${run} and ${conditionOf(filter)}
        and (${after?.[0] ?? null}::timestamptz is null or p.start_at > ${after?.[0] ?? null})
      order by p.start_at limit ${limit + 1}`,
  );
  return pageOf(found, limit, ({ start }) => [start]);
}

/** The run that a request made, where it did; its audit row says so. */
export async function runOfRequest(db: Database | Tx, requestId: string): Promise<string | null> {
  const found = await maybeOne<{ id: string | null }>(
    db,
    sql`select after ->> 'run' as id from control.audit_event
      where request_id = ${requestId} and verb = 'dataset.run' and outcome = 'done'
      order by id desc limit 1`,
  );
  return found?.id ?? null;
}

export interface RunDataset {
  name: string;
  zone: string;
  unit: PartitionUnit;
}

/** Every dataset that may be run, by name, with how its time is cut. */
export function runDatasets(db: Database | Tx): Promise<RunDataset[]> {
  return rows<RunDataset>(
    db,
    sql`select d.name, d.timezone as zone, d.partition as unit from control.dataset d
      where ${ofPeople(sql`d.name`)} order by d.name`,
  );
}

/** How many runs there are in each state, of a dataset and a kind where they are given. */
export async function runCounts(
  db: Database | Tx,
  { dataset, kind }: { dataset?: string | undefined; kind?: RunKind | undefined },
): Promise<Record<RunState, number>> {
  const found = await rows<{ state: RunState; n: number }>(
    db,
    sql`select state, count(*)::int as n from control.run u
      where (${dataset ?? null}::text is null or u.dataset = ${dataset ?? null})
        and (${kind ?? null}::text is null or u.kind = ${kind ?? null})
      group by state`,
  );
  const counts = new Map(found.map(({ state, n }) => [state, n]));
  return Object.fromEntries(RUN_STATES.map((state) => [state, counts.get(state) ?? 0])) as Record<
    RunState,
    number
  >;
}

/** The stamp of the list of runs. */
export function runsStamp(db: Database | Tx): Promise<Stamp> {
  return one<Stamp>(
    db,
    sql`select clock_timestamp() as now, md5(jsonb_build_array(
        (select jsonb_object_agg(s.state, s.n) from (
          select state, count(*) as n from control.run group by state) s),
        (select max(id) from control.run),
        (select jsonb_object_agg(x.state, x.n) from (
          select p.state, count(*) as n from control.run r
          join control.run_partition p on p.run = r.id
          where r.state in ('planned', 'running') group by p.state) x)
      )::text) as stamp`,
  );
}

/**
 * The stamp of one run.
 *
 * @throws NotFound
 */
export async function runStamp(db: Database | Tx, id: string): Promise<Stamp> {
  const found = idForm.test(id)
    ? await maybeOne<Stamp>(
        db,
        sql`select clock_timestamp() as now, md5(jsonb_build_array(
            r.state, r.second_by, r.why, r.epoch, r.ended_at,
            (select jsonb_object_agg(x.state, x.n) from (
              select state, count(*) as n from control.run_partition where run = r.id
              group by state) x),
            (select max(u.id) from control.run u where u.retry_of = r.id)
          )::text) as stamp
          from control.run r where r.id = ${id}`,
      )
    : null;
  if (!found) throw new NotFound('run', id);
  return found;
}

/** Runs that did again what one left out, oldest first. */
export function retriesOf(
  db: Database | Tx,
  id: string,
): Promise<{ id: string; state: RunState }[]> {
  return rows(
    db,
    sql`select id, state from control.run where retry_of = ${id} order by id limit 20`,
  );
}
