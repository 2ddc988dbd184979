import { sql } from 'drizzle-orm';
import { affected, array, type Database, maybeOne, type Tx } from '@/lib/db/client';
import { putBackByRollback } from '@/lib/db/statements/contamination';
import type { WouldBe } from '@/lib/db/statements/correction';
import { lockGeneration } from '@/lib/db/statements/generation-map';
import { eventsBetween, LogPruned, readProgress, sameOffsets } from '@/lib/db/statements/progress';
import { lockRegistry } from '@/lib/db/statements/registry';
import { newSegment } from '@/lib/db/statements/segment';
import { reached } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { replay } from '@/lib/services/apply/apply-live';
import { tellMarks } from '@/lib/services/contamination/tell-marks';
import { runnerContext } from '@/lib/services/system';
import { lockRelease, type Release, referenceOf } from './load';
import { moveState } from './move-state';
import { reopenIngress } from './reopen-ingress';
import { isComplete, keepPublished, rollbackCorrections } from './rollback-published';
import { failRollback, type RollbackRow, readRollback } from './rollback-row';
import { tellSwitch } from './tell-switch';
import { enterTrouble, type Trouble } from './trouble';

/** Events left at which readers' wait behind the seal is short enough to take it. */
const tailEvents = 500n;

/**
 * Does the next step of a rollback: pre-replay while readers stay on the new generation, seal, the
 * tail up to the second barrier, and one compare-and-set back. Each step is a transaction that
 * reads where things stand, so it goes on after a crash and is harmless when done twice.
 *
 * @returns false when there is nothing more to do
 */
export async function rollbackStep(db: Database, id: string, release: Release): Promise<boolean> {
  const row = await readRollback(db, id);
  try {
    return await nextStep(db, row, release);
  } catch (error) {
    if (!(error instanceof LogPruned)) throw error;
    await unreachable(db, row, error.message);
    return false;
  }
}

async function nextStep(db: Database, row: RollbackRow, release: Release): Promise<boolean> {
  switch (row.state) {
    case 'requested':
    case 'replaying':
      if (await replayNext(db, row)) return true;
      if (!(await sealForRollback(db, row, release))) return false;
      await reached('rollback.sealed');
      return true;
    case 'sealed':
      if (await replayNext(db, row)) return true;
      if (await switchBack(db, row, await rollbackCorrections(db, row))) return true;
      await reached('rollback.committed');
      return false;
    case 'done':
    case 'called_off':
    case 'failed':
      return false;
  }
}

/**
 * The log was pruned under the replay: trying again would fail again, so people have to decide.
 * Ingress that the rollback sealed reopens, and the generation in use stays in use.
 */
async function unreachable(db: Database, row: RollbackRow, why: string): Promise<void> {
  await transaction(db, async (tx) => {
    const registry = await lockRegistry(tx, row.dataset);
    if (!registry || registry.rollback !== row.id) return;
    const release = await lockRelease(tx, row.release);
    const ctx = runnerContext();
    const sealed = registry.sealer === `rollback:${row.id}`;
    const epoch = sealed ? await reopenIngress(tx, registry) : registry.epoch;
    await failRollback(tx, ctx, row.id, why);
    if (release.state !== 'ACTIVE') return;
    const trouble: Trouble = { step: 'replay', code: 'SNAPSHOT_EXPIRED', why };
    await enterTrouble(tx, ctx, { ...registry, epoch }, release, trouble);
  });
}

/** One batch of the replay; false once the tail is short, or after the seal empty. */
async function replayNext(db: Database, row: RollbackRow): Promise<boolean> {
  const result = await replay(db, row.dataset, row.to, row.segment, async (tx, registry) => {
    if (registry.rollback !== row.id) return null;
    const limit = row.state === 'sealed' ? registry.barrier : await readProgress(tx, row.from);
    if (limit === null) return null;
    const left = eventsBetween(await readProgress(tx, row.to), limit);
    if (row.state !== 'sealed' && left <= tailEvents) return null;
    await land(tx, row.id, row.state === 'sealed' ? 'tail' : 'replay', null);
    if (row.state === 'requested') {
      await tx.execute(sql`update control.rollback set state = 'replaying' where id = ${row.id}`);
    }
    return limit;
  });
  return result !== null && result.applied.scanned > 0;
}

async function sealForRollback(db: Database, row: RollbackRow, release: Release): Promise<boolean> {
  return transaction(
    db,
    async (tx) => {
      const registry = await lockRegistry(tx, row.dataset);
      if (!registry || registry.rollback !== row.id || registry.state !== 'OPEN') return false;
      const barrier = await readProgress(tx, row.from);
      await tx.execute(sql`
        update control.registry set state = 'SEALED', sealer = ${`rollback:${row.id}`},
          sealed_at = clock_timestamp(),
          sealed_until = clock_timestamp() + make_interval(secs => ${release.maxSealedSeconds}),
          barrier = ${array(barrier, 'bigint')}
        where dataset = ${row.dataset} and state = 'OPEN' and epoch = ${registry.epoch}`);
      await land(tx, row.id, 'replay', 'ended');
      await land(tx, row.id, 'seal', 'ended');
      const sealed = await affected(
        tx,
        sql`update control.rollback set state = 'sealed', barrier = ${array(barrier, 'bigint')},
            sealed_epoch = ${registry.epoch}
          where id = ${row.id} and state in ('requested', 'replaying')`,
      );
      return sealed === 1;
    },
    { lockTimeoutMs: 300, retries: 20 },
  );
}

/** The compare-and-set back; afterwards the old generation serves, every write of the new one in it. */
async function switchBack(
  db: Database,
  row: RollbackRow,
  found: readonly WouldBe[],
): Promise<boolean> {
  return transaction(
    db,
    async (tx) => {
      const registry = await lockRegistry(tx, row.dataset);
      if (!registry || registry.rollback !== row.id || registry.sealer !== `rollback:${row.id}`)
        return false;
      const release = await lockRelease(tx, row.release);
      const progress = await readProgress(tx, row.to);
      if (!registry.barrier || !sameOffsets(progress, registry.barrier)) return true;
      for (const id of [row.from, row.to].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))) {
        await lockGeneration(tx, id);
      }
      if (!(await isComplete(tx, row, found))) return true;
      await land(tx, row.id, 'tail', 'ended');
      const writeSegment = await newSegment(tx, row.dataset, 'epoch');
      const switched = await affected(
        tx,
        sql`update control.registry r
          set active_generation = ${row.to}, epoch = r.epoch + 1, state = 'OPEN', sealer = null,
            sealed_at = null, sealed_until = null, barrier = null, rollback = null,
            write_segment = ${writeSegment}
          where r.dataset = ${row.dataset} and r.state = 'SEALED' and r.sealer = ${`rollback:${row.id}`}
            and r.epoch = ${registry.epoch} and r.active_generation = ${row.from}
            and r.barrier = (select offsets from control.generation_progress where generation = ${row.from})
            and r.barrier = (select offsets from control.generation_progress where generation = ${row.to})
            and exists (select from control.generation g where g.id = ${row.to} and g.state = 'kept')`,
      );
      if (switched !== 1) {
        await reopenIngress(tx, registry);
        await failRollback(
          tx,
          runnerContext(),
          row.id,
          'the switch back did not find what it was to replace',
        );
        return false;
      }
      const corrected = await keepPublished(tx, row, release, found);
      await tx.execute(sql`
        update control.generation set state = 'kept', served_until = clock_timestamp(),
          kept_until = clock_timestamp() + make_interval(secs => ${release.rollbackWindowSeconds})
        where id = ${row.from}`);
      await tx.execute(sql`
        update control.generation set state = 'serving', served_until = null, kept_until = null
        where id = ${row.to}`);
      await land(tx, row.id, 'switch', 'ended');
      await tx.execute(sql`
        update control.rollback set state = 'done', ended_at = clock_timestamp() where id = ${row.id}`);
      const back = await putBackByRollback(tx, {
        dataset: row.dataset,
        release: row.release,
        rollback: row.id,
        by: row.by,
      });
      await tellSwitch(tx, {
        kind: 'rollback',
        release,
        from: row.from,
        to: row.to,
        epoch: registry.epoch,
        barrier: registry.barrier,
        corrected,
        by: row.by,
      });
      await tellMarks(tx, {
        kind: 'CONTAMINATION_PUT_BACK',
        marks: back,
        release: referenceOf(release),
        by: row.by,
      });
      await moveState(tx, runnerContext(), release, {
        to: 'ROLLED_BACK',
        verb: 'release.rolled-back',
        before: { generation: row.from, epoch: registry.epoch },
        after: {
          generation: row.to,
          epoch: registry.epoch + 1,
          ...(back.length > 0 ? { contaminationsPutBack: back } : {}),
        },
        evidence: release.evidence,
      });
      await reached('rollback.before-commit');
      return false;
    },
    { lockTimeoutMs: 300, retries: 20 },
  );
}

/** Notes a step of the rollback: when it began, and when it ended. Steps land once, in order. */
async function land(tx: Tx, id: string, step: string, ended: 'ended' | null): Promise<void> {
  const found = await maybeOne<{
    steps: { step: string; startedAt: string; endedAt: string | null }[];
    now: string;
  }>(tx, sql`select steps, clock_timestamp() as now from control.rollback where id = ${id}`);
  if (!found) return;
  const steps = [...found.steps];
  const at = steps.findIndex((s) => s.step === step);
  const known = steps[at];
  if (known)
    steps[at] = { ...known, endedAt: ended ? (known.endedAt ?? found.now) : known.endedAt };
  else steps.push({ step, startedAt: found.now, endedAt: ended ? found.now : null });
  await tx.execute(sql`
    update control.rollback set steps = ${JSON.stringify(steps)}::jsonb where id = ${id}`);
}
