import type { Database, Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { loadMap, lockGeneration, saveMap } from '@/lib/db/statements/generation-map';
import {
  deleteUnmapped,
  holdCopies,
  type MappedPartition,
  mappedPartitions,
} from '@/lib/db/statements/mapped-partitions';
import { lockRegistry, type Registry } from '@/lib/db/statements/registry';
import { copyPartitions } from '@/lib/db/statements/rows';
import { reached } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { type Span, turnTo } from '@/lib/domain/range-map';

export interface Move {
  dataset: DatasetShape;
  generation: string;
  /** Its edges are edges of partitions. */
  span: Span;
  /** Of kind `copy`; nothing of the span was ever written to it. */
  segment: string;
  /** Under the dataset's lock: whether the map may be changed now. */
  open: (registry: Registry) => boolean;
}

/**
 * Moves the partitions that a generation has within a span to another segment: copied in a
 * transaction of its own, without any lock; then, under the dataset's lock and only if nothing of it
 * changed meanwhile, the map is turned over to the copies. Readers and live writing never wait for
 * the copying. What a dead process left copied is mapped by nobody, and is cleared away as such.
 *
 * @returns how many partitions were moved; null where something changed meanwhile, and everything is as it was
 */
export async function movePartitions(db: Database, move: Move): Promise<number | null> {
  const { dataset, segment, open } = move;
  // before the copy: whoever writes from here on is noticed
  const parts = await unmoved(db, move);
  await transaction(db, (tx) => copyPartitions(tx, dataset, segment, parts), {
    statementTimeoutMs: 600_000,
  });
  await reached('move-partitions.copied');
  const moved = await transaction(
    db,
    async (tx) => {
      const registry = await lockRegistry(tx, dataset.name);
      if (!registry || !open(registry)) return false;
      await lockGeneration(tx, move.generation);
      if (!same(parts, await unmoved(tx, move))) return false;
      if (!(await holdCopies(tx, segment, parts))) return false;
      const map = await loadMap(tx, move.generation);
      await saveMap(tx, move.generation, map, turnTo(map, [move.span], segment));
      await reached('move-partitions.before-commit');
      return true;
    },
    { lockTimeoutMs: 300, retries: 20 },
  );
  if (moved) return parts.length;
  await transaction(db, (tx) =>
    deleteUnmapped(
      tx,
      dataset.name,
      parts.map(({ start }) => ({ segment, start })),
    ),
  );
  return null;
}

const unmoved = (db: Database | Tx, { generation, span, segment }: Move) =>
  mappedPartitions(db, generation, span, segment);

/** A partition's version counts every change of it. */
const same = (a: readonly MappedPartition[], b: readonly MappedPartition[]) =>
  a.length === b.length &&
  a.every((part, i) => {
    const other = b[i] as MappedPartition;
    return (
      part.segment === other.segment && part.start === other.start && part.version === other.version
    );
  });
