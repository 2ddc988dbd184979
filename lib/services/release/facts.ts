import { sql } from 'drizzle-orm';
import { type Database, maybeOne, one, type Tx } from '@/lib/db/client';
import { claimsOnPlan } from '@/lib/db/statements/claim';
import { drillFacts } from '@/lib/db/statements/drill';
import { eventsBetween, logEnd, readProgress, sameOffsets } from '@/lib/db/statements/progress';
import { sealedInWay } from '@/lib/db/statements/sealed';
import { claimRanges } from '@/lib/domain/claims';
import type { ReleaseSpec } from '@/lib/domain/release';
import type { ReleaseFacts } from '@/lib/domain/release-blockers';
import { unacceptedDrift, unacceptedQuarantine } from './acceptance-rules';
import { type Release, referenceOf } from './load';

interface Registers {
  dataset: string;
  source: string;
  active: string | null;
  state: 'OPEN' | 'SEALED';
  epoch: number;
  sealer: string | null;
  expired: boolean;
  rollback: string | null;
  barrier: string[] | null;
  deadlinePassed: boolean;
  snapshotReady: boolean;
  oldState: string | null;
  windowOpen: boolean;
  logReaches: boolean;
}

/** Reads everything that decides whether a release may move. Locks nothing; in a move, lock first. */
export async function releaseFacts(tx: Database | Tx, release: Release): Promise<ReleaseFacts> {
  const registry = await one<Registers>(
    tx,
    sql`select r.dataset, d.source, r.active_generation as active, r.state, r.epoch, r.sealer,
        coalesce(r.sealed_until < clock_timestamp(), false) as expired, r.rollback, r.barrier,
        coalesce(${release.deadline}::timestamptz < clock_timestamp(), false) as "deadlinePassed",
        coalesce((select ready_at is not null from control.snapshot where id = ${release.snapshot}), false)
          as "snapshotReady",
        (select state from control.generation where id = ${release.oldGeneration}) as "oldState",
        coalesce((select kept_until > clock_timestamp() from control.generation
          where id = ${release.oldGeneration}), true) as "windowOpen",
        not exists (select from control.generation_progress p
          cross join unnest(p.offsets) with ordinality as w (applied, n)
          join control.source_shard h on h.source = d.source and h.shard = w.n - 1
          where p.generation = ${release.oldGeneration} and w.applied < h.retained_from - 1) as "logReaches"
      from control.registry r join control.dataset d on d.name = r.dataset
      where r.dataset = ${release.dataset}`,
  );
  const work = await one<{
    planned: number;
    receipts: number;
    failed: number;
    running: number;
    last: string | null;
  }>(
    tx,
    sql`select count(*)::int as planned, count(c.release)::int as receipts,
        (count(*) filter (where p.state = 'failed'))::int as failed,
        (count(*) filter (where p.state = 'building'))::int as running, max(c.at) as last
      from control.release_partition p
      left join control.receipt c on c.release = p.release and c.start_at = p.start_at
      where p.release = ${release.id}`,
  );
  const sealedByThis = registry.sealer === `release:${release.id}`;
  const barrier = sealedByThis && registry.barrier ? registry.barrier : null;
  return {
    state: release.state,
    reference: referenceOf(release),
    dataset: release.dataset,
    claimed:
      release.state === 'SNAPSHOT_PINNED' ? claimRanges(await claimsOnPlan(tx, release)) : [],
    paused: release.pausedAt !== null,
    held: release.heldAt !== null,
    draining: release.draining,
    deadline: release.deadline ?? '',
    deadlinePassed: registry.deadlinePassed,
    snapshotReady: registry.snapshotReady,
    baseIsActive: release.oldGeneration === null || registry.active === release.oldGeneration,
    serving: release.generation !== null && registry.active === release.generation,
    ingress: {
      state: registry.state,
      epoch: registry.epoch,
      sealedByThis,
      expired: registry.expired,
      rollbackInProgress: registry.rollback !== null,
    },
    planned: work.planned,
    receipts: work.receipts,
    failed: work.failed,
    running: work.running,
    rehearsal: await latestRehearsal(tx, release, work.last),
    rehearsing: release.rehearseAskedAt !== null,
    quarantined: await unacceptedQuarantine(tx, release),
    lagSeconds:
      registry.active === null ? 0 : await lagSeconds(tx, registry.source, registry.active),
    maxLagSeconds: release.maxLiveLagSeconds ?? 0,
    buffered: barrier ? String(eventsBetween(barrier, await logEnd(tx, registry.source))) : '0',
    maxBuffered: release.maxBufferedEvents ?? '0',
    barrier:
      barrier && release.generation
        ? await covered(tx, release.generation, release.watermark ?? [], barrier)
        : null,
    evidence: release.evidence,
    signed: await standing(tx, release),
    needed: {
      cutover: release.approvalsNeeded ?? 0,
      rollback: release.rollbackApprovalsNeeded ?? 0,
    },
    old: {
      kept: registry.oldState === 'kept' || registry.oldState === 'serving',
      windowOpen: registry.windowOpen,
      logReaches: registry.logReaches,
    },
    trouble:
      release.troubleStep === null
        ? null
        : { step: release.troubleStep, why: release.troubleWhy ?? '' },
    drill: await drillFacts(tx, release.id),
    sealed: refusesSealed(release.spec)
      ? await sealedInWay(tx, release.dataset, release.rangeFrom, release.rangeTo)
      : { count: 0, first: [] },
  };
}

/** Seconds that the oldest event not applied yet has waited, by the database's clock; 0 if none. */
export async function lagSeconds(
  tx: Database | Tx,
  source: string,
  generation: string,
): Promise<number> {
  const { lag } = await one<{ lag: number }>(
    tx,
    sql`select coalesce(greatest(0, ceil(extract(epoch from clock_timestamp() - min(e.received_at)))), 0)::int as lag
      from control.generation_progress p
      cross join unnest(p.offsets) with ordinality as s (applied, n)
      join control.source_event e
        on e.source = ${source} and e.shard = s.n - 1 and e."offset" = s.applied + 1
      where p.generation = ${generation}`,
  );
  return lag;
}

async function covered(tx: Database | Tx, generation: string, from: string[], barrier: string[]) {
  const progress = await readProgress(tx, generation);
  const total = eventsBetween(from, barrier);
  const missing = eventsBetween(progress, barrier);
  return {
    applied: String(total - missing),
    total: String(total),
    exact: sameOffsets(progress, barrier),
  };
}

async function latestRehearsal(tx: Database | Tx, release: Release, lastReceipt: string | null) {
  const found = await maybeOne<{
    id: string;
    verdict: string;
    unexplained: string;
    newer: boolean;
  }>(
    tx,
    sql`select id, verdict, unexplained,
        coalesce(started_at > ${lastReceipt}::timestamptz, false) as newer
      from control.reconciliation
      where release = ${release.id} and kind = 'rehearsal' and verdict <> 'running'
      order by id desc limit 1`,
  );
  if (!found) return null;
  const failedChecks = await tx.execute(sql`
    select name, figure, expected from control.check_result
    where reconciliation = ${found.id} and verdict <> 'passed' order by position`);
  return {
    verdict: found.verdict,
    newerThanReceipts: found.newer,
    unexplained: found.unexplained,
    driftNotAccepted: await unacceptedDrift(tx, release, found.id),
    failedChecks: Array.from(failedChecks) as { name: string; figure: string; expected: string }[],
  };
}

/** Signatures that count: of approvers as of now, no author, on the evidence that stands. */
export async function standing(tx: Database | Tx, release: Release) {
  if (release.evidence === null && release.state !== 'ACTIVE') return { cutover: 0, rollback: 0 };
  return one<{ cutover: number; rollback: number }>(
    tx,
    sql`select (count(distinct s.person) filter (where s.kind = 'cutover'))::int as cutover,
        (count(distinct s.person) filter (where s.kind = 'rollback'))::int as rollback
      from control.signature s
      join control.person_role pr on pr.person = s.person and pr.role = 'approver'
      where s.release = ${release.id} and s.decision = 'approve' and s.digest = ${release.evidence}
        and not exists (select from control.release_author a
          where a.release = s.release and a.person = s.person)`,
  );
}

const refusesSealed = (spec: unknown) =>
  (spec as Partial<ReleaseSpec>).sealedPartitions === 'REFUSE';
