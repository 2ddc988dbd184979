import { sql } from 'drizzle-orm';
import { array, type Database, rows, type Tx } from '@/lib/db/client';
import { fromMicros, partList, toMicros } from '@/lib/db/statements/micros';
import { isWhole, type MapRange } from '@/lib/domain/range-map';

/** A generation's map in order of time. Lock the generation first where it is going to change. */
export async function loadMap(tx: Database | Tx, generation: string): Promise<MapRange[]> {
  const found = await rows<{
    from: string | null;
    to: string | null;
    segment: string | null;
    transform: string;
  }>(
    tx,
    sql`select ${toMicros('lower(span)')} as "from", ${toMicros('upper(span)')} as "to", segment, transform
      from control.generation_range where generation = ${generation} order by span`,
  );
  return found.map((r) => ({
    ...r,
    from: r.from === null ? null : BigInt(r.from),
    to: r.to === null ? null : BigInt(r.to),
  }));
}

/** Locks a generation's row against others that change its map or its state. */
export async function lockGeneration(tx: Tx, generation: string): Promise<void> {
  // no key update: a reader's pin (for key share) is never in its way
  await tx.execute(
    sql`select 1 from control.generation where id = ${generation} for no key update`,
  );
}

/**
 * Replaces a generation's map; the caller holds the dataset's registry row and the generation.
 * EXCLUDE refuses an overlap, a deferred trigger a gap.
 */
export async function saveMap(
  tx: Tx,
  generation: string,
  before: readonly MapRange[],
  after: readonly MapRange[],
): Promise<void> {
  if (!isWhole(after)) throw new Error(`the new map of generation ${generation} is not whole`);
  const key = (r: MapRange) => `${r.from},${r.to},${r.segment},${r.transform}`;
  const kept = new Set(after.map(key));
  const had = new Set(before.map(key));
  const removed = before.filter((r) => !kept.has(key(r)));
  const added = after.filter((r) => !had.has(key(r)));
  if (removed.length > 0) {
    // by lower bound, which is unique in a map; NULL is the unbounded one
    await tx.execute(sql`
      delete from control.generation_range r
      using unnest(${array(
        removed.map((r) => r.from),
        'bigint',
      )}) as gone (lower)
      where r.generation = ${generation}
        and ${toMicros('lower(r.span)')} is not distinct from gone.lower`);
  }
  if (added.length > 0) {
    await tx.execute(sql`
      insert into control.generation_range (generation, span, segment, transform)
      select ${generation}, tstzrange(
          ${fromMicros('a.lower')},
          ${fromMicros('a.upper')}), a.segment, a.transform
      from unnest(${array(
        added.map((r) => r.from),
        'bigint',
      )}, ${array(
        added.map((r) => r.to),
        'bigint',
      )},
        ${array(
          added.map((r) => r.segment),
          'bigint',
        )}, ${array(
          added.map((r) => r.transform),
          'text',
        )})
        as a (lower, upper, segment, transform)`);
  }
}

/**
 * Which of the given (segment, partition) another generation that is not retired maps too. Those
 * are never written: kept, hidden, rolled-back generations and forks count alike.
 */
export async function sharedPartitions(
  tx: Tx,
  generation: string,
  parts: readonly { segment: string; start: bigint }[],
): Promise<Set<bigint>> {
  if (parts.length === 0) return new Set();
  const found = await rows<{ start: string }>(
    tx,
    sql`select distinct p.start from ${partList(parts)}
      join control.generation_range r on r.segment = p.segment and r.generation <> ${generation}
        and r.span @> ${fromMicros('p.start')}
      join control.generation g on g.id = r.generation and g.state <> 'retired'`,
  );
  return new Set(found.map((r) => BigInt(r.start)));
}
