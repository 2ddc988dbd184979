import { sql } from 'drizzle-orm';
import { array, type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { distinctSql } from '@/lib/db/distinct-sql';
import { ofPeople } from '@/lib/db/fork-sql';
import { additiveMetrics } from '@/lib/domain/correction';
import type { PartitionUnit } from '@/lib/domain/partition-plan';
import { type CorrectionItem, correctionsWhere } from '@/lib/queries/corrections';
import { standingSetSql } from '@/lib/queries/corrections-standing';

/** A dataset that may have sealed partitions, for the page's filters. */
export interface CorrectionDataset {
  name: string;
  zone: string;
  unit: PartitionUnit;
  /** How many of its partitions are sealed. */
  sealed: number;
}

/** What the filters of published figures and corrections can be set to. */
export interface CorrectionFacets {
  datasets: CorrectionDataset[];
  /** `name@n` of releases that wrote corrections, newest first. */
  releases: string[];
  /** Who wrote any. */
  people: string[];
  now: string;
}

export async function correctionFacets(db: Database | Tx): Promise<CorrectionFacets> {
  const datasets = await rows<CorrectionDataset>(
    db,
    sql`select d.name, d.timezone as zone, d.partition as unit,
        (select count(*)::int from control.published_partition p where p.dataset = d.name) as sealed
      from control.dataset d where ${ofPeople(sql`d.name`)} order by d.name`,
  );
  const rest = await one<Omit<CorrectionFacets, 'datasets'>>(
    db,
    sql`select array(select r.name || '@' || r.revision from control.release r
          where exists (select from control.correction c where c.release = r.id)
          order by r.id desc limit 200) as releases,
        array(${distinctSql('correction', 'by')}) as people,
        clock_timestamp() as now`,
  );
  return { datasets, ...rest };
}

/** Sealed partitions of a range in sum; exact text, only of what adds up over partitions. */
export interface SealedSummary {
  partitions: number;
  /** Those with a correction. */
  corrected: number;
  corrections: number;
  /** Events that no correction contains yet, and since when the first of them waits. */
  pending: number;
  pendingSince: string | null;
  firstSealedAt: string | null;
  lastSealedAt: string | null;
  published: SummedFigures;
  asOfNow: SummedFigures;
}

/** Conserved sums and the rollups that add up, by name, beside the rows. */
export interface SummedFigures {
  rows: string;
  sums: Record<string, string>;
  partials: Record<string, string>;
}

/** Rollups of a dataset that add up over partitions, by name; none where there is no such dataset. */
export async function additiveRollups(db: Database | Tx, dataset: string): Promise<string[]> {
  const shape = await loadDataset(db, dataset);
  return shape === null ? [] : [...additiveMetrics(shape.rollups)];
}

/** What sealed partitions that begin in [from, to) come to. */
export async function sealedSummary(
  db: Database | Tx,
  dataset: string,
  span: { from?: string | undefined; to?: string | undefined },
): Promise<SealedSummary> {
  const shape = await loadDataset(db, dataset);
  const sums = shape?.conserved.map(({ name }) => name) ?? [];
  const additive = await additiveRollups(db, dataset);
  const sumsOf = (prefix: '' | 'now_') => sql`jsonb_build_object(
    'rows', coalesce(sum(s.${sql.raw(prefix)}rows), 0)::text,
    'sums', ${objectOf(`${prefix}sums`, sums)},
    'partials', ${objectOf(`${prefix}partials`, additive)})`;
  return one<SealedSummary>(
    db,
    sql`select count(*)::int as partitions,
        (count(*) filter (where s.corrections > 0))::int as corrected,
        coalesce(sum(s.corrections), 0)::int as corrections,
        coalesce(sum(s.pending), 0)::int as pending, min(s.since) as "pendingSince",
        min(u.at) as "firstSealedAt", max(u.at) as "lastSealedAt",
        ${sumsOf('')} as published, ${sumsOf('now_')} as "asOfNow"
      from (${standingSetSql(dataset, span)}) s
      join control.publication u on u.id = s.publication`,
  );
}

/** `sum` of each name's exact text; the text of a numeric keeps its scale. */
function objectOf(column: string, names: readonly string[]) {
  if (names.length === 0) return sql`'{}'::jsonb`;
  const pairs = names.map(
    (name) => sql`${name}::text,
      coalesce(sum((s.${sql.raw(column)} ->> ${name}::text)::numeric), 0)::text`,
  );
  return sql`jsonb_build_object(${sql.join(pairs, sql`, `)})`;
}

/** The newest correction of each of some sealed partitions, by their start. */
export async function lastCorrections(
  db: Database | Tx,
  dataset: string,
  starts: readonly string[],
): Promise<Map<string, CorrectionItem>> {
  if (starts.length === 0) return new Map();
  const found = await correctionsWhere(
    db,
    sql`c.id in (select max(l.id) from control.correction l
      where l.dataset = ${dataset} and l.start_at = any(${array(starts, 'timestamptz')})
      group by l.start_at)`,
    sql`order by c.start_at`,
  );
  return new Map(found.map((item) => [item.partition.start, item]));
}

/** What of a dataset was published, in short. */
export interface PublishedBrief {
  sealed: number;
  corrections: number;
  pending: number;
  pendingSince: string | null;
  last: {
    id: string;
    from: string;
    to: string;
    sentTo: string;
    document: string | null;
    by: string;
    at: string;
  } | null;
}

export async function publishedBrief(db: Database | Tx, dataset: string): Promise<PublishedBrief> {
  const { partitions, corrections, pending, pendingSince } = await sealedSummary(db, dataset, {});
  const last = await maybeOne<NonNullable<PublishedBrief['last']>>(
    db,
    sql`select u.id, u.range_from as "from", u.range_to as "to", u.sent_to as "sentTo",
        u.document, u.by, u.at
      from control.publication u where u.dataset = ${dataset} order by u.id desc limit 1`,
  );
  return { sealed: partitions, corrections, pending, pendingSince, last };
}

/** What a publication came to, by the request id in its audit row; null where nothing was done. */
export function publicationOfRequest(
  db: Database | Tx,
  requestId: string,
): Promise<{ sealed: number; already: number } | null> {
  return maybeOne(
    db,
    sql`select (after ->> 'sealed')::int as sealed, (after ->> 'already')::int as already
      from control.audit_event
      where request_id = ${requestId} and verb = 'dataset.publish' and outcome = 'done'
      order by id desc limit 1`,
  );
}

/** The correction that a request recorded by hand, by the request id in its audit row. */
export async function correctionOfRequest(
  db: Database | Tx,
  requestId: string,
): Promise<string | null> {
  const found = await maybeOne<{ id: string | null }>(
    db,
    sql`select after ->> 'correction' as id from control.audit_event
      where request_id = ${requestId} and verb = 'dataset.amend' and outcome = 'done'
      order by id desc limit 1`,
  );
  return found?.id ?? null;
}
