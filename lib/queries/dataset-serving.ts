import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import type { ClaimRange } from '@/lib/domain/claims';
import { type ContaminationView, contaminationList } from '@/lib/queries/contaminations';
import { claimRangesOf } from '@/lib/queries/dataset-claims';
import { type DatasetView, datasetView } from '@/lib/queries/dataset-view';
import { type QuarantineItem, quarantineOf } from '@/lib/queries/reconciliation-findings';

/** How a generation is put together and who reads it. */
export interface GenerationHold {
  name: string;
  /** Exact count; null where figures are being recomputed, or rows were dropped. */
  rows: string | null;
  partitions: number;
  /** Partitions whose figures are older than their rows. */
  stale: number;
  /** Distinct segments and ranges of its map. */
  segments: number;
  ranges: number;
  quarantined: number;
  hiddenAt: string | null;
  /** How many leases readers hold, and those that end first. */
  openLeases: number;
  leases: { person: string; since: string; until: string; renewable: boolean }[];
}

export interface ServingShard {
  shard: number;
  logEnd: string;
  applied: string | null;
  barrier: string | null;
}

export interface DatasetRelease {
  release: string;
  state: string;
  generation: string | null;
  from: string | null;
  to: string | null;
  at: string;
  by: string;
}

/** `generations`: those that are still there, and the newest of those that are not. */
export interface DatasetServing extends DatasetView {
  now: string;
  generationCount: number;
  holds: GenerationHold[];
  shards: ServingShard[];
  quarantine: QuarantineItem[];
  releases: DatasetRelease[];
  /** Reserved partitions, consecutive ones of one owner as one range, in order of time; the first. */
  claims: ClaimRange[];
  claimCount: number;
  /** Contaminated ranges, newest first: all that stand, up to a hundred, and the last that were lifted. */
  marks: { standing: ContaminationView[]; lifted: ContaminationView[] };
  /** When the generation in use applied last, and when the log had received that event. */
  appliedAt: string | null;
  eventReceivedAt: string | null;
  events: string | null;
}

const LISTED = 20;

/**
 * A dataset as it is served: every generation with what holds it, and how far the one in use is.
 *
 * @throws NotFound
 */
export async function datasetServing(db: Database | Tx, name: string): Promise<DatasetServing> {
  const view = await datasetView(db, name, LISTED);
  const head = await one<{
    now: string;
    active: string | null;
    generationCount: number;
    appliedAt: string | null;
    eventReceivedAt: string | null;
    events: string | null;
  }>(
    db,
    sql`select clock_timestamp() as now, coalesce(r.active_generation, r.loading_generation) as active,
        (select count(*)::int from control.generation g where g.dataset = r.dataset)
          as "generationCount", p.applied_at as "appliedAt", p.event_received_at as "eventReceivedAt", p.events
      from control.registry r
      left join control.generation_progress p
        on p.generation = coalesce(r.active_generation, r.loading_generation)
      where r.dataset = ${name}`,
  );
  const { active, ...progress } = head;
  const claims = await claimRangesOf(db, name);
  return {
    ...view,
    ...progress,
    holds: await holdsOf(db, name),
    shards: await servingShards(db, view.source, name),
    quarantine: active === null ? [] : await quarantineOf(db, active, LISTED),
    releases: await releasesOf(db, name),
    marks: await marksOf(db, name),
    claims: claims.items,
    claimCount: claims.count,
  };
}

const STANDING = 100;

async function marksOf(db: Database | Tx, name: string): Promise<DatasetServing['marks']> {
  const standing = await contaminationList(db, name, { limit: STANDING, standing: true });
  const lifted = await contaminationList(db, name, { limit: LISTED, standing: false });
  return { standing: standing.items, lifted: lifted.items };
}

async function holdsOf(db: Database | Tx, dataset: string): Promise<GenerationHold[]> {
  return rows(
    db,
    sql`select g.name, m.rows, coalesce(m.partitions, 0)::int as partitions,
        coalesce(m.stale, 0)::int as stale,
        (select count(distinct r.segment)::int from control.generation_range r
          where r.generation = g.id) as segments,
        (select count(*)::int from control.generation_range r where r.generation = g.id) as ranges,
        (select count(*)::int from control.quarantine q where q.generation = g.id) as quarantined,
        g.hidden_at as "hiddenAt",
        (select count(*)::int from control.lease l where l.generation = g.id
          and l.ended_at is null and l.until > clock_timestamp()) as "openLeases",
        coalesce((select jsonb_agg(jsonb_build_object('person', l.person,
            'since', to_char(l.created_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'until', to_char(l.until, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'renewable', l.renewable) order by l.until)
          from (select * from control.lease e where e.generation = g.id and e.ended_at is null
            and e.until > clock_timestamp() order by e.until limit ${LISTED}) l), '[]') as leases
      from control.generation g
      left join lateral (
        select case when bool_and(s.figures_version = s.version) then sum(s.rows)::bigint end as rows,
          count(*) as partitions, count(*) filter (where s.figures_version <> s.version) as stale
        from control.generation_range r join control.segment_partition s
          on s.segment = r.segment and r.span @> s.start_at
        where r.generation = g.id
      ) m on true
      where g.dataset = ${dataset} and g.state <> 'retired' order by g.id desc`,
  );
}

function servingShards(
  db: Database | Tx,
  source: string,
  dataset: string,
): Promise<ServingShard[]> {
  return rows(
    db,
    sql`select s.shard, s.last_offset as "logEnd", p.offsets[s.shard + 1] as applied,
        r.barrier[s.shard + 1] as barrier
      from control.source_shard s
      join control.registry r on r.dataset = ${dataset}
      left join control.generation_progress p
        on p.generation = coalesce(r.active_generation, r.loading_generation)
      where s.source = ${source} order by s.shard`,
  );
}

function releasesOf(db: Database | Tx, dataset: string): Promise<DatasetRelease[]> {
  return rows(
    db,
    sql`select r.name || '@' || r.revision as release, r.state, g.name as generation,
        coalesce(r.range_from, (r.spec #>> '{range,from}')::timestamptz) as "from",
        r.range_to as "to", r.updated_at as at, r.created_by as by
      from control.release r left join control.generation g on g.id = r.generation
      where r.dataset = ${dataset} order by r.id desc limit ${LISTED}`,
  );
}
