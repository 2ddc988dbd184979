import { sql } from 'drizzle-orm';
import { array, type Database, json, one, rows, type Tx } from '@/lib/db/client';
import { isDataError, pgError } from '@/lib/db/pg-error';
import {
  type ChunkFigures,
  type CompareAggregates,
  compareChunk,
} from '@/lib/db/statements/compare';
import type { Chunk, FactsSide } from '@/lib/db/statements/compare-sides';
import { chunkKeys } from '@/lib/db/statements/diff-rows';
import { erringPartitions } from '@/lib/db/statements/erring-partitions';
import { asCompare, evaluate } from '@/lib/db/statements/evaluate';
import { factsOfKeys } from '@/lib/db/statements/facts';
import { loadMap } from '@/lib/db/statements/generation-map';
import { reached } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { settle } from '@/lib/domain/settle';
import { evaluateKeys } from '@/lib/services/apply/evaluate-keys';
import { checkAll } from './checks';
import { type ComparedPartition, comparedPartitions, cutChunks, readChunk } from './chunks';
import { type CompiledSpec, compileSpec } from './compiled-spec';
import { loadReleaseShape, type ReleaseShape } from './release-shape';

export interface Reconciled {
  id: string;
  verdict: 'passed' | 'failed' | 'incomplete';
  /** Why it is incomplete; null where another process took the step over and goes on. */
  why: string | null;
}

/**
 * Reconciles a release: old, control and new side by side, a chunk of partitions at a time, each in
 * one repeatable-read snapshot, so that a rehearsal beside live writing is as strict as the final
 * run at the barrier. Partitions that neither side touched since an earlier run are carried over.
 *
 * @param stillMine asked between chunks; false ends it as incomplete, which is not 0
 */
export async function reconcile(
  db: Database,
  releaseId: string,
  kind: 'rehearsal' | 'final',
  by: string,
  stillMine: () => boolean = () => true,
): Promise<Reconciled> {
  const shape = await loadReleaseShape(db, releaseId);
  const spec = await compileSpec(shape);
  // one worker at a time holds the step: what still seems to run lost its process
  await db.execute(sql`
    update control.reconciliation set verdict = 'incomplete', ended_at = clock_timestamp(),
      why = 'its process ended before it did'
    where release = ${releaseId} and verdict = 'running'`);
  const { id } = await one<{ id: string }>(
    db,
    sql`insert into control.reconciliation (release, kind, epoch, by, old_progress, new_progress)
      select ${releaseId}, ${kind}, r.epoch, ${by},
        (select offsets from control.generation_progress where generation = ${shape.release.oldGeneration}),
        (select offsets from control.generation_progress where generation = ${shape.release.generation})
      from control.registry r where r.dataset = ${shape.dataset.name}
      returning id`,
  );
  try {
    const plan = await transaction(db, (tx) => comparedPartitions(tx, shape));
    const oldMap = await loadMap(db, shape.release.oldGeneration);
    const open = await carryOver(db, shape, id, plan);
    for (const chunk of cutChunks(open, oldMap)) {
      if (!stillMine()) {
        await finish(db, id, 'incomplete', 'the step was taken over or stopped');
        return { id, verdict: 'incomplete', why: null };
      }
      await reconcileChunk(db, shape, spec, id, chunk);
      await reached('reconcile.chunk-stored');
    }
    await reached('reconcile.before-verdict');
    const verdict = await transaction(db, (tx) => checkAll(tx, shape, spec, id, kind), {
      statementTimeoutMs: 300_000,
    });
    return await finish(db, id, verdict, null);
  } catch (error) {
    const why = pgError(error)?.message ?? (error instanceof Error ? error.message : 'failed');
    const incomplete = await finish(db, id, 'incomplete', why.slice(0, 500));
    // a predicate or a sum of the spec errs: it would err again, and people have to read why
    if (isDataError(error)) return incomplete;
    throw error;
  }
}

async function finish(
  db: Database,
  id: string,
  verdict: Reconciled['verdict'],
  why: string | null,
): Promise<Reconciled> {
  await db.execute(sql`
    update control.reconciliation r set verdict = ${verdict}, why = ${why}, ended_at = clock_timestamp(),
      unexplained = t.unexplained, drift = t.drift, changed = t.changed, compared = t.compared
    from (select coalesce(sum(unexplained), 0) as unexplained, coalesce(sum(drift), 0) as drift,
        coalesce(sum(changed), 0) as changed, coalesce(sum(greatest(control_rows, new_rows)), 0) as compared
      from control.reconciliation_partition where reconciliation = ${id}) t
    where r.id = ${id}`);
  return { id, verdict, why };
}

/**
 * Copies the findings for partitions whose both sides are still of the versions that the newest run
 * to come to them compared; answers the others. So sealed time does not grow with the dataset, and a
 * run that was cut short is gone on with. A partition that was only moved to another segment keeps
 * its version, and its findings.
 */
async function carryOver(
  db: Database,
  shape: ReleaseShape,
  id: string,
  plan: readonly ComparedPartition[],
): Promise<ComparedPartition[]> {
  const carried = await rows<{ start: string }>(
    db,
    sql`insert into control.reconciliation_partition (reconciliation, start_at, end_at, old_segment, old_version,
        new_segment, new_version, carried_from, old_rows, control_rows, new_rows, unexplained, drift,
        drift_digest, changed, classes, columns, conserved, bucket_changed, bucket_unexplained, contract, samples)
      select ${id}, e.start_at, e.end_at, e.old_segment, e.old_version, e.new_segment, e.new_version,
        coalesce(e.carried_from, e.reconciliation), e.old_rows, e.control_rows, e.new_rows, e.unexplained,
        e.drift, e.drift_digest, e.changed, e.classes, e.columns, e.conserved, e.bucket_changed,
        e.bucket_unexplained, e.contract, e.samples
      from (
        select distinct on (f.start_at) f.* from control.reconciliation_partition f
        join control.reconciliation r on r.id = f.reconciliation
        where r.release = ${shape.release.id} and r.id < ${id}
        order by f.start_at, r.id desc
      ) e
      join unnest(${array(
        plan.map((p) => p.start),
        'timestamptz',
      )},
        ${array(
          plan.map((p) => p.oldVersion),
          'bigint',
        )},
        ${array(
          plan.map((p) => p.newVersion),
          'bigint',
        )}) as p (start, old_version, new_version)
        on p.start = e.start_at
      where e.old_version is not distinct from p.old_version
        and e.new_version is not distinct from p.new_version
      returning start_at as start`,
  );
  const done = new Set(carried.map((c) => c.start));
  return plan.filter((p) => !done.has(p.start));
}

async function reconcileChunk(
  db: Database,
  shape: ReleaseShape,
  spec: CompiledSpec,
  id: string,
  partitions: readonly ComparedPartition[],
): Promise<void> {
  await transaction(
    db,
    async (tx) => {
      // versions, progress, facts and rows: all of one snapshot
      const now = new Map((await comparedPartitions(tx, shape)).map((p) => [p.start, p]));
      const chunk = await readChunk(tx, shape, partitions, spec.rules);
      const figures = await compareTolerantly(tx, shape, chunk, spec.aggregates);
      await storeChunk(
        tx,
        shape,
        id,
        chunk,
        partitions.map((p) => now.get(p.start) ?? p),
        figures,
      );
    },
    { isolation: 'repeatable read', statementTimeoutMs: 300_000 },
  );
}

/** Where the control errs for a key, that key is a row of its own class, not a lost chunk. */
async function compareTolerantly(
  tx: Tx,
  shape: ReleaseShape,
  chunk: Chunk & { oldProgress: string[]; newProgress: string[] },
  aggregates: CompareAggregates,
): Promise<ChunkFigures[]> {
  try {
    return await asCompare(tx, (inner) => compareChunk(inner, shape.dataset, chunk, aggregates));
  } catch (error) {
    if (!isDataError(error)) throw error;
    const tolerant = await withoutErrors(tx, shape, chunk);
    // no key is to blame: it is a predicate or a sum of the spec, and the run says so
    if (!tolerant) throw error;
    return asCompare(tx, (inner) => compareChunk(inner, shape.dataset, tolerant, aggregates));
  }
}

/**
 * The chunk again, without the keys that a transform errs for; null where none does. Where the new
 * one errs for a key that is not in quarantine, that key is the old generation's, outside the range.
 */
export async function withoutErrors(
  tx: Tx,
  shape: ReleaseShape,
  chunk: Chunk & { oldProgress: string[]; newProgress: string[] },
): Promise<Chunk | null> {
  if (shape.dataset.grain === 'partition') return withoutErringPartitions(tx, shape, chunk);
  const { oldProgress, newProgress, oldLateral, newLateral } = chunk;
  const keys = await asCompare(tx, (inner) => chunkKeys(inner, shape.dataset, chunk));
  const controlErrors = await erring(tx, shape, keys, oldLateral, [oldProgress, newProgress]);
  const quarantined = new Set(chunk.newQuarantine);
  const failing = (await erring(tx, shape, keys, newLateral, [newProgress])).filter(
    (key) => !quarantined.has(key),
  );
  if (controlErrors.length === 0 && failing.length === 0) return null;
  const map = await loadMap(tx, shape.release.generation);
  const { gone } = settle(map, await evaluateKeys(tx, shape.dataset, map, failing, newProgress));
  return { ...chunk, controlErrors, newQuarantine: [...chunk.newQuarantine, ...gone] };
}

/**
 * The same for a dataset of grain `partition`: a partition whose control errs has none. One that the
 * new transform errs for is in quarantine, or something else is to blame.
 */
async function withoutErringPartitions(
  tx: Tx,
  { dataset }: ReleaseShape,
  chunk: Chunk,
): Promise<Chunk | null> {
  const { oldFacts, newFacts, oldLateral, oldQuarantine, newQuarantine } = chunk;
  const erring = (facts: FactsSide, quarantine: readonly string[]) =>
    erringPartitions(tx, dataset, chunk, facts, oldLateral, quarantine);
  const oldControlErrors = await erring(oldFacts, oldQuarantine);
  const controlErrors = await erring(newFacts, newQuarantine);
  if (oldControlErrors.length === 0 && controlErrors.length === 0) return null;
  return { ...chunk, controlErrors, oldControlErrors };
}

/** Source keys for which a transform errs on the facts at one of the progresses, by halving. */
async function erring(
  tx: Tx,
  shape: ReleaseShape,
  keys: readonly string[],
  lateral: string,
  progresses: readonly string[][],
): Promise<string[]> {
  const errors = new Set<string>();
  for (const progress of progresses) {
    for (let i = 0; i < keys.length; i += 1000) {
      const facts = await factsOfKeys(tx, shape.dataset.source, keys.slice(i, i + 1000), progress);
      const living = facts.filter((f) => f.payload !== null);
      const outcomes = await evaluate(tx, shape.dataset, lateral, living);
      for (const [key, outcome] of outcomes) if (outcome.kind === 'error') errors.add(key);
    }
  }
  return [...errors];
}

async function storeChunk(
  tx: Tx,
  shape: ReleaseShape,
  id: string,
  chunk: Chunk & { oldProgress: string[]; newProgress: string[] },
  partitions: readonly ComparedPartition[],
  figures: readonly ChunkFigures[],
): Promise<void> {
  const byStart = new Map(figures.map((f) => [f.start, f]));
  for (const partition of partitions) {
    const found = byStart.get(partition.start);
    if (!found) throw new Error(`partition ${partition.start} is missing from its comparison`);
    const counts = (pick: (b: ChunkFigures['buckets'][number]) => number) => {
      const list = Array<number>(64).fill(0);
      for (const b of found.buckets) list[b.bucket] = pick(b);
      return array(list, 'integer');
    };
    await tx.execute(sql`
      insert into control.reconciliation_partition (reconciliation, start_at, end_at, old_segment, old_version,
        new_segment, new_version, old_rows, control_rows, new_rows, unexplained, drift, drift_digest, changed,
        classes, columns, conserved, bucket_changed, bucket_unexplained, contract, samples)
      values (${id}, ${partition.start}, ${partition.end}, ${partition.oldSegment}, ${partition.oldVersion},
        ${shape.release.segment}, ${partition.newVersion}, ${found.oldRows}, ${found.controlRows}, ${found.newRows},
        ${found.unexplained}, ${found.drift}, ${found.driftDigest}, ${found.changed}, ${json(found.classes)},
        ${json(found.columns)}, ${json(found.conserved)}, ${counts((b) => b.changed)},
        ${counts((b) => b.unexplained)}, ${json(found.contract)}, ${json(found.samples)})`);
  }
  await tx.execute(sql`
    update control.reconciliation set old_progress = ${array(chunk.oldProgress, 'bigint')},
      new_progress = ${array(chunk.newProgress, 'bigint')} where id = ${id}`);
}
