import { type SQL, sql } from 'drizzle-orm';
import { array, json, one, rows, type Tx } from '@/lib/db/client';
import type { Figures } from '@/lib/db/statements/figures';

/** Of each sealed partition `p`: what its last correction says it would be, or what was published. */
const before = sql`left join lateral (
    select c.* from control.correction c
    where c.dataset = p.dataset and c.start_at = p.start_at order by c.id desc limit 1
  ) last on true`;

const columns = sql`(dataset, start_at, end_at, kind, release, generation, transform, progress,
  rows_before, sums_before, partials_before, root_before,
  rows_after, sums_after, partials_after, root_after, reason, by)`;

const beforeValues = sql`coalesce(last.rows_after, p.rows), coalesce(last.sums_after, p.sums),
  coalesce(last.partials_after, p.partials), coalesce(last.root_after, p.root)`;

/** Whether events are noted that neither the publication nor a correction of `p` contains. */
const hasPending = (upto: readonly string[]): SQL => sql`exists (
  select from control.pending_correction n
  where n.dataset = p.dataset and n.start_at = p.start_at
    and n."offset" > (coalesce(last.progress, p.progress))[n.shard + 1]
    and n."offset" <= (${array(upto, 'bigint')})[n.shard + 1])`;

/** What one batch of corrections was about: one row a partition, within `[from, to)`. */
export interface Corrected {
  partitions: number;
  from: string;
  to: string;
}

export interface Switched {
  /** Of people: a fork has no corrections. */
  dataset: string;
  release: string;
  generation: string;
  barrier: readonly string[];
  reason: string;
  by: string;
}

/**
 * What a cutover makes of the sealed partitions in its release's range: the candidate computed them
 * from the same facts, and what it came to is written down instead of served. One row for each whose
 * figures differ, or of which events were pending. The candidate's figures are fresh at its barrier.
 *
 * @param segment the candidate's own
 */
export async function correctByCutover(
  tx: Tx,
  at: Switched & { segment: string; transform: string },
): Promise<Corrected | null> {
  const found = await one<{ partitions: number; from: string | null; to: string | null }>(
    tx,
    sql`with written as (
      insert into control.correction ${columns}
      select p.dataset, p.start_at, p.end_at, 'cutover', ${at.release}, ${at.generation}, ${at.transform},
        ${array(at.barrier, 'bigint')}, ${beforeValues}, s.rows, s.sums, s.partials, s.root,
        ${at.reason}, ${at.by}
      from control.published_partition p
      join control.segment_partition s on s.segment = ${at.segment} and s.start_at = p.start_at
      ${before}
      where p.dataset = ${at.dataset}
        and (s.root <> coalesce(last.root_after, p.root) or ${hasPending(at.barrier)})
      order by p.start_at returning start_at, end_at
    ) select count(*)::int as partitions, min(start_at) as "from", max(end_at) as "to" from written`,
  );
  const { partitions, from, to } = found;
  return from === null || to === null ? null : { partitions, from, to };
}

/** What a sealed partition comes to from the facts at a progress, under one transform. */
export interface WouldBe {
  start: string;
  transform: string;
  figures: Pick<Figures, 'rows' | 'sums' | 'partials' | 'root'>;
}

/** The same for a rollback: `found`, in order of time, was computed from the facts at its barrier. */
export async function correctByRollback(
  tx: Tx,
  at: Switched,
  found: readonly WouldBe[],
): Promise<Corrected | null> {
  let corrected: Corrected | null = null;
  for (const each of found) {
    const [written] = await rows<{ start: string; end: string }>(
      tx,
      sql`
      insert into control.correction ${columns}
      select p.dataset, p.start_at, p.end_at, 'rollback', ${at.release}, ${at.generation}, ${each.transform},
        ${array(at.barrier, 'bigint')}, ${beforeValues}, ${afterValues(each)}, ${at.reason}, ${at.by}
      from control.published_partition p ${before}
      where p.dataset = ${at.dataset} and p.start_at = ${each.start}::timestamptz
        and (${rootOf(each)} <> coalesce(last.root_after, p.root) or ${hasPending(at.barrier)})
      returning start_at as start, end_at as "end"`,
    );
    if (!written) continue;
    const so: Corrected = corrected ?? { partitions: 0, from: written.start, to: written.end };
    corrected = { partitions: so.partitions + 1, from: so.from, to: written.end };
  }
  return corrected;
}

const rootOf = ({ figures }: WouldBe) => sql`${`\\x${figures.root.toString('hex')}`}::text::bytea`;

const afterValues = (found: WouldBe) => sql`${found.figures.rows}::bigint,
  ${json(found.figures.sums)}, ${json(found.figures.partials)}, ${rootOf(found)}`;

/**
 * A correction that a person asked for. It is written also where nothing differs: that somebody
 * looked, and at what, is worth as much.
 *
 * @returns its id and the partition's end; null where the partition is not sealed
 */
export async function correctByAmending(
  tx: Tx,
  at: Omit<Switched, 'release'>,
  found: WouldBe,
): Promise<{ id: string; end: string } | null> {
  const [written] = await rows<{ id: string; end: string }>(
    tx,
    sql`insert into control.correction ${columns}
      select p.dataset, p.start_at, p.end_at, 'amend', null, ${at.generation}, ${found.transform},
        ${array(at.barrier, 'bigint')}, ${beforeValues}, ${afterValues(found)}, ${at.reason}, ${at.by}
      from control.published_partition p ${before}
      where p.dataset = ${at.dataset} and p.start_at = ${found.start}::timestamptz
      returning id, end_at as "end"`,
  );
  return written ?? null;
}
