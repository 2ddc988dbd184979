import { eq, sql } from 'drizzle-orm';
import { type Database, maybeOne, one, type Tx } from '@/lib/db/client';
import { rowsTable } from '@/lib/db/dataset-shape';
import { release as releaseTable } from '@/lib/db/schema/release';
import { refreshFigures } from '@/lib/db/statements/figures';
import {
  eventsBetween,
  LogPruned,
  logEnd,
  readProgress,
  sameOffsets,
} from '@/lib/db/statements/progress';
import { lockRegistry, type Registry } from '@/lib/db/statements/registry';
import { reached } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { plural } from '@/lib/domain/figures';
import { isFork } from '@/lib/domain/names';
import { aggregatesOf } from '@/lib/services/apply/aggregates';
import { catchUp } from '@/lib/services/apply/apply-live';
import { lockRelease, type Release } from '@/lib/services/release/load';
import { enqueue } from '@/lib/services/release/move';
import { moveState } from '@/lib/services/release/move-state';
import { rollbackStep } from '@/lib/services/release/rollback-steps';
import { reportTrouble } from '@/lib/services/release/trouble';
import { runnerContext } from '@/lib/services/system';
import { afterCutover } from './after-cutover';
import { buildUnplanned } from './build-unplanned';
import { drillStep } from './drill';
import { candidateManifestRoot, catchUpRoot, writeEvidence } from './evidence';
import { materialise } from './materialise';
import { reconcile } from './reconcile';
import { loadReleaseShape } from './release-shape';
import { retireGenerations } from './retire';
import { settleCollisions } from './settle-collisions';
import { type StepHold, withStep } from './step-lease';

/**
 * Does whatever is due for a release, until nothing is left for the runner to do: its state and its
 * tables say what. Every step is a transaction that reads where things stand, so this goes on after
 * a crash, and doing it twice is harmless.
 */
export async function advance(db: Database, id: string, worker: string): Promise<void> {
  await withStep(db, id, 'advance', worker, async (hold) => {
    while (hold.mine() && (await step(db, id, worker, hold)));
  });
}

/** True if there may be more to do at once. */
async function step(db: Database, id: string, worker: string, hold: StepHold): Promise<boolean> {
  const [release] = await db.select().from(releaseTable).where(eq(releaseTable.id, id));
  if (!release) return false;
  const usual = () => stepOf(db, release, worker, hold);
  return isFork(release.dataset) ? drillStep(db, release, usual) : usual();
}

async function stepOf(
  db: Database,
  release: Release,
  worker: string,
  hold: StepHold,
): Promise<boolean> {
  switch (release.state) {
    case 'SNAPSHOT_PINNED':
      return materialiseStep(db, release);
    case 'BUILDING':
      return buildingStep(db, release, worker, hold);
    case 'INGRESS_SEALED':
      return sealedStep(db, release);
    case 'CAUGHT_UP':
      return reconcileStep(db, release, worker, hold);
    case 'RECONCILED':
    case 'APPROVED':
      // nobody knows how long people take to sign, and the log goes on filling
      await bufferOverLimit(db, release);
      return false;
    case 'ACTIVE':
    case 'RECONCILIATION_REQUIRED':
      return activeStep(db, release);
    case 'ROLLED_BACK':
    case 'REJECTED':
    case 'ABANDONED':
      await retireGenerations(db, release.dataset);
      return false;
    default:
      return false;
  }
}

async function materialiseStep(db: Database, release: Release): Promise<boolean> {
  const open = await maybeOne(
    db,
    sql`select 1 from control.snapshot where id = ${release.snapshot} and ready_at is null`,
  );
  if (!open) return false;
  await materialise(db, release.id);
  await buildUnplanned(db, await loadReleaseShape(db, release.id));
  return false;
}

/** Queues the building of what is planned; once all is built, catches up and rehearses if asked. */
async function buildingStep(
  db: Database,
  release: Release,
  worker: string,
  hold: StepHold,
): Promise<boolean> {
  await materialiseStep(db, release);
  const work = await one<{
    planned: number;
    building: number;
    missing: number;
    receipts: number;
  }>(
    db,
    sql`select (count(*) filter (where p.state = 'planned'))::int as planned,
        (count(*) filter (where p.state = 'building'))::int as building,
        (count(*) filter (where c.release is null))::int as missing, count(c.release)::int as receipts
      from control.release_partition p
      left join control.receipt c on c.release = p.release and c.start_at = p.start_at
      where p.release = ${release.id}`,
  );
  if (release.pausedAt !== null) return false;
  if (work.planned > 0) {
    // again before the first partition: the snapshot may be one of an earlier pin
    if (work.receipts === 0 && work.building === 0) {
      await buildUnplanned(db, await loadReleaseShape(db, release.id));
    }
    for (let slot = work.building; slot < (release.concurrency ?? 1); slot++) {
      await enqueue(db, 'build', { release: release.id }, `build:${release.id}:${slot}`);
    }
  }
  if (work.missing > 0 || work.planned > 0 || work.building > 0) return false;

  const caughtUp = await catchUpTo(db, release, 'progress');
  if (release.rehearseAskedAt === null || !caughtUp) return false;
  // what the build wrote is not in the table's statistics yet, and the comparison joins all of it
  await db.execute(sql.raw(`analyze ${rowsTable(release.dataset)}`));
  await settleCollisions(db, await loadReleaseShape(db, release.id));
  await reconcile(db, release.id, 'rehearsal', release.rehearseAskedBy ?? worker, hold.mine);
  await db.execute(sql`
    update control.release set rehearse_asked_at = null, rehearse_asked_by = null
    where id = ${release.id} and rehearse_asked_at = ${release.rehearseAskedAt}::timestamptz`);
  return false;
}

/**
 * Applies to the candidate until it has reached its limit: before the seal the active generation's
 * progress as it is now, after it the barrier. False: it is not there and cannot go on.
 */
async function catchUpTo(
  db: Database,
  release: Release,
  limit: 'progress' | 'barrier',
): Promise<boolean> {
  try {
    return await catchUpBatches(db, release, limit);
  } catch (error) {
    if (!(error instanceof LogPruned)) throw error;
    // it would fail again and again: people have to decide
    const why = error.message;
    await reportTrouble(db, release, { step: 'catch-up', code: 'SNAPSHOT_EXPIRED', why });
    return false;
  }
}

async function catchUpBatches(
  db: Database,
  release: Release,
  limit: 'progress' | 'barrier',
): Promise<boolean> {
  for (;;) {
    const result = await catchUp(db, release.dataset, release.generation as string, async (tx) => {
      const open = await maybeOne<{ barrier: string[] | null; receipts: boolean }>(
        tx,
        sql`select x.barrier, not exists (
            select from control.release_partition p where p.release = x.id and not exists (
              select from control.receipt c where c.release = p.release and c.start_at = p.start_at)) as receipts
          from control.release x join control.generation g on g.id = x.generation
          where x.id = ${release.id} and x.state = ${release.state} and g.state = 'candidate'`,
      );
      // nothing is rebuilt once catch-up began, so it begins only when every partition has its receipt
      if (!open?.receipts) return null;
      return limit === 'barrier' ? open.barrier : readProgress(tx, release.oldGeneration as string);
    });
    if (result === null) return false;
    await reached('catch-up.committed');
    if (result.caughtUp) return true;
  }
}

async function sealedStep(db: Database, release: Release): Promise<boolean> {
  if (await bufferOverLimit(db, release)) return false;
  if (!(await catchUpTo(db, release, 'barrier'))) return false;
  const shape = await loadReleaseShape(db, release.id);
  await refreshFigures(
    db,
    shape.dataset,
    await aggregatesOf(shape.dataset),
    shape.release.generation,
  );
  return moveOn(db, release, async (tx, registry, locked) => {
    const progress = await readProgress(tx, locked.generation as string);
    if (!registry.barrier || !sameOffsets(progress, registry.barrier)) return false;
    const manifest = await candidateManifestRoot(tx, locked);
    await tx.execute(sql`
      update control.generation set manifest_root = ${manifest}, catch_up_root = ${await catchUpRoot(tx, locked)}
      where id = ${locked.generation}`);
    await moveState(tx, runnerContext(), locked, {
      to: 'CAUGHT_UP',
      verb: 'release.caught-up',
      after: { manifestRoot: manifest, barrier: registry.barrier },
    });
    await reached('manifest.before-commit');
    return true;
  });
}

async function reconcileStep(
  db: Database,
  release: Release,
  worker: string,
  hold: StepHold,
): Promise<boolean> {
  if (await bufferOverLimit(db, release)) return false;
  const { id, verdict, why } = await reconcile(db, release.id, 'final', worker, hold.mine);
  if (verdict === 'incomplete') {
    if (why !== null) {
      await reportTrouble(db, release, { step: 'reconcile', code: 'CHECK_INCOMPLETE', why });
    }
    return false;
  }
  if (verdict === 'failed') {
    const failed = await one<{ names: string }>(
      db,
      sql`select string_agg(name || ' (' || figure || ')', ', ' order by position) as names
        from control.check_result where reconciliation = ${id} and verdict <> 'passed'`,
    );
    await reportTrouble(db, release, {
      step: 'reconcile',
      code: 'CHECK_FAILED',
      why: `the reconciliation at the barrier failed: ${failed.names}`,
    });
    return false;
  }
  return moveOn(db, release, async (tx, _registry, locked) => {
    const evidence = await writeEvidence(tx, locked, id);
    await reached('reconcile.evidence-written');
    await moveState(tx, runnerContext(), locked, {
      to: 'RECONCILED',
      verb: 'release.reconciled',
      set: [sql`evidence = ${evidence}`],
      evidence,
      after: { reconciliation: id },
    });
    return false;
  });
}

/** A step's last transaction: only while the release still holds the seal that the step saw. */
async function moveOn(
  db: Database,
  release: Release,
  fn: (tx: Tx, registry: Registry, locked: Release) => Promise<boolean>,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    const registry = await lockRegistry(tx, release.dataset);
    const locked = await lockRelease(tx, release.id);
    const holds =
      registry?.state === 'SEALED' &&
      registry.sealer === `release:${release.id}` &&
      registry.epoch === locked.sealedEpoch &&
      // ingress may have been reopened and sealed again while this step's worker stood still
      locked.sealedEpoch === release.sealedEpoch &&
      locked.state === release.state;
    return registry && holds ? fn(tx, registry, locked) : false;
  });
}

async function bufferOverLimit(db: Database, release: Release): Promise<boolean> {
  const { source } = await one<{ source: string }>(
    db,
    sql`select source from control.dataset where name = ${release.dataset}`,
  );
  const buffered = eventsBetween(release.barrier ?? [], await logEnd(db, source));
  if (release.maxBufferedEvents === null || buffered <= BigInt(release.maxBufferedEvents))
    return false;
  await reportTrouble(db, release, {
    step: 'catch-up',
    code: 'BUFFER_OVER_LIMIT',
    why: `${plural(buffered, 'event')} ${buffered === 1n ? 'waits' : 'wait'} behind the seal, the limit is ${release.maxBufferedEvents}`,
  });
  return true;
}

async function activeStep(db: Database, release: Release): Promise<boolean> {
  const under = await maybeOne<{ id: string }>(
    db,
    sql`select id from control.rollback
      where release = ${release.id} and state in ('requested', 'replaying', 'sealed')`,
  );
  if (under) return rollbackStep(db, under.id, release);
  await afterCutover(db, release);
  await retireGenerations(db, release.dataset);
  return false;
}
