import type { Instant } from '@/lib/domain/instant';
import { formatInterval } from '@/lib/domain/partition-label';
import { type PartitionUnit, partitionAt } from '@/lib/domain/partition-plan';
import type { RunView } from '@/lib/queries/runs';
import { reasonWords } from '../words';

/** What a retry would take up, and the first of it in words. */
export interface LeftToDo {
  count: number;
  named: { start: string; text: string }[];
  /** Skipped for want of data: taken too where there is data now. */
  withoutData: number;
}

const NAMED = 20;

/** Of an ended run: what failed, was skipped for a claim or a seal, or was never come to. */
export function leftToDo(run: RunView, zone: string, unit: PartitionUnit): LeftToDo {
  const { skipped, failed, planned } = run;
  const stopped = skipped.filter(([, reason]) => reason !== 'no_data');
  const left: [start: string, why: string][] = [
    ...failed.map(([start, message]): [string, string] => [start, `failed: ${message}`]),
    ...stopped.map(([start, reason]): [string, string] => [start, reasonWords(reason)]),
    ...planned.map((start): [string, string] => [start, 'never come to']),
  ].sort(([a], [b]) => (a < b ? -1 : 1)) as [string, string][];
  const withoutData = skipped.length - stopped.length;
  return {
    count: left.length + withoutData,
    withoutData,
    named: left.slice(0, NAMED).map(([start, why]) => ({
      start,
      text: `${intervalOf(zone, unit, start as Instant)}: ${why}`,
    })),
  };
}

function intervalOf(zone: string, unit: PartitionUnit, start: Instant): string {
  const partition = partitionAt(zone, unit, start);
  return partition === null ? start : formatInterval(zone, partition.start, partition.end);
}
