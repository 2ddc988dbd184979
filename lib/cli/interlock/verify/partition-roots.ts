import { PartitionRootBuilder } from '@/lib/digest/partition-root';
import { compareInstants, type Instant, parseInstant } from '@/lib/domain/instant';
import { type ApiClient, CliError } from '../api-client';
import { rowPages } from '../row-pages';
import type { DatasetShape, PartitionShape } from './api-shapes';
import { type ApiRow, keyText, valueTexts } from './row-text';

/** What the rows of one partition come to, computed from the rows themselves. */
export interface Recomputed {
  readonly rows: number;
  readonly root: string;
}

/**
 * Reads the rows of a generation within `[from, to)` and computes each partition's root, in one
 * pass: rows come in order of their partitions.
 *
 * @throws CliError where a row lies in none of the partitions, or out of their order
 */
export async function recompute(
  api: ApiClient,
  name: string,
  dataset: DatasetShape,
  generation: string,
  partitions: readonly PartitionShape[],
  onRows: (rows: number) => void = () => {},
): Promise<Map<string, Recomputed>> {
  const found = new Map<string, Recomputed>();
  const first = partitions[0];
  const last = partitions.at(-1);
  if (!first || !last) return found;
  let at = 0;
  let builder = new PartitionRootBuilder(dataset.columns);
  const close = () => {
    const { rows, root } = builder.finish();
    found.set((partitions[at] as PartitionShape).start, { rows, root });
    builder = new PartitionRootBuilder(dataset.columns);
    at += 1;
  };
  const add = (row: ApiRow) => {
    const time = parseInstant(row[dataset.businessTime]);
    while (at < partitions.length && !isBefore(time, partitions[at])) close();
    const partition = partitions[at];
    if (!partition || compareInstants(time, partition.start as Instant) < 0) {
      throw new CliError(`a row at ${time} lies in no partition of ${generation}, or out of order`);
    }
    builder.add(keyText(dataset.columns, dataset.key, row), valueTexts(dataset.columns, row));
  };
  const query = { generation, from: first.start, to: last.end };
  for await (const { rows } of rowPages(api, name, query)) {
    rows.forEach(add);
    onRows(rows.length);
  }
  while (at < partitions.length) close();
  return found;
}

function isBefore(time: Instant, partition: PartitionShape | undefined): boolean {
  return partition !== undefined && compareInstants(time, partition.end as Instant) < 0;
}
