import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import { markStands, markTurns } from '@/lib/db/statements/contamination';

export interface DatasetOverview {
  name: string;
  source: string;
  zone: string;
  unit: string;
  activeGeneration: string | null;
  /** The generation that the first load fills, while it does. */
  loading: string | null;
  epoch: number;
  ingress: 'OPEN' | 'SEALED';
  sealer: string | null;
  /** Events in the log that the generation in use has not applied, and how long the oldest waits. */
  buffered: string;
  lagSeconds: number;
  quarantined: number;
  /** Contaminated marks that stand. */
  contaminated: number;
  generations: number;
  kept: number;
  openLeases: number;
  /** A release under way, newest first; null where there is none. */
  release: { release: string; state: string } | null;
  /** Null where figures are being recomputed. */
  rows: string | null;
}

export interface DatasetsOverview {
  now: string;
  items: DatasetOverview[];
}

/** Every dataset with what it serves now and how far behind the log it is, by name. */
export async function datasetsOverview(db: Database | Tx): Promise<DatasetsOverview> {
  const { now } = await one<{ now: string }>(db, sql`select clock_timestamp() as now`);
  const items = await rows<DatasetOverview>(
    db,
    sql`select d.name, d.source, d.timezone as zone, d.partition as unit,
        a.name as "activeGeneration", l.name as loading, g.epoch, g.state as ingress,
        (select case when g.sealer like 'rollback:%' then 'rollback of ' else '' end
            || x.name || '@' || x.revision
          from control.release x
          where x.id = case
            when g.sealer like 'release:%' then substr(g.sealer, 9)::bigint
            else (select b.release from control.rollback b
              where b.id = substr(g.sealer, 10)::bigint) end) as sealer,
        coalesce(behind.events, 0)::bigint as buffered, coalesce(behind.lag, 0)::int as "lagSeconds",
        (select count(*)::int from control.quarantine q where q.generation = g.active_generation)
          as quarantined,
        (select count(*)::int from control.contamination c ${markTurns}
          where c.dataset = d.name and ${markStands}) as contaminated,
        (select count(*)::int from control.generation n
          where n.dataset = d.name and n.state <> 'retired') as generations,
        (select count(*)::int from control.generation n
          where n.dataset = d.name and n.state = 'kept') as kept,
        (select count(*)::int from control.lease s where s.dataset = d.name
          and s.ended_at is null and s.until > clock_timestamp()) as "openLeases",
        (select jsonb_build_object('release', x.name || '@' || x.revision, 'state', x.state)
          from control.release x
          where x.dataset = d.name and x.state in ('SNAPSHOT_PINNED', 'BUILDING', 'INGRESS_SEALED',
            'CAUGHT_UP', 'RECONCILED', 'APPROVED', 'RECONCILIATION_REQUIRED')
          order by x.id desc limit 1) as release,
        (select case when bool_and(s.figures_version = s.version)
            then coalesce(sum(s.rows), 0)::bigint end
          from control.generation_range r join control.segment_partition s
            on s.segment = r.segment and r.span @> s.start_at
          where r.generation = g.active_generation) as rows
      from control.dataset d
      join control.registry g on g.dataset = d.name
      left join control.generation a on a.id = g.active_generation
      left join control.generation l on l.id = g.loading_generation
      left join control.generation_progress p
        on p.generation = coalesce(g.active_generation, g.loading_generation)
      left join lateral (
        select sum(greatest(s.last_offset - p.offsets[s.shard + 1], 0)) as events,
          greatest(0, ceil(extract(epoch from clock_timestamp() - min((
            select e.received_at from control.source_event e
            where e.source = s.source and e.shard = s.shard
              and e."offset" = p.offsets[s.shard + 1] + 1))))) as lag
        from control.source_shard s where s.source = d.source and p.offsets is not null
      ) behind on true
      where d.fork_of is null
      order by d.name`,
  );
  return { now, items };
}
