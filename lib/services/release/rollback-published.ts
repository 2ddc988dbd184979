import type { Database, Tx } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { type Corrected, correctByRollback, type WouldBe } from '@/lib/db/statements/correction';
import { loadMap, saveMap } from '@/lib/db/statements/generation-map';
import { type SealedPartition, sealedWithin } from '@/lib/db/statements/sealed';
import { transaction } from '@/lib/db/transaction';
import { instantOf } from '@/lib/domain/instant';
import { isFork } from '@/lib/domain/names';
import { locate } from '@/lib/domain/range-map';
import { keepSealed } from '@/lib/domain/sealed';
import { wouldBeOf } from '@/lib/services/publication/would-be';
import { type Release, referenceOf } from './load';
import type { RollbackRow } from './rollback-row';

/**
 * What the sealed partitions come to under the transform that is gone back to, where that is another
 * one. From the facts at the barrier, which nothing changes any more: so it is computed before the
 * dataset is locked for the switch. It does not only reverse what the cutover wrote: what was
 * published since needs a correction in the other direction.
 */
export async function rollbackCorrections(db: Database, row: RollbackRow): Promise<WouldBe[]> {
  const due = await turning(db, row);
  if (due.length === 0) return [];
  const dataset = await loadDataset(db, row.dataset);
  if (!dataset) throw new Error(`there is no dataset ${row.dataset}`);
  const found: WouldBe[] = [];
  for (const { start, end } of due) {
    const at = { start: instantOf(start), end: instantOf(end) };
    const { wouldBe } = await transaction(db, (tx) => wouldBeOf(tx, dataset, row.to, at), {
      isolation: 'repeatable read',
      statementTimeoutMs: 300_000,
    });
    found.push(wouldBe);
  }
  return found;
}

/** Sealed partitions that the two generations have different transforms for. */
async function turning(tx: Database | Tx, row: RollbackRow): Promise<SealedPartition[]> {
  if (isFork(row.dataset)) return [];
  const sealed = await sealedWithin(tx, row.dataset);
  if (sealed.length === 0) return [];
  const from = await loadMap(tx, row.from);
  const to = await loadMap(tx, row.to);
  return sealed.filter(
    ({ start }) => locate(from, start).transform !== locate(to, start).transform,
  );
}

/** Whether nothing was published after the corrections were computed. The caller holds the dataset. */
export async function isComplete(
  tx: Tx,
  row: RollbackRow,
  found: readonly WouldBe[],
): Promise<boolean> {
  const known = new Set(found.map((each) => each.start));
  return (await turning(tx, row)).every(({ start }) => known.has(instantOf(start)));
}

/**
 * At the switch back: the old generation takes every sealed partition from where the one in use has
 * it, and what it would have instead is written down.
 */
export async function keepPublished(
  tx: Tx,
  row: RollbackRow,
  release: Release,
  found: readonly WouldBe[],
): Promise<Corrected | null> {
  const sealed = await sealedWithin(tx, row.dataset);
  if (sealed.length === 0) return null;
  const to = await loadMap(tx, row.to);
  await saveMap(tx, row.to, to, keepSealed(to, await loadMap(tx, row.from), sealed));
  if (found.length === 0) return null;
  const at = {
    dataset: row.dataset,
    release: row.release,
    generation: row.to,
    barrier: row.barrier ?? [],
    reason: `Rollback of ${referenceOf(release)}`,
    by: row.by,
  };
  return correctByRollback(tx, at, found);
}
