import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import type { RunKind, RunState } from '@/lib/domain/runs';
import type { Stamp } from '@/lib/queries/stamp';

/** A publication that sealed partitions of a range. */
export interface RangePublication {
  id: string;
  from: string;
  to: string;
  sentTo: string;
  document: string | null;
  by: string;
  at: string;
}

/** A run over a range, with what became of its partitions within it. */
export interface RangeRun {
  id: string;
  kind: RunKind;
  state: RunState;
  owner: string;
  by: string;
  at: string;
  planned: number;
  done: number;
  skipped: number;
  /** Of the skipped ones those left out for a claim or a seal: with one the run is not green. */
  stopped: number;
  failed: number;
}

const LISTED = 10;

/** Publications that overlap `[from, to)`, newest first; the last few. */
export function publicationsIn(
  db: Database | Tx,
  dataset: string,
  { from, to }: { from: string; to: string },
): Promise<RangePublication[]> {
  return rows<RangePublication>(
    db,
    sql`select id, range_from as "from", range_to as "to", sent_to as "sentTo", document, "by", at
      from control.publication
      where dataset = ${dataset} and range_from < ${to} and range_to > ${from}
      order by id desc limit ${LISTED}`,
  );
}

/** Runs that overlap `[from, to)`, newest first; the last few. */
export function runsIn(
  db: Database | Tx,
  dataset: string,
  { from, to }: { from: string; to: string },
): Promise<RangeRun[]> {
  return rows<RangeRun>(
    db,
    sql`select r.id, r.kind, r.state, r.owner, r."by", coalesce(r.ended_at, r.created_at) as at,
        p.planned, p.done, p.skipped, p.stopped, p.failed
      from control.run r
      cross join lateral (
        select count(*) filter (where x.state = 'planned')::int as planned,
          count(*) filter (where x.state = 'done')::int as done,
          count(*) filter (where x.state = 'skipped')::int as skipped,
          count(*) filter (where x.state = 'skipped' and x.reason <> 'no_data')::int as stopped,
          count(*) filter (where x.state = 'failed')::int as failed
        from control.run_partition x
        where x.run = r.id and x.start_at >= ${from} and x.start_at < ${to}
      ) p
      where r.dataset = ${dataset} and r.range_from < ${to} and r.range_to > ${from}
      order by r.id desc limit ${LISTED}`,
  );
}

/** The stamp of a dataset's calendar: what stands in its partitions, who claims, runs, publishes. */
export function calendarStamp(db: Database | Tx, dataset: string): Promise<Stamp> {
  return one<Stamp>(
    db,
    sql`select clock_timestamp() as now, md5(jsonb_build_array(
        (select jsonb_build_array(g.active_generation, g.epoch, p.events) from control.registry g
          left join control.generation_progress p on p.generation = g.active_generation
          where g.dataset = ${dataset}),
        (select jsonb_build_array(count(*), max(at)) from control.claim where dataset = ${dataset}),
        (select max(id) from control.publication where dataset = ${dataset}),
        (select max(id) from control.correction where dataset = ${dataset}),
        (select jsonb_agg(jsonb_build_array(r.id, r.state) order by r.id) from (
          select id, state from control.run where dataset = ${dataset} order by id desc limit 50) r),
        (select jsonb_object_agg(x.state, x.n) from (
          select p.state, count(*) as n from control.run r
          join control.run_partition p on p.run = r.id
          where r.dataset = ${dataset} and r.state in ('planned', 'running')
          group by p.state) x),
        (select count(*) from control.generation_range m
          join control.registry g on g.dataset = ${dataset} and g.active_generation = m.generation
          join control.segment_partition s on s.segment = m.segment and m.span @> s.start_at
          where s.figures_version <> s.version)
      )::text) as stamp`,
  );
}
