import { sql } from 'drizzle-orm';
import { affected, array, type Database, rows, type Tx } from '@/lib/db/client';
import type { Claimed } from '@/lib/domain/claims';
import { LostRace } from '@/lib/domain/refusal';

export interface ClaimOf {
  dataset: string;
  owner: string;
  /** The person who asks. */
  by: string;
  /** In the order of start. */
  partitions: readonly { start: string; end: string }[];
}

/** How often what was let go in the meantime is tried for again. */
const mostRounds = 20;

/**
 * Inserts what nobody holds, in the order of start, and answers what it inserted and who held the
 * rest before. Another transaction's insert of the same partition is waited for: the key lets one
 * of the two in. What its holder lets go of between the insert and the look is tried for again,
 * so that every partition of the answer has one holder.
 */
export async function takeClaims(
  tx: Tx,
  { dataset, owner, by, partitions }: ClaimOf,
): Promise<{ taken: Set<string>; before: Claimed[] }> {
  const taken = new Set<string>();
  const starts = array(
    partitions.map((p) => p.start),
    'timestamptz',
  );
  const ends = array(
    partitions.map((p) => p.end),
    'timestamptz',
  );
  for (let round = 0; round < mostRounds; round += 1) {
    const inserted = await rows<{ start: string }>(
      tx,
      sql`insert into control.claim (dataset, start_at, end_at, owner, "by", at)
        select ${dataset}, p.start_at, p.end_at, ${owner}, ${by}, (select clock_timestamp())
        from unnest(${starts}, ${ends}) as p (start_at, end_at)
        order by p.start_at
        on conflict (dataset, start_at) do nothing
        returning start_at as start`,
    );
    for (const { start } of inserted) taken.add(start);
    const found = await rows<Claimed>(
      tx,
      sql`select start_at as start, end_at as "end", owner, "by", at from control.claim
        where dataset = ${dataset} and start_at = any(${starts}) order by start_at`,
    );
    if (found.length === partitions.length) {
      return { taken, before: found.filter(({ start }) => !taken.has(start)) };
    }
  }
  throw new LostRace('Others claim and let go of this range all the time; try again.');
}

/** Lets go of an owner's claims in `[from, to)`, rows locked in the order of start; which they were. */
export function dropClaims(
  tx: Tx,
  { dataset, owner, from, to }: { dataset: string; owner: string; from: string; to: string },
): Promise<{ start: string; end: string }[]> {
  return rows(
    tx,
    sql`with own as materialized (
        select dataset, start_at from control.claim
        where dataset = ${dataset} and owner = ${owner}
          and start_at >= ${from}::timestamptz and start_at < ${to}::timestamptz
        order by start_at for update
      ), gone as (
        delete from control.claim c using own
        where c.dataset = own.dataset and c.start_at = own.start_at
        returning c.start_at, c.end_at
      )
      select start_at as start, end_at as "end" from gone order by start_at`,
  );
}

/**
 * Lets go of everything that a release holds; how many partitions that were. In no order: nobody
 * else can let go of a release's, and who waits for them to insert holds none of them.
 */
export function dropAllClaims(tx: Tx, dataset: string, owner: string): Promise<number> {
  return affected(
    tx,
    sql`delete from control.claim where dataset = ${dataset} and owner = ${owner}`,
  );
}

/** Claims of a dataset that begin in `[from, to)`, null for no end, in the order of start. */
export function claimsBetween(
  db: Database | Tx,
  dataset: string,
  from: string | null,
  to: string | null,
): Promise<Claimed[]> {
  return rows<Claimed>(
    db,
    sql`select start_at as start, end_at as "end", owner, "by", at from control.claim
      where dataset = ${dataset}
        and start_at >= coalesce(${from}::timestamptz, '-infinity')
        and start_at < coalesce(${to}::timestamptz, 'infinity')
      order by start_at`,
  );
}

/** Others' claims on the plan of a pinned release, in the order of start. */
export function claimsOnPlan(
  db: Database | Tx,
  release: { id: string; dataset: string; name: string; revision: number },
): Promise<Claimed[]> {
  return rows<Claimed>(
    db,
    sql`select c.start_at as start, c.end_at as "end", c.owner, c."by", c.at
      from control.claim c
      join control.release_partition p on p.release = ${release.id} and p.start_at = c.start_at
      where c.dataset = ${release.dataset}
        and c.owner <> ${`${release.name}@${release.revision}`}
      order by c.start_at`,
  );
}
