import { type SQL, sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import {
  additiveMetrics,
  type FiguresDelta,
  figuresDelta,
  type PartitionFigures,
} from '@/lib/domain/correction';
import { idForm } from '@/lib/domain/id-form';
import type { Instant } from '@/lib/domain/instant';
import { formatInterval } from '@/lib/domain/partition-label';
import { NotFound } from '@/lib/domain/refusal';
import { figuresSql } from '@/lib/queries/corrections-standing';
import { type Offsets, offsetsByShard } from '@/lib/queries/offsets';
import { type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';

export const CORRECTION_KINDS = ['amend', 'cutover', 'rollback'] as const;
export type CorrectionKind = (typeof CORRECTION_KINDS)[number];

/** A partition as people read it: `label` has both ends in the dataset's zone. */
export interface LabelledPartition {
  start: string;
  end: string;
  label: string;
}

export interface CorrectionItem {
  id: string;
  dataset: string;
  partition: LabelledPartition;
  kind: CorrectionKind;
  /** What was first published of the partition, when, to whom. */
  published: PartitionFigures & {
    at: string;
    sentTo: string;
    document: string | null;
    publication: string;
  };
  before: PartitionFigures;
  after: PartitionFigures;
  /** `after − before`. */
  delta: FiguresDelta;
  reason: string;
  /** `name@n` whose cutover or rollback wrote it. */
  release: string | null;
  /** Where the proof lies that the release built the partition; null where it did not. */
  receipt: { release: string; partition: string } | null;
  /** Who signed the cutover, or the rollback, that wrote it. */
  signatures: string[];
  /** The generation whose transform made `after`. */
  generation: string;
  transform: string;
  by: string;
  at: string;
  /** What of the log `after` contains. */
  progress: Offsets;
}

export interface CorrectionFilter {
  dataset?: string | undefined;
  /** Partitions that begin at or after this instant, */
  from?: string | undefined;
  /** and before this one. */
  to?: string | undefined;
  /** `name@n`, or a name for all its revisions. */
  release?: string | undefined;
  kind?: CorrectionKind | undefined;
  by?: string | undefined;
}

type Found = Omit<CorrectionItem, 'partition' | 'delta' | 'receipt' | 'progress'> & {
  start: string;
  end: string;
  zone: string;
  rollups: { metric: string; sql: string }[];
  hasReceipt: boolean;
  progress: string[];
};

/** Corrections that a condition over `c` and `r` chooses, each with what it is about. */
export async function correctionsWhere(
  db: Database | Tx,
  where: SQL,
  orderAndLimit: SQL,
): Promise<CorrectionItem[]> {
  const found = await rows<Found>(
    db,
    sql`select c.id, c.dataset, c.start_at as start, c.end_at as "end", d.timezone as zone, d.rollups,
        c.kind, ${figuresSql('p')} || jsonb_build_object('sentTo', u.sent_to, 'document', u.document,
          'publication', p.publication::text) as published, u.at as "publishedAt",
        ${figuresSql('c', '_before')} as before, ${figuresSql('c', '_after')} as after,
        c.reason, r.name || '@' || r.revision as release,
        exists (select from control.receipt t where t.release = c.release and t.start_at = c.start_at)
          as "hasReceipt",
        array(select s.person from control.signature s
          left join control.cutover k on k.release = s.release
          where s.release = c.release and s.kind = c.kind and s.decision = 'approve'
            and s.digest = coalesce(k.evidence, s.digest)
          group by s.person order by min(s.id)) as signatures,
        g.name as generation, c.transform, c.by, c.at, c.progress
      from control.correction c
      join control.dataset d on d.name = c.dataset
      join control.published_partition p on p.dataset = c.dataset and p.start_at = c.start_at
      join control.publication u on u.id = p.publication
      join control.generation g on g.id = c.generation
      left join control.release r on r.id = c.release
      where ${where} ${orderAndLimit}`,
  );
  return found.map(itemOf);
}

function itemOf(found: Found): CorrectionItem {
  const { start, end, zone, rollups, hasReceipt, progress, ...rest } = found;
  const { publishedAt, ...item } = rest as typeof rest & { publishedAt: string };
  return {
    ...item,
    published: { ...item.published, at: publishedAt },
    partition: labelled(zone, start, end),
    delta: figuresDelta(item.before, item.after, additiveMetrics(rollups)),
    receipt:
      hasReceipt && item.release !== null ? { release: item.release, partition: start } : null,
    progress: offsetsByShard(progress),
  };
}

export function labelled(zone: string, start: string, end: string): LabelledPartition {
  return { start, end, label: formatInterval(zone, start as Instant, end as Instant) };
}

/** Corrections, newest first. A filter that chooses nothing gives an empty page. */
export async function correctionList(
  db: Database | Tx,
  filter: CorrectionFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<CorrectionItem>> {
  const last = readCursor(cursor, [idForm]);
  const { dataset, from, to, release, kind, by } = filter;
  const conditions: SQL[] = [sql`true`];
  if (last) conditions.push(sql`c.id < ${last[0]}`);
  if (dataset !== undefined) conditions.push(sql`c.dataset = ${dataset}`);
  if (from !== undefined) conditions.push(sql`c.start_at >= ${from}::timestamptz`);
  if (to !== undefined) conditions.push(sql`c.start_at < ${to}::timestamptz`);
  if (release !== undefined) {
    conditions.push(sql`${release}::text in (r.name, r.name || '@' || r.revision)`);
  }
  if (kind !== undefined) conditions.push(sql`c.kind = ${kind}`);
  if (by !== undefined) conditions.push(sql`c.by = ${by}`);
  const found = await correctionsWhere(
    db,
    sql.join(conditions, sql` and `),
    sql`order by c.id desc limit ${limit + 1}`,
  );
  return pageOf(found, limit, (item) => [item.id]);
}

/** @throws NotFound */
export async function correctionView(db: Database | Tx, id: string): Promise<CorrectionItem> {
  const [found] = await correctionsWhere(db, sql`c.id = ${id}`, sql``);
  if (!found) throw new NotFound('correction', id);
  return found;
}

/** Who last amended a partition of a dataset: for a try whose answer was lost. */
export async function lastAmendment(
  db: Database | Tx,
  { dataset, partition, by }: { dataset: string; partition: string; by: string },
): Promise<CorrectionItem | null> {
  const [found] = await correctionsWhere(
    db,
    sql`c.dataset = ${dataset} and c.start_at = ${partition}::timestamptz and c.kind = 'amend'
      and c.by = ${by}`,
    sql`order by c.id desc limit 1`,
  );
  return found ?? null;
}

/** Names of the conserved sums and rollups that corrections may be about, in order. */
export async function correctionMetrics(
  db: Database | Tx,
  dataset?: string | undefined,
): Promise<{ sums: string[]; partials: string[] }> {
  const found = await maybeOne<{ sums: string[]; partials: string[] }>(
    db,
    sql`select array(select distinct e ->> 'name' from control.dataset d,
          jsonb_array_elements(d.conserved) e where ${ofDataset(dataset)} order by 1) as sums,
        array(select distinct e ->> 'metric' from control.dataset d,
          jsonb_array_elements(d.rollups) e where ${ofDataset(dataset)} order by 1) as partials`,
  );
  return found ?? { sums: [], partials: [] };
}

const ofDataset = (dataset: string | undefined) =>
  dataset === undefined ? sql`d.fork_of is null` : sql`d.name = ${dataset}`;
