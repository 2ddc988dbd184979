import { sql } from 'drizzle-orm';
import { array, maybeOne, type Tx } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { liftByCutover } from '@/lib/db/statements/contamination';
import { type Corrected, correctByCutover } from '@/lib/db/statements/correction';
import { cutoverConditions, lockSigners, switchGeneration } from '@/lib/db/statements/cutover';
import { refreshFigures } from '@/lib/db/statements/figures';
import { loadMap, lockGeneration, saveMap } from '@/lib/db/statements/generation-map';
import { recordEmpty } from '@/lib/db/statements/mapped-partitions';
import { type SealedPartition, sealedWithin } from '@/lib/db/statements/sealed';
import { newSegment } from '@/lib/db/statements/segment';
import { reached } from '@/lib/db/step';
import { isUnderWay, type ReleaseState } from '@/lib/domain/lifecycle';
import { isFork } from '@/lib/domain/names';
import type { MapRange } from '@/lib/domain/range-map';
import { type Blocker, LostRace, Refused, toFix } from '@/lib/domain/refusal';
import { activateBlockers } from '@/lib/domain/release-blockers';
import { afterCutover } from '@/lib/domain/sealed';
import { aggregatesOf } from '@/lib/services/apply/aggregates';
import { tellMarks } from '@/lib/services/contamination/tell-marks';
import type { Ctx } from '@/lib/services/context';
import { carryQuarantine } from './carry-quarantine';
import { dropPlanClaims } from './claim-plan';
import { releaseFacts } from './facts';
import { type Release, referenceOf } from './load';
import { enqueueAdvance, type Locked, move, stateBlocker } from './move';
import { moveState } from './move-state';
import { tellSwitch } from './tell-switch';

/**
 * The cutover: one compare-and-set moves the active pointer and opens the next epoch. Asked again
 * after it was done, it answers as if it had just been done; it is never done twice.
 */
export const activate = move(
  'activate',
  async (tx, ctx, locked) => {
    const { registry, release } = locked;
    if (release.state === 'ACTIVE' && registry.active === release.generation) return;

    await lockSigners(tx, release.id);
    // runs write to the generation in use again, and from here on that is the release's own
    await dropPlanClaims(tx, release);
    const writeSegment = await newSegment(tx, release.dataset, 'epoch');
    const keys = { release: release.id, actor: ctx.actor.person, writeSegment };
    if (!(await switchGeneration(tx, keys))) await explain(tx, ctx, locked, keys);

    const old = release.oldGeneration as string;
    const candidate = release.generation as string;
    // both in the order of their ids; no key update, so that no reader's pin waits
    for (const id of [old, candidate].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))) {
      await lockGeneration(tx, id);
    }
    const range = { from: release.rangeFrom, to: release.rangeTo };
    const sealed = await sealedWithin(tx, release.dataset, range);
    const corrected = await correctPublished(tx, ctx, release, sealed);
    const map = await inheritRanges(tx, release, sealed);
    await carryQuarantine(tx, release, map);
    await tx.execute(sql`
    update control.generation set state = 'kept', served_until = clock_timestamp(),
      kept_until = clock_timestamp() + make_interval(secs => ${release.rollbackWindowSeconds})
    where id = ${old}`);
    await tx.execute(sql`
    update control.generation set state = 'serving', served_from = clock_timestamp() where id = ${candidate}`);
    await tx.execute(sql`
    insert into control.cutover (release, by, epoch_before, epoch_after, from_generation, to_generation,
      barrier, evidence, request_id)
    values (${release.id}, ${ctx.actor.person}, ${registry.epoch}, ${registry.epoch + 1}, ${old},
      ${candidate}, ${array(release.barrier ?? [], 'bigint')}, ${release.evidence}, ${ctx.requestId})`);
    // its record stands now, which the marks' turns name
    const lifted = await liftByCutover(tx, {
      dataset: release.dataset,
      release: release.id,
      name: release.name,
      ...range,
      by: ctx.actor.person,
    });
    await enqueueAdvance(tx, release);
    await tellSwitch(tx, {
      kind: 'cutover',
      release,
      from: old,
      to: candidate,
      epoch: registry.epoch,
      barrier: release.barrier ?? [],
      corrected,
      by: ctx.actor.person,
    });
    await tellMarks(tx, {
      kind: 'CONTAMINATION_LIFTED',
      marks: lifted,
      release: referenceOf(release),
      by: ctx.actor.person,
    });
    await moveState(tx, ctx, release, {
      to: 'ACTIVE',
      verb: 'release.activate',
      evidence: release.evidence,
      before: { generation: old, epoch: registry.epoch },
      after: {
        generation: candidate,
        epoch: registry.epoch + 1,
        ...(lifted.length > 0 ? { contaminationsLifted: lifted } : {}),
      },
    });
    await reached('cutover.before-commit');
  },
  'cutover.committed',
);

/** The compare-and-set failed: names every condition, with the figures where they are known. */
async function explain(
  tx: Tx,
  ctx: Ctx,
  { release }: Locked,
  keys: Parameters<typeof cutoverConditions>[1],
): Promise<never> {
  const failed = (await cutoverConditions(tx, keys)).filter((c) => !c.holds).map((c) => c.code);
  if (failed.length === 0) throw new LostRace('The release moved while the cutover was under way.');
  const facts = await releaseFacts(tx, release);
  const signed = await maybeOne(
    tx,
    sql`select 1 from control.signature where release = ${release.id} and kind = 'cutover'
      and decision = 'approve' and person = ${ctx.actor.person} and digest = ${release.evidence}`,
  );
  const told = activateBlockers(facts, {
    person: ctx.actor.person,
    isAuthor: false,
    signedCutover: signed !== null,
    executorMayApprove: release.executorMayApprove ?? false,
  });
  const state = stateBlocker('activate', release).filter((b) => worthTelling(b.code, told));
  const untold = failed
    .filter(
      (code) =>
        code !== 'WRONG_STATE' && !told.some((b) => b.code === code) && worthTelling(code, told),
    )
    .map((code) =>
      toFix(code, `${referenceOf(release)}: the condition ${code} of the cutover does not hold.`),
    );
  // on its way to APPROVED the state only follows from what is missing; beside the way it is the reason
  const under =
    release.state !== 'RECONCILIATION_REQUIRED' && isUnderWay(release.state as ReleaseState);
  throw new Refused(under ? [...told, ...untold, ...state] : [...state, ...told, ...untold]);
}

/** A condition that fails only because another one does is not listed a second time. */
function worthTelling(code: string, told: readonly Blocker[]): boolean {
  const has = (other: string) => told.some((b) => b.code === other);
  if (code === 'EPOCH_SEALED' || code === 'SEALED_TOO_LONG' || code === 'BARRIER_NOT_COVERED') {
    return !has('NOT_SEALED');
  }
  if (code === 'WRONG_STATE') return has('EVIDENCE_MISSING') || !has('APPROVALS_MISSING');
  if (code === 'EVIDENCE_MOVED') return !has('EVIDENCE_MISSING');
  return true;
}

/**
 * What the candidate came to for sealed partitions in its range is written down, while its map still
 * leads to it; then it serves what was published.
 */
async function correctPublished(
  tx: Tx,
  ctx: Ctx,
  release: Release,
  sealed: readonly SealedPartition[],
): Promise<Corrected | null> {
  if (sealed.length === 0 || isFork(release.dataset)) return null;
  const range = { from: release.rangeFrom, to: release.rangeTo };
  const dataset = await loadDataset(tx, release.dataset);
  if (!dataset) throw new Error(`there is no dataset ${release.dataset}`);
  const generation = release.generation as string;
  // behind an open plan: what has neither a row nor a record there comes to nothing
  await recordEmpty(tx, generation, sealed);
  await refreshFigures(tx, dataset, await aggregatesOf(dataset), generation, range);
  return correctByCutover(tx, {
    dataset: release.dataset,
    release: release.id,
    generation,
    segment: release.segment as string,
    transform: release.newTransform as string,
    barrier: release.barrier ?? [],
    reason: `Cutover of ${referenceOf(release)}`,
    by: ctx.actor.person,
  });
}

/** Gives the candidate the map that it serves by. */
async function inheritRanges(
  tx: Tx,
  release: Release,
  sealed: readonly SealedPartition[],
): Promise<MapRange[]> {
  const old = release.oldGeneration as string;
  const candidate = release.generation as string;
  const before = await loadMap(tx, candidate);
  const served = await loadMap(tx, old);
  const after = afterCutover(before, served, sealed);
  await saveMap(tx, candidate, before, after);
  return after;
}
