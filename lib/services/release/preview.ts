import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, rowsTable } from '@/lib/db/dataset-shape';
import { claimsBetween } from '@/lib/db/statements/claim';
import { evaluate } from '@/lib/db/statements/evaluate';
import { evaluatePartitions } from '@/lib/db/statements/evaluate-partitions';
import { factsOfKeys } from '@/lib/db/statements/facts';
import { loadMap } from '@/lib/db/statements/generation-map';
import { readProgress } from '@/lib/db/statements/progress';
import { sealedInWay } from '@/lib/db/statements/sealed';
import { transaction } from '@/lib/db/transaction';
import { type ClaimRange, claimRanges } from '@/lib/domain/claims';
import { type Instant, microsOf, parseInstant } from '@/lib/domain/instant';
import { lengthInHours, lengthNote } from '@/lib/domain/partition-label';
import { partitionAt } from '@/lib/domain/partition-plan';
import { Refused, toWait } from '@/lib/domain/refusal';
import { parseRelease, type ReleaseSpec } from '@/lib/domain/release';
import type { SealedInWay } from '@/lib/domain/sealed';
import { partitionKey } from '@/lib/domain/settle-partition';
import { checkedTransform, compiled, compileTransform } from '@/lib/services/apply/compiled';
import { factsOfPartitions } from '@/lib/services/apply/decide-partitions';
import { rowJson } from '@/lib/services/dataset/read-rows';
import { findRelease, referenceOf } from './load';
import { activeOf, checkSpec, estimate, oldTransformOf, planOf } from './prepare';

export interface PlanView {
  planDigest: string;
  range: ReleaseSpec['range'];
  timezone: string;
  unit: string;
  partitions: { start: string; end: string; hours: number; note: string | null }[];
  /** Others' claims in the way: the build does not start before they are let go. */
  claims: ClaimRange[];
  /**
   * Partitions of the range that were published. `CORRECT`: they stay as they are, and the cutover
   * writes corrections of them; `REFUSE`: the release cannot be pinned over them.
   */
  sealed: SealedInWay & { policy: ReleaseSpec['sealedPartitions'] };
  estimate: { rows: string; partitionsWithRows: number };
}

/** The exact partitions that a pin would freeze now; of a pinned release, those that it froze. */
export async function previewPlan(db: Database, reference: string): Promise<PlanView> {
  const release = await findRelease(db, reference);
  const spec = parseSpec(release.spec);
  return transaction(db, async (tx) => {
    const dataset = await checkSpec(tx, spec);
    return viewOf(
      tx,
      dataset,
      spec,
      release.planDigest === null ? null : release.id,
      release.planDigest,
      referenceOf(release),
    );
  });
}

/** The plan of a spec that is still being written, before it is a draft. */
export async function previewSpec(db: Database, input: unknown): Promise<PlanView> {
  const spec = parseRelease(input);
  return transaction(db, async (tx) =>
    viewOf(tx, await checkSpec(tx, spec), spec, null, null, null),
  );
}

/** A pinned spec carries what pinning froze besides; as a draft's it is read without that. */
function parseSpec(stored: unknown): ReleaseSpec {
  const { policy: _, ...spec } = stored as Record<string, unknown>;
  return parseRelease(spec);
}

async function viewOf(
  tx: Tx,
  dataset: DatasetShape,
  spec: ReleaseSpec,
  frozen: string | null,
  digest: string | null,
  self: string | null,
): Promise<PlanView> {
  const active = await activeOf(tx, dataset.name);
  const plan =
    frozen === null
      ? await planOf(tx, dataset, spec.range, active)
      : {
          digest: digest ?? '',
          partitions: await rows<{ start: Instant; end: Instant }>(
            tx,
            sql`select start_at as start, end_at as "end" from control.release_partition
              where release = ${frozen} order by start_at`,
          ),
        };
  return {
    planDigest: plan.digest,
    range: spec.range,
    timezone: dataset.zone,
    unit: dataset.unit,
    partitions: plan.partitions.map((p) => ({
      ...p,
      hours: lengthInHours(p),
      note: lengthNote(dataset.zone, dataset.unit, p),
    })),
    claims: await claimsInTheWay(tx, dataset.name, plan.partitions, self),
    sealed: {
      ...(await sealedInWay(
        tx,
        dataset.name,
        spec.range.from,
        spec.range.to === 'open' ? null : spec.range.to,
      )),
      policy: spec.sealedPartitions,
    },
    estimate: await estimate(tx, active, plan.partitions),
  };
}

async function claimsInTheWay(
  tx: Tx,
  dataset: string,
  plan: readonly { start: string; end: string }[],
  self: string | null,
): Promise<ClaimRange[]> {
  const first = plan[0];
  const last = plan.at(-1);
  if (!first || !last) return [];
  const found = await claimsBetween(tx, dataset, first.start, last.end);
  return claimRanges(found.filter(({ owner }) => owner !== self));
}

export interface Sample {
  partition: { start: string; end: string };
  old: Record<string, unknown>[];
  new: Record<string, unknown>[];
  errors: { sourceKey: string; error: string }[];
}

const mostRows = 200;

/** Old and new rows of one partition of a draft, from the newest facts: a look before anything runs. */
export async function samplePartition(
  db: Database,
  reference: string,
  at: string,
): Promise<Sample> {
  const release = await findRelease(db, reference);
  const spec = parseSpec(release.spec);
  return transaction(db, async (tx) => {
    const dataset = await checkSpec(tx, spec);
    const partition = partitionAt(dataset.zone, dataset.unit, parseInstant(at, '/partition'));
    const active = await activeOf(tx, dataset.name);
    if (active === null || partition === null) throw new Refused(toWait('DATASET_NOT_READY'));
    const map = await loadMap(tx, active);
    const old = await compiled(tx, dataset, oldTransformOf(map, [partition]));
    const given = spec.transform.new;
    const now =
      typeof given === 'string'
        ? await compiled(tx, dataset, given)
        : compileTransform(
            await checkedTransform(given.sql, dataset, '/transform/new/sql'),
            dataset,
          );
    if (dataset.grain === 'partition') {
      return sampleWhole(tx, dataset, { active, partition, old: old.lateral, new: now.lateral });
    }
    const keys = await rows<{ key: string }>(
      tx,
      sql`select x._source_key as key from control.generation_range r
        join ${sql.raw(rowsTable(dataset.name))} x on x._segment = r.segment
        where r.generation = ${active} and r.span @> ${partition.start}::timestamptz
          and x._partition = ${partition.start}::timestamptz
        order by x._key limit ${mostRows}`,
    );
    const facts = (
      await factsOfKeys(
        tx,
        dataset.source,
        keys.map((k) => k.key),
        await readProgress(tx, active),
      )
    ).filter((f) => f.payload !== null);
    const errors: Sample['errors'] = [];
    const yielded = async (lateral: string) => {
      const found = await evaluate(tx, dataset, lateral, facts);
      const list: Record<string, unknown>[] = [];
      for (const [sourceKey, outcome] of found) {
        if (outcome.kind === 'row') list.push(rowJson(dataset, outcome.values));
        if (outcome.kind === 'error') errors.push({ sourceKey, error: outcome.error });
      }
      return list;
    };
    return { partition, old: await yielded(old.lateral), new: await yielded(now.lateral), errors };
  });
}

/** The same of a dataset of grain `partition`: what all facts of the partition come to. */
async function sampleWhole(
  tx: Tx,
  dataset: DatasetShape,
  of: { active: string; partition: { start: Instant; end: Instant }; old: string; new: string },
): Promise<Sample> {
  const { partition } = of;
  const span = { start: microsOf(partition.start), end: microsOf(partition.end) };
  const progress = await readProgress(tx, of.active);
  const facts = await factsOfPartitions(tx, dataset, [span], progress);
  const errors: Sample['errors'] = [];
  const yielded = async (lateral: string) => {
    const outcome = (await evaluatePartitions(tx, dataset, lateral, facts)).get(span.start);
    if (outcome?.kind === 'error') {
      errors.push({ sourceKey: partitionKey(span.start), error: outcome.error });
      return [];
    }
    const found = [...(outcome?.rows ?? [])].sort((a, b) =>
      (a.key ?? '') < (b.key ?? '') ? -1 : 1,
    );
    return found.slice(0, mostRows).map((row) => rowJson(dataset, row.values));
  };
  return { partition, old: await yielded(of.old), new: await yielded(of.new), errors };
}
