import type { Instant } from '@/lib/domain/instant';
import { type PartitionUnit, partitionAt } from '@/lib/domain/partition-plan';
import type { MissingWhy, RunQuestions } from '@/lib/domain/runs';

/** Partitions that one publication sealed, consecutive ones as one. */
export interface PublishedRange {
  from: string;
  to: string;
  partitions: number;
  sentTo: string;
  document: string | null;
  at: string;
}

export interface MissingPartition {
  from: string;
  to: string;
  why: MissingWhy;
}

/** The partitions that the questions name by their start, with both ends. */
export function intervalsOf(
  zone: string,
  unit: PartitionUnit,
  { published, earlierMissing }: RunQuestions,
): { published: PublishedRange[]; missing: MissingPartition[] } {
  const endOf = (start: string) => partitionAt(zone, unit, start as Instant)?.end ?? start;
  const ranges: PublishedRange[] = [];
  for (const { start, sentTo, document, at } of published.partitions) {
    const last = ranges.at(-1);
    if (last?.to === start && last.sentTo === sentTo && last.at === at) {
      last.to = endOf(start);
      last.partitions += 1;
    } else {
      ranges.push({ from: start, to: endOf(start), partitions: 1, sentTo, document, at });
    }
  }
  return {
    published: ranges,
    missing: earlierMissing.named.map(({ start, why }) => ({
      from: start,
      to: endOf(start),
      why,
    })),
  };
}
