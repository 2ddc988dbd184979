import { sql } from 'drizzle-orm';
import { affected, array, json, maybeOne, one, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { storeCalendar } from '@/lib/db/statements/calendar';
import { loadMap, saveMap } from '@/lib/db/statements/generation-map';
import { readProgress } from '@/lib/db/statements/progress';
import { sealedInWay } from '@/lib/db/statements/sealed';
import { newSegment, startProgress } from '@/lib/db/statements/segment';
import { digestOf } from '@/lib/digest/canonical';
import { plural } from '@/lib/domain/figures';
import { microsOf } from '@/lib/domain/instant';
import type { Partition } from '@/lib/domain/partition-plan';
import { type MapRange, overlay } from '@/lib/domain/range-map';
import { type Blocker, toFix, toWait } from '@/lib/domain/refusal';
import { canonicalSpec, parseRelease, type ReleaseSpec } from '@/lib/domain/release';
import { datasetDisagreements, type FrozenSpec, freezeSpec } from '@/lib/domain/release-freeze';
import { sealedBlockers } from '@/lib/domain/sealed';
import { checkedTransform } from '@/lib/services/apply/compiled';
import type { Release } from './load';
import { referenceOf } from './load';
import { enqueueAdvance, move, refuseIf, stateBlocker } from './move';
import { moveState } from './move-state';
import { checkSpec, oldTransformOf, overlapBlockers, planOf } from './prepare';
import { snapshotFor } from './snapshot-for';

export interface PinInput {
  release: string;
  /** The plan that was previewed: another one is refused with the difference. */
  planDigest?: string;
}

/**
 * Pins a draft: freezes the spec with the dataset's policy, the plan, the expected old generation
 * and the watermark, and makes the candidate with its map. The watermark is what the generation in
 * use has reached, not the log's end: a candidate that knew more could never meet it at a barrier.
 */
export const pin = move<PinInput>('pin', async (tx, ctx, { registry, release }, input) => {
  refuseIf(stateBlocker('pin', release));
  const spec = parseRelease(release.spec);
  const dataset = await checkSpec(tx, spec);
  const plan = await planOf(tx, dataset, spec.range, registry.active);
  const map = registry.active === null ? [] : await loadMap(tx, registry.active);
  const oldTransform = map.length === 0 ? '' : oldTransformOf(map, plan.partitions);
  const facts = {
    source: dataset.source.name,
    timezone: dataset.zone,
    partition: dataset.unit,
    columns: await columnsDigest(tx, dataset.name),
    oldTransform,
    conserved: dataset.conserved as FrozenSpec['conserved'],
    policy: dataset.policy as FrozenSpec['policy'],
  };
  refuseIf([
    ...(registry.active === null ? [toWait('DATASET_NOT_READY')] : []),
    ...datasetDisagreements(spec, facts),
    ...(await pinBlockers(tx, release, spec, dataset)),
    ...(plan.partitions.length === 0 ? [toFix('NOTHING_PLANNED')] : []),
    ...changedPlan(input.planDigest, plan.digest, plan.partitions),
  ]);

  const old = registry.active as string;
  const watermark = await readProgress(tx, old);
  const snapshot = await snapshotFor(tx, spec, dataset, watermark);
  const newTransform = await storeTransform(tx, ctx.actor.person, spec, dataset);
  const frozen = freezeSpec(spec, facts, {
    release: referenceOf(release),
    owner: spec.owner ?? release.createdBy,
    newTransform,
    snapshot: snapshot.name,
  });
  const digest = digestOf('interlock.release.v1', {
    spec: canonicalSpec(frozen),
    plan: plan.digest,
    oldGeneration: old,
    watermark: snapshot.watermark,
  });
  const candidate = await makeCandidate(
    tx,
    release,
    frozen,
    map,
    newTransform.digest,
    snapshot.watermark,
  );
  await freezePlan(tx, release.id, dataset, plan.partitions);
  await enqueueAdvance(tx, release);
  await moveState(tx, ctx, release, {
    to: 'SNAPSHOT_PINNED',
    verb: 'release.pin',
    set: [
      sql`spec = ${json(canonicalSpec(frozen))}`,
      sql`digest = ${digest}`,
      sql`plan_digest = ${plan.digest}`,
      sql`old_transform = ${oldTransform}`,
      sql`new_transform = ${newTransform.digest}`,
      sql`range_from = ${frozen.range.from}`,
      sql`range_to = ${frozen.range.to === 'open' ? null : frozen.range.to}`,
      sql`old_generation = ${old}`,
      sql`generation = ${candidate.generation}`,
      sql`segment = ${candidate.segment}`,
      sql`snapshot = ${snapshot.id}`,
      sql`watermark = ${array(snapshot.watermark, 'bigint')}`,
      sql`approvals_needed = ${frozen.approvals.cutover}`,
      sql`rollback_approvals_needed = ${frozen.approvals.rollback}`,
      sql`executor_may_approve = ${frozen.policy.executorMayApprove}`,
      sql`rollback_window_seconds = ${frozen.policy.rollbackWindowSeconds}`,
      sql`concurrency = ${frozen.budget.concurrency}`,
      sql`max_sealed_seconds = ${frozen.budget.maxSealedSeconds}`,
      sql`max_buffered_events = ${frozen.budget.maxBufferedEvents}`,
      sql`max_live_lag_seconds = ${frozen.budget.maxLiveLagSeconds}`,
      sql`max_failed_partitions = ${frozen.stopLoss.failedPartitions}`,
      sql`deadline = ${frozen.deadline ?? null}`,
    ],
    after: {
      digest,
      planDigest: plan.digest,
      partitions: plan.partitions.length,
      snapshot: snapshot.name,
    },
  });
});

/** What stands in the way of a pin beside the draft itself; also what a draft's page shows. */
export async function pinBlockers(
  tx: Tx,
  release: Release,
  spec: ReleaseSpec,
  dataset: DatasetShape,
): Promise<Blocker[]> {
  const taken = await maybeOne(
    tx,
    sql`select 1 from control.generation where dataset = ${dataset.name} and name = ${spec.targetGeneration}`,
  );
  return [
    ...(dataset.source.complete
      ? []
      : [
          toFix(
            'INCOMPLETE_SOURCE',
            `Source ${dataset.source.name} does not hold every fact, so a row's absence is no delete.`,
          ),
        ]),
    ...(taken
      ? [
          toFix(
            'TARGET_GENERATION_TAKEN',
            `A generation ${spec.targetGeneration} exists; name another.`,
            {
              pointer: '/targetGeneration',
            },
          ),
        ]
      : []),
    ...(await overlapBlockers(tx, dataset.name, spec.range, release.id)),
    ...(await sealedInRange(tx, dataset.name, spec)),
  ];
}

async function sealedInRange(tx: Tx, dataset: string, spec: ReleaseSpec): Promise<Blocker[]> {
  if (spec.sealedPartitions !== 'REFUSE') return [];
  const { from, to } = spec.range;
  return sealedBlockers(await sealedInWay(tx, dataset, from, to === 'open' ? null : to));
}

function changedPlan(
  shown: string | undefined,
  now: string,
  partitions: readonly Partition[],
): Blocker[] {
  if (shown === undefined || shown === now) return [];
  return [
    toFix(
      'CHANGED_SINCE_SEEN',
      `The plan is another one now: ${plural(partitions.length, 'partition')}, through ${partitions.at(-1)?.end}.`,
      {
        pointer: '/planDigest',
        expected: shown,
        current: now,
      },
    ),
  ];
}

async function columnsDigest(tx: Tx, dataset: string): Promise<string> {
  const { digest } = await one<{ digest: string }>(
    tx,
    sql`select columns_digest as digest from control.dataset where name = ${dataset}`,
  );
  return digest;
}

async function storeTransform(tx: Tx, person: string, spec: ReleaseSpec, dataset: DatasetShape) {
  const given = spec.transform.new;
  if (typeof given === 'string') {
    return {
      digest: given,
      commit: spec.transform.commit ?? null,
      lock: spec.transform.lock ?? null,
    };
  }
  const { digest } = await checkedTransform(given.sql, dataset, '/transform/new/sql');
  const commit = given.commit ?? spec.transform.commit ?? null;
  const lock = given.lock ?? spec.transform.lock ?? null;
  await tx.execute(sql`
    insert into control.transform (digest, sql, "commit", lock, created_by)
    values (${digest}, ${given.sql}, ${commit}, ${lock}, ${person}) on conflict do nothing`);
  return { digest, commit, lock };
}

/** The candidate: whole from the start, with no segment outside its range until the cutover. */
async function makeCandidate(
  tx: Tx,
  release: Release,
  frozen: FrozenSpec,
  oldMap: readonly MapRange[],
  transform: string,
  watermark: readonly string[],
) {
  const segment = await newSegment(tx, release.dataset, 'release');
  const { id } = await one<{ id: string }>(
    tx,
    sql`insert into control.generation (dataset, name, state, release, transform)
      values (${release.dataset}, ${frozen.targetGeneration}, 'candidate', ${release.id}, ${transform})
      returning id`,
  );
  await startProgress(tx, id, watermark);
  const span = {
    from: microsOf(frozen.range.from),
    to: frozen.range.to === 'open' ? null : microsOf(frozen.range.to),
  };
  const empty = oldMap.map((range) => ({ ...range, segment: null }));
  await saveMap(
    tx,
    id,
    [],
    overlay(empty, span, () => ({ segment, transform })),
  );
  return { generation: id, segment };
}

async function freezePlan(
  tx: Tx,
  release: string,
  dataset: DatasetShape,
  partitions: readonly Partition[],
): Promise<void> {
  await storeCalendar(
    tx,
    dataset.zone,
    dataset.unit,
    partitions.map((p) => ({ start: microsOf(p.start), end: microsOf(p.end) })),
  );
  const planned = await affected(
    tx,
    sql`insert into control.release_partition (release, start_at, end_at)
      select ${release}, p.start_at, p.end_at
      from unnest(${array(
        partitions.map((p) => p.start),
        'timestamptz',
      )},
        ${array(
          partitions.map((p) => p.end),
          'timestamptz',
        )}) as p (start_at, end_at)
      join control.calendar c on c.zone = ${dataset.zone} and c.unit = ${dataset.unit}
        and c.start_at = p.start_at and c.end_at = p.end_at`,
  );
  // live writing goes by the stored calendar: a plan of another zone database may not be built
  if (planned !== partitions.length) {
    throw new Error(`the plan is not what the stored calendar of ${dataset.zone} says`);
  }
}
