import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import { lagSql } from '@/lib/db/lag-sql';
import { paceSql } from '@/lib/db/pace-sql';
import { type DrillView, drillsOf } from '@/lib/queries/drills';
import { briefsOf, type ReleaseBrief, type Viewer } from '@/lib/queries/release-brief';
import { releaseId } from '@/lib/queries/release-ref';

export interface StateEntry {
  state: string;
  at: string;
  by: string;
  why: string | null;
}

/** A comparison: the one that runs, or the newest that ended. */
export interface HeaderReconciliation {
  kind: 'rehearsal' | 'final';
  verdict: 'running' | 'passed' | 'failed' | 'incomplete';
  /** Partitions compared so far. */
  compared: number;
  unexplained: string;
  /** False where a receipt is newer. */
  current: boolean;
}

/** Everything that stands over the tabs of a release. */
export interface ReleaseHeader {
  now: string;
  brief: ReleaseBrief;
  digest: string | null;
  commit: string | null;
  planDigest: string | null;
  evidence: string | null;
  oldGeneration: string | null;
  states: StateEntry[];
  snapshot: { rows: string; ready: boolean; seconds: number } | null;
  /** Receipts of the last minute; null where there were none. */
  pace: { partitionsPerSecond: number; factsPerSecond: number } | null;
  concurrency: number | null;
  /** Seconds since a worker last took or ended a partition; null before the first. */
  quietSeconds: number | null;
  reconciliation: HeaderReconciliation | null;
  /** Events that the candidate holds of those up to the barrier. */
  barrier: { applied: string; total: string } | null;
  /** Events that the generation in use has applied and the candidate has not. */
  behind: string;
  lag: { seconds: number; limit: number | null };
  ingress: { state: 'OPEN' | 'SEALED'; epoch: number; sealer: string | null };
  quarantined: number;
  auditRows: number;
  cutover: { at: string; by: string; epoch: number } | null;
  rollback: { state: string; replayed: string; events: string } | null;
  /** The newest drill of it. */
  drill: DrillView | null;
  /** Drift that the newest ended comparison found. */
  drift: string;
}

type Row = Omit<
  ReleaseHeader,
  | 'brief'
  | 'states'
  | 'snapshot'
  | 'pace'
  | 'reconciliation'
  | 'barrier'
  | 'lag'
  | 'ingress'
  | 'cutover'
  | 'rollback'
  | 'drill'
> & {
  snapshotRows: string | null;
  snapshotReady: boolean;
  snapshotSeconds: number | null;
  paceReceipts: number;
  paceFacts: string | null;
  paceSeconds: number | null;
  lagSeconds: number | null;
  lagLimit: number | null;
  ingressState: 'OPEN' | 'SEALED';
  epoch: number;
  sealer: string | null;
  barrierApplied: string | null;
  barrierTotal: string | null;
  reconciliation: HeaderReconciliation | null;
  cutover: ReleaseHeader['cutover'];
  rollback: ReleaseHeader['rollback'];
};

/**
 * What every tab of a release shows above it, for one person.
 *
 * @throws NotFound
 */
export async function releaseHeader(
  db: Database | Tx,
  viewer: Viewer,
  reference: string,
): Promise<ReleaseHeader> {
  const id = await releaseId(db, reference);
  const [brief] = await briefsOf(db, viewer, [id]);
  if (!brief) throw new Error(`the release ${id} went away while it was read`);
  const row = await one<Row>(db, headerSql(id));
  const states = await rows<StateEntry>(
    db,
    sql`select state, at, by, why from control.release_state where release = ${id} order by id`,
  );
  return {
    now: row.now,
    brief,
    digest: row.digest,
    commit: row.commit,
    planDigest: row.planDigest,
    evidence: row.evidence,
    oldGeneration: row.oldGeneration,
    states,
    snapshot:
      row.snapshotRows === null
        ? null
        : {
            rows: row.snapshotRows,
            ready: row.snapshotReady,
            seconds: row.snapshotSeconds ?? 0,
          },
    pace: paceOf(row),
    concurrency: row.concurrency,
    quietSeconds: row.quietSeconds,
    reconciliation: row.reconciliation,
    barrier:
      row.barrierTotal === null
        ? null
        : { applied: row.barrierApplied ?? '0', total: row.barrierTotal },
    behind: row.behind,
    lag: { seconds: row.lagSeconds ?? 0, limit: row.lagLimit },
    ingress: { state: row.ingressState, epoch: row.epoch, sealer: row.sealer },
    quarantined: row.quarantined,
    auditRows: row.auditRows,
    cutover: row.cutover,
    rollback: row.rollback,
    drill: (await drillsOf(db, id, 1))[0] ?? null,
    drift: row.drift,
  };
}

function paceOf({ paceReceipts, paceFacts, paceSeconds }: Row): ReleaseHeader['pace'] {
  if (paceReceipts === 0 || paceSeconds === null) return null;
  const seconds = Math.max(1, paceSeconds);
  return {
    partitionsPerSecond: paceReceipts / seconds,
    factsPerSecond: Number(paceFacts ?? 0) / seconds,
  };
}

const headerSql = (id: string) => sql`
  select clock_timestamp() as now, r.digest, coalesce(t.commit, r.spec #>> '{transform,commit}')
      as commit, r.plan_digest as "planDigest", r.evidence, r.concurrency,
    o.name as "oldGeneration", s.rows as "snapshotRows", s.ready_at is not null as "snapshotReady",
    extract(epoch from clock_timestamp() - s.created_at)::float8 as "snapshotSeconds",
    coalesce(pace.receipts, 0)::int as "paceReceipts", pace.facts as "paceFacts",
    pace.seconds as "paceSeconds",
    (select extract(epoch from clock_timestamp() - max(coalesce(a.ended_at, a.started_at)))::float8
      from control.attempt a where a.release = r.id) as "quietSeconds",
    (select jsonb_build_object('kind', c.kind, 'verdict', c.verdict,
        'compared', (select count(*) from control.reconciliation_partition q
          where q.reconciliation = c.id),
        'unexplained', c.unexplained::text,
        'current', coalesce(c.started_at > (select max(x.at) from control.receipt x
          where x.release = r.id), false))
      from control.reconciliation c where c.release = r.id order by c.id desc limit 1)
      as reconciliation,
    coalesce((select c.drift from control.reconciliation c
      where c.release = r.id and c.verdict <> 'running' order by c.id desc limit 1), 0)::bigint as drift,
    barrier.applied as "barrierApplied", barrier.total as "barrierTotal",
    coalesce((select sum(greatest(q.offsets[h.shard + 1] - p.offsets[h.shard + 1], 0))
      from control.source_shard h
      join control.generation_progress p on p.generation = r.generation
      join control.generation_progress q on q.generation = g.active_generation
      where h.source = d.source), 0)::bigint as behind,
    ${lagSql(sql`g.active_generation`, sql`d.source`)} as "lagSeconds",
    r.max_live_lag_seconds as "lagLimit", g.state as "ingressState", g.epoch,
    (select x.name || '@' || x.revision from control.release x
      where g.sealer = 'release:' || x.id) as sealer,
    (select count(*)::int from control.quarantine q where q.generation = r.generation)
      as quarantined,
    (select count(*)::int from control.audit_event e
      where e.subject = r.name || '@' || r.revision) as "auditRows",
    (select jsonb_build_object('at', to_char(c.at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'by', c.by,
      'epoch', c.epoch_after) from control.cutover c where c.release = r.id) as cutover,
    (select jsonb_build_object('state', b.state, 'events', b.events_to_replay::text,
        'replayed', coalesce((select sum(p.offsets[h.shard + 1] - b.start_offsets[h.shard + 1])
          from control.source_shard h
          join control.generation_progress p on p.generation = b.to_generation
          where h.source = d.source), 0)::text)
      from control.rollback b where b.release = r.id order by b.id desc limit 1) as rollback
  from control.release r
  join control.dataset d on d.name = r.dataset
  join control.registry g on g.dataset = r.dataset
  left join control.generation o on o.id = r.old_generation
  left join control.snapshot s on s.id = r.snapshot
  left join control.transform t on t.digest = r.new_transform
  cross join lateral (${paceSql(sql`r.id`)}) pace
  left join lateral (
    select sum(r.barrier[h.shard + 1] - r.watermark[h.shard + 1])::bigint as total,
      sum(least(p.offsets[h.shard + 1], r.barrier[h.shard + 1]) - r.watermark[h.shard + 1])::bigint
        as applied
    from control.source_shard h
    join control.generation_progress p on p.generation = r.generation
    where h.source = d.source and r.barrier is not null
  ) barrier on true
  where r.id = ${id}`;
