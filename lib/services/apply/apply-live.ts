import { sql } from 'drizzle-orm';
import type { Database, Tx } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { lockGeneration } from '@/lib/db/statements/generation-map';
import { lockProgress, logEnd, sameOffsets } from '@/lib/db/statements/progress';
import { lockRegistry, type Registry } from '@/lib/db/statements/registry';
import { reached } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { NotFound } from '@/lib/domain/refusal';
import { reopenExpired } from '@/lib/services/release/reopen-expired';
import { type Applied, applyBatch } from './apply-batch';
import { copyingAhead } from './copy-ahead';

export type LiveOutcome =
  /** Another process is applying. */
  | { kind: 'busy' }
  | { kind: 'sealed'; epoch: number }
  /** The epoch is not the one that the caller believed in: nothing was written. */
  | { kind: 'EPOCH_SEALED'; epoch: number }
  | { kind: 'reopened'; epoch: number }
  | { kind: 'applied'; epoch: number; applied: Applied; caughtUp: boolean };

export interface LiveOptions {
  /** Events per shard in one transaction. */
  size?: number;
  /** Wait for the dataset's lock instead of leaving it to whoever holds it. */
  wait?: boolean;
  /** Rows of a shared partition that may be copied under the dataset's lock. */
  mostCopied?: number;
  /** How far to go, read under the dataset's lock; the log's end unless given. */
  limit?: (tx: Tx) => Promise<readonly string[]>;
}

/**
 * Applies the next events of the log to a dataset's active generation, or to its first one while
 * that is loading. Under the registry's lock the epoch is compared with the one that the caller
 * believes in (null: whatever it is): a writer that lost to the seal leaves nothing behind.
 */
export async function applyLive(
  db: Database,
  name: string,
  believedEpoch: number | null,
  options: LiveOptions = {},
): Promise<LiveOutcome> {
  const dataset = await loadDataset(db, name);
  if (!dataset) throw new NotFound('dataset', name);
  // a rollback that replays beside live writing changes another generation's map
  const open = (registry: Registry, generation: string) =>
    registry.state === 'OPEN' && registry.active === generation;
  const outcome = await copyingAhead(db, dataset, open, () =>
    liveBatch(db, dataset, believedEpoch, options),
  );
  if (outcome.kind === 'applied') await reached('live.committed');
  return outcome;
}

function liveBatch(
  db: Database,
  dataset: DatasetShape,
  believedEpoch: number | null,
  options: LiveOptions,
): Promise<LiveOutcome> {
  const { name } = dataset;
  return transaction(db, async (tx): Promise<LiveOutcome> => {
    const registry = await lockRegistry(tx, name, options.wait ? 'wait' : 'skip');
    if (!registry) return { kind: 'busy' };
    if (registry.state === 'SEALED') {
      if (registry.expired) return { kind: 'reopened', epoch: await reopenExpired(tx, registry) };
      return believedEpoch === null || believedEpoch === registry.epoch
        ? { kind: 'sealed', epoch: registry.epoch }
        : { kind: 'EPOCH_SEALED', epoch: registry.epoch };
    }
    if (believedEpoch !== null && believedEpoch !== registry.epoch) {
      return { kind: 'EPOCH_SEALED', epoch: registry.epoch };
    }
    const generation = registry.active ?? registry.loading;
    if (generation === null)
      throw new Error(`dataset ${name} has neither an active nor a first generation`);
    await lockGeneration(tx, generation);
    const progress = await lockProgress(tx, generation);
    if (!progress) return { kind: 'busy' };
    const limit = await (options.limit?.(tx) ?? logEnd(tx, dataset.source.name));
    const applied = await applyBatch(tx, {
      dataset,
      generation,
      progress,
      limit,
      writeSegment: registry.writeSegment,
      size: options.size ?? 1000,
      fromNothing: registry.active === null,
      mostCopied: options.mostCopied,
    });
    if (registry.active === null) await finishLoad(tx, registry, applied.progress);
    await reached('live.before-commit');
    return {
      kind: 'applied',
      epoch: registry.epoch,
      applied,
      caughtUp: sameOffsets(applied.progress, limit),
    };
  });
}

/** The first generation serves once it holds what the log held when the dataset was made. */
async function finishLoad(tx: Tx, registry: Registry, progress: readonly string[]): Promise<void> {
  const target = registry.loadTarget ?? [];
  if (target.some((offset, shard) => BigInt(progress[shard] ?? '0') < BigInt(offset))) return;
  await tx.execute(sql`
    update control.generation set state = 'serving', served_from = clock_timestamp()
    where id = ${registry.loading}`);
  await tx.execute(sql`
    update control.registry set active_generation = loading_generation, loading_generation = null,
      load_target = null
    where dataset = ${registry.dataset} and active_generation is null`);
}

/**
 * Applies logged events to a candidate, up to the active generation's progress or, once its release
 * has sealed ingress, up to the barrier: never beyond either. Nothing of a candidate is shared, so
 * the dataset's lock is not needed.
 *
 * @returns null where another process is at it, or the generation is no candidate any more
 */
export async function catchUp(
  db: Database,
  name: string,
  generation: string,
  limitOf: (tx: Tx) => Promise<readonly string[] | null>,
  size = 1000,
): Promise<{ applied: Applied; caughtUp: boolean } | null> {
  const dataset = await loadDataset(db, name);
  if (!dataset) throw new NotFound('dataset', name);
  return transaction(db, async (tx) => {
    await lockGeneration(tx, generation);
    const progress = await lockProgress(tx, generation);
    if (!progress) return null;
    const limit = await limitOf(tx);
    if (!limit) return null;
    const applied = await applyBatch(tx, {
      dataset,
      generation,
      progress,
      limit,
      writeSegment: null,
      size,
    });
    if (applied.scanned > 0) {
      await tx.execute(sql`
        update control.generation set manifest_root = null, catch_up_root = null where id = ${generation}`);
    }
    await reached('catch-up.before-commit');
    return { applied, caughtUp: sameOffsets(applied.progress, limit) };
  });
}

/**
 * Replays onto a kept generation what was written since it was left, up to the progress of the one
 * in use or, once sealed, the second barrier. Kept generations share partitions, so this holds the
 * dataset's lock like every other writer of them.
 *
 * @returns null where somebody else holds the dataset, or `limitOf` says that there is nothing to do
 */
export async function replay(
  db: Database,
  name: string,
  generation: string,
  writeSegment: string,
  limitOf: (tx: Tx, registry: Registry) => Promise<readonly string[] | null>,
  size = 1000,
): Promise<{ applied: Applied; caughtUp: boolean } | null> {
  const dataset = await loadDataset(db, name);
  if (!dataset) throw new NotFound('dataset', name);
  const open = (registry: Registry) => registry.rollback !== null && registry.active !== generation;
  const batch = () =>
    transaction(db, async (tx) => {
      const registry = await lockRegistry(tx, name);
      if (!registry) return null;
      const limit = await limitOf(tx, registry);
      if (!limit) return null;
      await lockGeneration(tx, generation);
      const progress = await lockProgress(tx, generation, 'wait');
      if (!progress) return null;
      const applied = await applyBatch(tx, {
        dataset,
        generation,
        progress,
        limit,
        writeSegment,
        size,
      });
      await reached('rollback.batch-before-commit');
      return { applied, caughtUp: sameOffsets(applied.progress, limit) };
    });
  return copyingAhead(db, dataset, open, batch);
}
