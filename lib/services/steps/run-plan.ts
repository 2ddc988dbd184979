import type { Database, Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { claimsBetween } from '@/lib/db/statements/claim';
import { loadMap } from '@/lib/db/statements/generation-map';
import {
  type Part,
  partitionsWithFacts,
  partitionsWithRows,
  sourceKeyPages,
} from '@/lib/db/statements/partitions-with-data';
import { readProgress } from '@/lib/db/statements/progress';
import {
  holdRun,
  type RunPartitionRow,
  type RunRow,
  runPartitions,
  runWorksOn,
  skipPartitions,
} from '@/lib/db/statements/run';
import { sealedAmong } from '@/lib/db/statements/sealed';
import { transaction } from '@/lib/db/transaction';
import { type Instant, instantOf, microsOf } from '@/lib/domain/instant';
import { type MapRange, within } from '@/lib/domain/range-map';
import { type Decision, decideWalk } from '@/lib/domain/range-walk';
import { settle } from '@/lib/domain/settle';
import { compiled, placingOf } from '@/lib/services/apply/compiled';
import { evaluateKeys } from '@/lib/services/apply/evaluate-keys';
import { inUse } from './run-aside';

const pageSize = 1000;

/**
 * Decides what becomes of each partition, once in a run's life: claims and seals are read here and
 * not again on the way (a partition that is sealed later is left alone all the same). What is
 * skipped is settled at once; the answer is the walk over what is left, also after a restart.
 *
 * @returns null where the run was cancelled or is another process's
 */
export function planWalk(
  db: Database,
  dataset: DatasetShape,
  run: RunRow,
  token: string,
): Promise<Decision[] | null> {
  return transaction(
    db,
    async (tx) => {
      if (!(await holdRun(tx, run.id, token))) return null;
      const parts = await runPartitions(tx, run.id);
      if (run.generation === null) return decide(tx, dataset, run, parts);
      return parts
        .filter((part) => part.state === 'planned')
        .map(({ start }): Decision => ({ move: 'do', partition: start }));
    },
    { isolation: 'repeatable read', statementTimeoutMs: 600_000 },
  );
}

async function decide(
  tx: Tx,
  dataset: DatasetShape,
  run: RunRow,
  parts: readonly RunPartitionRow[],
): Promise<Decision[]> {
  const now = await inUse(tx, dataset.name);
  if (!now) throw new Error(`dataset ${dataset.name} has no generation in use`);
  const claims = new Map(
    (await claimsBetween(tx, run.dataset, run.from, run.to)).map((c) => [c.start, c.owner]),
  );
  const starts = parts.map((part) => microsOf(part.start as Instant));
  const found = await sealedAmong(tx, run.dataset, starts);
  const sealed = new Set([...found.keys()].map((start) => instantOf(start) as string));
  const mayHave = parts.filter(({ start }) => {
    const owner = claims.get(start);
    return !sealed.has(start) && (owner === undefined || owner === run.owner);
  });
  const data = await partitionsWithData(tx, dataset, now.generation, mayHave);
  const decisions = decideWalk(
    parts.map((part) => part.start),
    { owner: run.owner, claims, sealed, hasData: (start) => data.has(start) },
  );
  await skipPartitions(
    tx,
    run.id,
    decisions.flatMap((d) => (d.move === 'skip' ? [[d.partition, d.reason] as const] : [])),
  );
  await runWorksOn(tx, run.id, now);
  return decisions;
}

/**
 * Which of the partitions hold anything, by start: a row that stands there, or a fact that belongs
 * there at the generation's progress. Where the business time is computed, every fact is evaluated.
 */
export async function partitionsWithData(
  tx: Tx,
  dataset: DatasetShape,
  generation: string,
  parts: readonly Part[],
): Promise<Set<string>> {
  const held = await partitionsWithRows(tx, dataset, generation, parts);
  const rest = parts.filter(({ start }) => !held.has(start));
  if (rest.length === 0) return held;
  const watermark = await readProgress(tx, generation);
  const map = await loadMap(tx, generation);
  const digests = [...new Set(map.map((range) => range.transform))];
  const transforms = await Promise.all(digests.map((digest) => compiled(tx, dataset, digest)));
  const { column, exact } = placingOf(dataset, transforms);
  const placed =
    column !== null && (exact || dataset.grain === 'partition')
      ? await partitionsWithFacts(tx, dataset.source, column, rest, watermark)
      : await landings(tx, dataset, map, rest, watermark);
  return new Set([...held, ...placed]);
}

async function landings(
  tx: Tx,
  dataset: DatasetShape,
  map: readonly MapRange[],
  parts: readonly Part[],
  watermark: readonly string[],
): Promise<Set<string>> {
  const open = new Map(
    parts.map(({ start, end }) => [
      start,
      { from: microsOf(start as Instant), to: microsOf(end as Instant) },
    ]),
  );
  const found = new Set<string>();
  for await (const keys of sourceKeyPages(tx, dataset.source.name, pageSize)) {
    const settled = settle(map, await evaluateKeys(tx, dataset, map, keys, watermark));
    const places = [...settled.write, ...settled.quarantine].map((row) => row.micros);
    for (const [start, span] of open) {
      if (!places.some((micros) => micros !== null && within(span, micros))) continue;
      found.add(start);
      open.delete(start);
    }
    if (open.size === 0) break;
  }
  return found;
}
