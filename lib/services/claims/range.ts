import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { maybeOne, rows, type Tx } from '@/lib/db/client';
import { storeCalendar } from '@/lib/db/statements/calendar';
import { claimOwnerSchema } from '@/lib/domain/claim-owner-schema';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { instantSchema } from '@/lib/domain/instant-schema';
import {
  checkRange,
  type Partition,
  type PartitionUnit,
  partitionsBetween,
} from '@/lib/domain/partition-plan';
import { Invalid, type Issue, issueOf, NotFound } from '@/lib/domain/refusal';
import { parseInput } from '@/lib/domain/zod-issues';

export interface ClaimInput {
  dataset: string;
  /** Half-open, on partition edges. */
  from: string;
  to: string;
  /** Under which name; the caller's own unless given. */
  owner?: string | undefined;
}

export interface ReadClaim {
  dataset: string;
  from: Instant;
  to: Instant;
  owner: string;
}

const schema = z.strictObject({
  dataset: z.string(),
  from: instantSchema,
  to: instantSchema,
  owner: claimOwnerSchema.optional(),
});

/**
 * @param person who claims, where no owner is given
 * @throws Invalid with every fault at its pointer
 */
export function readClaim(input: unknown, person: string): ReadClaim {
  const read = parseInput(schema, input);
  return { ...read, owner: read.owner ?? person };
}

/**
 * The partitions of a range of a dataset, by its stored calendar; what that lacks is computed by the
 * planner and stored.
 *
 * @throws NotFound, and Invalid with the nearest edges where an end lies within a partition
 */
export async function partitionsOf(
  tx: Tx,
  { dataset, from, to }: Pick<ReadClaim, 'dataset' | 'from' | 'to'>,
): Promise<Partition[]> {
  const found = await maybeOne<{ zone: string; unit: PartitionUnit }>(
    tx,
    sql`select timezone as zone, partition as unit from control.dataset
      where name = ${dataset} and fork_of is null`,
  );
  if (!found) throw new NotFound('dataset', dataset);
  const { zone, unit } = found;
  const faults = checkRange(zone, unit, { from, to });
  if (faults.length > 0) throw new Invalid(faults.map(issueOf).map(atTheTop));
  const planned = partitionsBetween(zone, unit, from, to);
  await storeCalendar(
    tx,
    zone,
    unit,
    planned.map((p) => ({ start: microsOf(p.start), end: microsOf(p.end) })),
  );
  const stored = await rows<Partition>(
    tx,
    sql`select start_at as start, end_at as "end" from control.calendar
      where zone = ${zone} and unit = ${unit}
        and start_at >= ${from}::timestamptz and end_at <= ${to}::timestamptz
      order by start_at`,
  );
  if (!fills(stored, from, to)) {
    throw new Invalid({
      pointer: '/from',
      code: 'RANGE_NOT_ON_PARTITION_EDGE',
      message: `The stored calendar of ${zone} was made with another zone database and has other edges in [${from}, ${to}).`,
    });
  }
  return stored;
}

/** Whether partitions fill `[from, to)` without a gap. */
function fills(partitions: readonly Partition[], from: string, to: string): boolean {
  let at = from;
  for (const { start, end } of partitions) {
    if (start !== at) return false;
    at = end;
  }
  return at === to;
}

/** A release has its ends within `range`; a claim has them beside it. */
function atTheTop(issue: Issue): Issue {
  const pointer = issue.pointer.replace(/^\/range/, '');
  return { ...issue, pointer: pointer === '' ? '/from' : pointer };
}
