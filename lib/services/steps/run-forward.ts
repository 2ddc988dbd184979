import type { Tx } from '@/lib/db/client';
import { factsOfKeys } from '@/lib/db/statements/facts';
import {
  type Figures,
  figuresOf,
  figuresOfBuckets,
  partitionRows,
} from '@/lib/db/statements/figures';
import {
  clearRows,
  copyRows,
  dropRows,
  keysBetween,
  quarantinedKeys,
} from '@/lib/db/statements/place';
import { bucketOf } from '@/lib/digest/row-encoding';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { within } from '@/lib/domain/range-map';
import { aggregatesOf } from '@/lib/services/apply/aggregates';
import { buildAside } from '@/lib/services/apply/build-aside';
import { sourceTimeOf } from '@/lib/services/apply/compiled';
import { placeOf } from '@/lib/services/apply/decide-partitions';
import type { AsideOfRun, PartitionOfRun } from './run-aside';

interface Forward extends PartitionOfRun {
  aside: AsideOfRun;
}

/**
 * Brings a partition aside from where it was computed to a later progress, under the dataset's lock
 * and that of the progress.
 *
 * @returns the figures that it has then
 */
export async function bringForward(
  tx: Tx,
  forward: Forward,
  served: string,
  progress: readonly string[],
): Promise<Figures> {
  const { dataset, aside } = forward;
  const keys = await keysBetween(tx, dataset.source.name, aside.watermark, progress);
  return dataset.grain === 'partition'
    ? computeAgain(tx, forward, keys, progress)
    : takeOver(tx, forward, served, keys);
}

/**
 * Takes over the served rows of the keys that had an event, and of those in quarantine then or now,
 * whose rows another key's event may have changed: live writing has just made them from the facts.
 */
async function takeOver(
  tx: Tx,
  { dataset, segment, start, aside }: Forward,
  served: string,
  events: readonly string[],
): Promise<Figures> {
  const touched = new Set(events);
  const held = [...aside.quarantined, ...(await quarantinedKeys(tx, aside.generation))].filter(
    (key) => !touched.has(key),
  );
  const column = '_source_key' as const;
  const from = { segment: served, start };
  const keys = [
    ...(await dropRows(tx, dataset, { segment, start }, [...events, ...held])),
    ...(await copyRows(tx, dataset, from, segment, { column, values: events })),
    // a stale row yields to a right one that wants its key
    ...(await copyRows(tx, dataset, from, segment, { column, values: held, yielding: true })),
  ];
  return figuresOfBuckets(
    tx,
    dataset,
    await aggregatesOf(dataset),
    partitionRows(dataset, segment, start),
    [...new Set(keys.map(bucketOf))],
    aside.figures.bucketHashes,
    aside.figures.bucketRows,
  );
}

/** Computes the partition once more, whole, where one of the events came from it or went to it. */
async function computeAgain(
  tx: Tx,
  { dataset, segment, start, end, aside }: Forward,
  events: readonly string[],
  progress: readonly string[],
): Promise<Figures> {
  const column = sourceTimeOf(dataset);
  const span = { from: microsOf(start as Instant), to: microsOf(end as Instant) };
  const facts = [
    ...(await factsOfKeys(tx, dataset.source, events, aside.watermark)),
    ...(await factsOfKeys(tx, dataset.source, events, progress)),
  ];
  const here = facts.some((fact) => {
    const micros = placeOf(fact, column);
    return micros !== null && within(span, micros);
  });
  if (!here) return aside.figures;
  await clearRows(tx, dataset, { segment, start });
  const whole = { dataset, generation: aside.generation, watermark: progress, start, end };
  await buildAside(tx, whole, segment);
  return figuresOf(
    tx,
    dataset,
    await aggregatesOf(dataset),
    partitionRows(dataset, segment, start),
  );
}
