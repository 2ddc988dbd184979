import { sql } from 'drizzle-orm';
import { array, type Database, rows, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { fromMicros, toMicros } from '@/lib/db/statements/micros';
import { type Instant, instantOf, microsOf } from '@/lib/domain/instant';
import { partitionAt } from '@/lib/domain/partition-plan';

export interface Partition {
  /** Microseconds since 1970; `start` names the partition. */
  start: bigint;
  end: bigint;
}

const holds = (partition: Partition, at: bigint) => partition.start <= at && at < partition.end;

/**
 * The partitions that hold the given instants (microseconds since 1970), by instant. The stored
 * calendar decides, so that two processes with different zone databases cannot disagree; what it
 * lacks is computed by the planner and stored. An instant outside the years 1900 to 2200 is
 * missing from the answer: its row is quarantined, never guessed.
 */
export async function locatePartitions(
  tx: Database | Tx,
  { zone, unit }: Pick<DatasetShape, 'zone' | 'unit'>,
  instants: Iterable<bigint>,
): Promise<Map<bigint, Partition>> {
  const ordered = [...new Set(instants)].sort((a, b) => (a < b ? -1 : 1));
  const planned: Partition[] = [];
  for (const at of ordered) {
    const last = planned.at(-1);
    if (last && holds(last, at)) continue;
    const partition = plan(zone, unit, at);
    if (partition) planned.push(partition);
  }
  let stored = await readCalendar(tx, zone, unit, planned);
  if (stored.length < planned.length) {
    await storeCalendar(tx, zone, unit, planned);
    stored = await readCalendar(tx, zone, unit, planned);
  }
  // stored under another zone database: what this one plans was refused as an overlap
  if (stored.length < planned.length) stored = await readOverlapping(tx, zone, unit, planned);
  const located = new Map<bigint, Partition>();
  let i = 0;
  for (const at of ordered) {
    while (i < stored.length && (stored[i] as Partition).end <= at) i++;
    const partition = stored[i];
    if (partition && holds(partition, at)) located.set(at, partition);
  }
  return located;
}

function plan(zone: string, unit: DatasetShape['unit'], at: bigint): Partition | null {
  let instant: Instant;
  try {
    instant = instantOf(at);
  } catch {
    return null;
  }
  const partition = partitionAt(zone, unit, instant);
  return partition && { start: microsOf(partition.start), end: microsOf(partition.end) };
}

async function readCalendar(
  tx: Database | Tx,
  zone: string,
  unit: string,
  partitions: readonly Partition[],
): Promise<Partition[]> {
  const found = await rows<{ start: string; end: string }>(
    tx,
    sql`select p.start, ${toMicros('c.end_at')} as "end"
      from unnest(${array(
        partitions.map((p) => p.start),
        'bigint',
      )}) as p (start)
      join control.calendar c on c.zone = ${zone} and c.unit = ${unit}
        and c.start_at = ${fromMicros('p.start')}
      order by p.start`,
  );
  return found.map((p) => ({ start: BigInt(p.start), end: BigInt(p.end) }));
}

async function readOverlapping(
  tx: Database | Tx,
  zone: string,
  unit: string,
  partitions: readonly Partition[],
): Promise<Partition[]> {
  const found = await rows<{ start: string; end: string }>(
    tx,
    sql`select distinct ${toMicros('c.start_at')} as start,
        ${toMicros('c.end_at')} as "end"
      from unnest(${array(
        partitions.map((p) => p.start),
        'bigint',
      )}, ${array(
        partitions.map((p) => p.end),
        'bigint',
      )}) as p (start, upper)
      join control.calendar c on c.zone = ${zone} and c.unit = ${unit}
        and tstzrange(c.start_at, c.end_at) && tstzrange(${fromMicros('p.start')}, ${fromMicros('p.upper')})
      order by 1`,
  );
  return found.map((p) => ({ start: BigInt(p.start), end: BigInt(p.end) }));
}

/** Adds partitions to the calendar, in order; one that is there already is left as it is. */
export async function storeCalendar(
  tx: Database | Tx,
  zone: string,
  unit: string,
  partitions: readonly Partition[],
): Promise<void> {
  if (partitions.length === 0) return;
  await tx.execute(sql`
    insert into control.calendar (zone, unit, start_at, end_at)
    select ${zone}, ${unit}, ${fromMicros('p.start')},
      ${fromMicros('p.upper')}
    from unnest(${array(
      partitions.map((p) => p.start),
      'bigint',
    )},
      ${array(
        partitions.map((p) => p.end),
        'bigint',
      )}) as p (start, upper)
    order by p.start
    on conflict do nothing`);
}
