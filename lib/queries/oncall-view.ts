import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import type { Told } from '@/lib/domain/notices';
import { isRollbackRunning, type RollbackState } from '@/lib/domain/rollback';
import { type Approver, approversOf } from '@/lib/queries/approval-view';
import { type DrillView, recentDrills } from '@/lib/queries/drills';
import { toldOf } from '@/lib/queries/notices';
import { type MeasuredRate, measuredRate } from '@/lib/queries/rollback-rate';
import { type SignatureView, signaturesOf } from '@/lib/queries/signatures';

export interface RollbackStep {
  step: 'replay' | 'seal' | 'tail' | 'switch';
  startedAt: string;
  endedAt: string | null;
  /** Seconds from the request to the step's end, or to now. */
  atSeconds: number;
}

export interface RollbackRun {
  id: string;
  state: RollbackState;
  by: string;
  requestedAt: string;
  endedAt: string | null;
  why: string | null;
  elapsedSeconds: number;
  eventsToReplay: string;
  eventsReplayed: string;
  steps: RollbackStep[];
  epoch: number;
  /** Of a rollback that is done: how many subscribers know of it. */
  told: Told | null;
}

/** A release whose generation can be gone back from, or is being gone back from. */
export interface OncallRelease {
  id: string;
  release: string;
  state: string;
  version: number;
  dataset: string;
  zone: string;
  serving: boolean;
  generation: string;
  oldGeneration: string;
  oldState: string;
  keptUntil: string | null;
  windowSeconds: number | null;
  cutoverAt: string;
  cutoverBy: string;
  epoch: number;
  evidence: string | null;
  /** Events that the generation in use has applied and the old one has not. */
  eventsToReplay: string;
  /** Of an earlier rollback of the dataset; null before there was one. */
  measured: MeasuredRate | null;
  needed: number;
  standing: number;
  signatures: SignatureView[];
  approvers: Approver[];
  /** The newest rollback of the release: under way, or how the last one ended. */
  rollback: RollbackRun | null;
}

export interface OncallPage {
  now: string;
  releases: OncallRelease[];
  /** Of all releases, newest first. */
  drills: DrillView[];
  /** Rollbacks of all releases that ended, newest first. */
  past: PastRollback[];
}

/** A rollback that ended, with what a record of it says. */
export interface PastRollback {
  id: string;
  release: string;
  dataset: string;
  zone: string;
  state: RollbackState;
  by: string;
  why: string | null;
  requestedAt: string;
  endedAt: string;
  seconds: number;
  /** Replayed up to the second barrier; of one that did not get so far, to be replayed. */
  events: string;
  generation: string;
  oldGeneration: string;
  steps: RollbackStep[];
}

type Row = Omit<
  OncallRelease,
  'signatures' | 'approvers' | 'rollback' | 'standing' | 'measured'
> & {
  rollbackId: string | null;
};

/** Releases in their rollback window, running rollbacks first, and how the past ones went. */
export async function oncallPage(db: Database | Tx): Promise<OncallPage> {
  const { now } = await one<{ now: string }>(db, sql`select clock_timestamp() as now`);
  const found = await activeReleases(db);
  const releases: OncallRelease[] = [];
  for (const { rollbackId, ...row } of found) {
    const signatures = (await signaturesOf(db, row.id)).filter((s) => s.kind === 'rollback');
    releases.push({
      ...row,
      measured: await measuredRate(db, row.dataset),
      signatures,
      standing: new Set(signatures.filter((s) => s.standing).map((s) => s.person)).size,
      approvers: await approversOf(db, row.id),
      rollback: rollbackId === null ? null : await rollbackRun(db, rollbackId, row),
    });
  }
  return {
    now,
    releases: releases.sort(runningFirst),
    drills: await recentDrills(db, listedDrills),
    past: await pastOf(db),
  };
}

const listedDrills = 10;

const runs = ({ rollback }: OncallRelease) =>
  Number(rollback !== null && isRollbackRunning(rollback.state));

const runningFirst = (a: OncallRelease, b: OncallRelease) =>
  runs(b) - runs(a) || Number(b.serving) - Number(a.serving);

/**
 * Releases that are ACTIVE with their old generation still kept, that are being rolled back, or
 * whose rollback ended within the last hour.
 */
function activeReleases(db: Database | Tx): Promise<Row[]> {
  return rows(
    db,
    sql`select r.id, r.name || '@' || r.revision as release, r.state, r.version, r.dataset,
        d.timezone as zone, coalesce(g.active_generation = r.generation, false) as serving,
        n.name as generation, o.name as "oldGeneration", o.state as "oldState",
        o.kept_until as "keptUntil",
        extract(epoch from o.kept_until - clock_timestamp())::float8 as "windowSeconds",
        k.at as "cutoverAt", k.by as "cutoverBy", g.epoch, r.evidence,
        coalesce((select sum(greatest(a.offsets[s.shard + 1] - b.offsets[s.shard + 1], 0))
          from control.source_shard s
          join control.generation_progress a on a.generation = r.generation
          join control.generation_progress b on b.generation = r.old_generation
          where s.source = d.source), 0)::bigint as "eventsToReplay",
        coalesce(r.rollback_approvals_needed, 0) as needed, m.id as "rollbackId"
      from control.release r
      join control.cutover k on k.release = r.id
      join control.dataset d on d.name = r.dataset
      join control.registry g on g.dataset = r.dataset
      join control.generation n on n.id = r.generation
      join control.generation o on o.id = r.old_generation
      left join lateral (
        select b.id, b.state, b.ended_at from control.rollback b
        where b.release = r.id order by b.id desc limit 1
      ) m on true
      where d.fork_of is null and ((r.state in ('ACTIVE', 'RECONCILIATION_REQUIRED')
          and o.state = 'kept' and coalesce(o.kept_until > clock_timestamp(), true))
        or m.state in ('requested', 'replaying', 'sealed')
        or (r.state = 'ROLLED_BACK' and m.ended_at > clock_timestamp() - interval '1 hour'))
      order by k.at desc`,
  );
}

async function rollbackRun(
  db: Database | Tx,
  id: string,
  { dataset, release }: Pick<OncallRelease, 'dataset' | 'release'>,
): Promise<RollbackRun> {
  const { steps, ...run } = await one<
    Omit<RollbackRun, 'steps' | 'told'> & { steps: Omit<RollbackStep, 'atSeconds'>[] }
  >(
    db,
    sql`select b.id, b.state, b.by, b.requested_at as "requestedAt", b.ended_at as "endedAt", b.why,
        extract(epoch from coalesce(b.ended_at, clock_timestamp()) - b.requested_at)::float8
          as "elapsedSeconds",
        greatest(b.events_to_replay, coalesce((select sum(greatest(
            (coalesce(b.barrier, a.offsets))[s.shard + 1] - b.start_offsets[s.shard + 1], 0))
          from control.source_shard s
          join control.generation_progress a on a.generation = b.from_generation
          where s.source = d.source), 0))::bigint as "eventsToReplay",
        coalesce((select sum(greatest(least(p.offsets[s.shard + 1],
            (coalesce(b.barrier, a.offsets))[s.shard + 1]) - b.start_offsets[s.shard + 1], 0))
          from control.source_shard s
          join control.generation_progress p on p.generation = b.to_generation
          join control.generation_progress a on a.generation = b.from_generation
          where s.source = d.source), 0)::bigint as "eventsReplayed",
        b.steps, coalesce(b.sealed_epoch, g.epoch) as epoch
      from control.rollback b
      join control.dataset d on d.name = b.dataset
      join control.registry g on g.dataset = b.dataset
      where b.id = ${id}`,
  );
  return {
    ...run,
    told: run.state === 'done' ? await toldOf(db, { dataset, release, kind: 'ROLLED_BACK' }) : null,
    steps: timed(steps, run.requestedAt, run.elapsedSeconds),
  };
}

function timed(
  steps: readonly Omit<RollbackStep, 'atSeconds'>[],
  requestedAt: string,
  elapsedSeconds: number,
): RollbackStep[] {
  const since = Date.parse(requestedAt);
  return steps.map((step) => ({
    ...step,
    // for a clock of whole seconds; the instants themselves stay exact text
    atSeconds: step.endedAt === null ? elapsedSeconds : (Date.parse(step.endedAt) - since) / 1000,
  }));
}

async function pastOf(db: Database | Tx): Promise<PastRollback[]> {
  const found = await rows<
    Omit<PastRollback, 'steps'> & { steps: Omit<RollbackStep, 'atSeconds'>[] }
  >(
    db,
    sql`select b.id, r.name || '@' || r.revision as release, b.dataset, d.timezone as zone, b.state,
        b.by, b.why, b.requested_at as "requestedAt", b.ended_at as "endedAt",
        extract(epoch from b.ended_at - b.requested_at)::float8 as seconds,
        coalesce((select sum(greatest(o.ended - o.began, 0))
          from unnest(b.barrier, b.start_offsets) as o(ended, began)), b.events_to_replay)::bigint
          as events,
        n.name as generation, o.name as "oldGeneration", b.steps
      from control.rollback b
      join control.release r on r.id = b.release
      join control.dataset d on d.name = b.dataset
      join control.generation n on n.id = b.from_generation
      join control.generation o on o.id = b.to_generation
      where b.ended_at is not null and d.fork_of is null order by b.id desc limit 10`,
  );
  return found.map(({ steps, ...run }) => ({
    ...run,
    steps: timed(steps, run.requestedAt, run.seconds),
  }));
}
