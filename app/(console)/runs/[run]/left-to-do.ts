import type { Instant } from '@/lib/domain/instant';
import { formatInterval } from '@/lib/domain/partition-label';
import type { LeftPartition, RunPage } from '@/lib/queries/run-page';
import { reasonWords } from '../words';

/** What a retry would take up, and the first of it in words. */
export interface LeftToDo {
  count: number;
  named: { start: string; text: string }[];
  /** Skipped for want of data: taken too where there is data now. */
  withoutData: number;
}

/** Of an ended run: what failed, was skipped for a claim or a seal, or was never come to. */
export function leftToDo(
  { counts, withoutData, left }: Pick<RunPage, 'counts' | 'withoutData' | 'left'>,
  zone: string,
): LeftToDo {
  return {
    count: counts.failed + counts.skipped + counts.planned,
    withoutData,
    named: left.map((partition) => ({
      start: partition.start,
      text: `${formatInterval(zone, partition.start as Instant, partition.end as Instant)}: ${whyOf(partition)}`,
    })),
  };
}

function whyOf({ state, reason }: LeftPartition): string {
  if (state === 'failed') return `failed: ${reason ?? ''}`;
  return state === 'planned' ? 'never come to' : reasonWords(reason ?? '');
}
