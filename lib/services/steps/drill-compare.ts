import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { partitionRows } from '@/lib/db/statements/figures';
import { readProgress, sameOffsets } from '@/lib/db/statements/progress';
import { standingRows } from '@/lib/db/statements/rows';
import { transaction } from '@/lib/db/transaction';
import { EMPTY_BUCKET_HASH, partitionRoot } from '@/lib/digest/partition-root';
import { bucketFiguresSql } from '@/lib/digest/row-encoding-sql';
import { plural } from '@/lib/domain/figures';
import { applyLive } from '@/lib/services/apply/apply-live';
import type { DrillRow } from './drill-row';

/** What a generation holds at a progress: a root for each partition with rows. */
interface Holding {
  progress: string[];
  roots: Map<string, string>;
  /** `<source key> <code>`. */
  quarantine: string[];
}

/**
 * Compares what the fork went back to with the generation in use, both at the same progress.
 * Production does not stand still for it: its side is of one snapshot, then the fork is brought to
 * exactly that snapshot's progress, which it can be, since it never goes further than production.
 *
 * @returns null where they are equal, else what is not
 */
export async function differsFromOrigin(
  db: Database,
  drill: DrillRow,
  back: string,
): Promise<string | null> {
  const dataset = await loadDataset(db, drill.fork);
  if (!dataset) return 'the fork is gone';
  const origin = await holding(db, dataset, drill.generation);
  await applyFork(db, drill, async () => origin.progress);
  const fork = await holding(db, dataset, back);
  if (!sameOffsets(origin.progress, fork.progress)) {
    return 'the fork did not reach the progress of the generation in use';
  }
  const starts = new Set([...origin.roots.keys(), ...fork.roots.keys()]);
  const differing = [...starts].filter(
    (start) => origin.roots.get(start) !== fork.roots.get(start),
  );
  if (differing.length > 0) {
    const named = differing.sort().slice(0, 3).join(', ');
    return `${plural(differing.length, 'partition')} of ${starts.size} came back with another root than in the generation in use: ${named}`;
  }
  return origin.quarantine.join('\n') === fork.quarantine.join('\n')
    ? null
    : 'other events are in quarantine than in the generation in use';
}

/**
 * Live writing on the fork, up to a limit that production's generation has reached. Nobody else
 * applies to it, so at no time does it know more.
 */
export async function applyFork(
  db: Database,
  drill: DrillRow,
  limit: (tx: Tx) => Promise<readonly string[]> = (tx) => readProgress(tx, drill.generation),
): Promise<void> {
  for (;;) {
    const outcome = await applyLive(db, drill.fork, null, { wait: true, limit });
    if (outcome.kind !== 'applied' || outcome.caughtUp) return;
  }
}

function holding(db: Database, dataset: DatasetShape, generation: string): Promise<Holding> {
  return transaction(
    db,
    async (tx) => {
      const progress = await readProgress(tx, generation);
      const quarantined = await rows<{ key: string; code: string }>(
        tx,
        sql`select source_key as key, code from control.quarantine where generation = ${generation}
          order by source_key collate "C"`,
      );
      const keys = quarantined.map(({ key }) => key);
      return {
        progress,
        roots: await rootsOf(tx, dataset, generation, keys),
        quarantine: quarantined.map(({ key, code }) => `${key} ${code}`),
      };
    },
    { isolation: 'repeatable read', readOnly: true, statementTimeoutMs: 300_000 },
  );
}

/**
 * Roots of the partitions, taken from their figures where those are fresh. Rows of quarantined keys
 * are left out: which of its good rows such a key kept depends on how its events fell into batches.
 */
async function rootsOf(
  tx: Tx,
  dataset: DatasetShape,
  generation: string,
  quarantined: readonly string[],
): Promise<Map<string, string>> {
  const standing = await standingRows(tx, dataset, generation, '_source_key', quarantined);
  const kept = new Set(standing.map(({ start }) => String(start)));
  const parts = await rows<{
    segment: string;
    start: string;
    micros: string;
    rows: string;
    root: Buffer | null;
    fresh: boolean;
  }>(
    tx,
    sql`select s.segment, s.start_at as start,
        (extract(epoch from s.start_at) * 1000000)::bigint as micros, s.rows, s.root,
        s.figures_version = s.version as fresh
      from control.generation_range r
      join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      where r.generation = ${generation} order by s.start_at`,
  );
  const roots = new Map<string, string>();
  for (const part of parts) {
    const taken = part.fresh && part.root !== null && !kept.has(part.micros);
    const found = taken
      ? { rows: part.rows, root: part.root as Buffer }
      : await rootOf(tx, dataset, generation, part);
    if (found.rows !== '0') roots.set(part.start, found.root.toString('hex'));
  }
  return roots;
}

async function rootOf(
  tx: Tx,
  dataset: DatasetShape,
  generation: string,
  part: { segment: string; start: string },
): Promise<{ rows: string; root: Buffer }> {
  const { from, where } = partitionRows(dataset, part.segment, part.start);
  const found = await rows<{ bucket: number; rows: string; hash: Buffer }>(
    tx,
    sql.raw(
      bucketFiguresSql({
        alias: 'x',
        from,
        where: `${where} and not exists (select from control.quarantine q
          where q.generation = ${BigInt(generation)} and q.source_key = x._source_key)`,
        columns: dataset.columns,
      }),
    ),
  );
  const hashes = Array<Buffer>(64).fill(Buffer.from(EMPTY_BUCKET_HASH));
  for (const { bucket, hash } of found) hashes[bucket] = hash;
  const total = found.reduce((sum, bucket) => sum + BigInt(bucket.rows), 0n);
  return { rows: String(total), root: partitionRoot(hashes) };
}
