import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import {
  additiveMetrics,
  type FiguresDelta,
  figuresDelta,
  type PartitionFigures,
} from '@/lib/domain/correction';
import { idForm } from '@/lib/domain/id-form';
import { NotFound } from '@/lib/domain/refusal';
import { type LabelledPartition, labelled } from '@/lib/queries/corrections';
import { standingSql } from '@/lib/queries/corrections-standing';
import { instantForm, type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';

/** That figures of a range were sent out. */
export interface PublicationItem {
  id: string;
  dataset: string;
  /** Half-open. */
  range: { from: string; to: string };
  sentTo: string;
  document: string | null;
  by: string;
  at: string;
  /** How many partitions it sealed. */
  partitions: number;
}

export interface PublicationView extends PublicationItem {
  /** Starts of the partitions that it sealed, in order. */
  sealed: string[];
  /** Starts of those that an earlier one had sealed: their published figures stand. */
  already: string[];
  /** Rows in the partitions that it sealed. */
  rows: number;
}

type Found<T> = Omit<T, 'range'> & { from: string; to: string };

const columns = sql`u.id, u.dataset, u.range_from as "from", u.range_to as "to", u.sent_to as "sentTo",
  u.document, u.by, u.at, (select count(*)::int from control.published_partition p
    where p.publication = u.id) as partitions`;

const withRange = <T extends { from: string; to: string }>({ from, to, ...rest }: T) => ({
  ...rest,
  range: { from, to },
});

/**
 * Publications of a dataset, newest first.
 *
 * @throws NotFound
 */
export async function publicationList(
  db: Database | Tx,
  dataset: string,
  { limit, cursor }: PageRequest,
): Promise<Page<PublicationItem>> {
  if (!(await loadDataset(db, dataset))) throw new NotFound('dataset', dataset);
  const last = readCursor(cursor, [idForm]);
  const found = await rows<Found<PublicationItem>>(
    db,
    sql`select ${columns} from control.publication u
      where u.dataset = ${dataset} and (${last?.[0] ?? null}::bigint is null or u.id < ${last?.[0] ?? null})
      order by u.id desc limit ${limit + 1}`,
  );
  return pageOf(found.map(withRange), limit, (item) => [item.id]);
}

/**
 * One publication with the partitions of its range.
 *
 * @throws NotFound
 */
export async function publicationView(db: Database | Tx, id: string): Promise<PublicationView> {
  const found = await maybeOne<Found<PublicationView>>(
    db,
    sql`select ${columns},
        array(select p.start_at from control.published_partition p
          where p.publication = u.id order by p.start_at) as sealed,
        array(select p.start_at from control.published_partition p
          where p.dataset = u.dataset and p.publication < u.id
            and p.start_at >= u.range_from and p.start_at < u.range_to order by p.start_at) as already,
        (select coalesce(sum(p.rows), 0)::float8 from control.published_partition p
          where p.publication = u.id) as rows
      from control.publication u where u.id = ${id}`,
  );
  if (!found) throw new NotFound('publication', id);
  return withRange(found);
}

/** The newest publication of a range by somebody: for a try whose answer was lost. */
export async function lastPublication(
  db: Database | Tx,
  input: { dataset: string; from: string; to: string; by: string },
): Promise<PublicationView | null> {
  const found = await maybeOne<{ id: string }>(
    db,
    sql`select id from control.publication
      where dataset = ${input.dataset} and range_from = ${input.from}::timestamptz
        and range_to = ${input.to}::timestamptz and by = ${input.by}
      order by id desc limit 1`,
  );
  return found && publicationView(db, found.id);
}

/** A sealed partition, as published and as of now. */
export interface SealedItem {
  partition: LabelledPartition;
  publication: { id: string; at: string; sentTo: string; document: string | null };
  published: PartitionFigures;
  /** The last correction's figures, else the published ones. */
  asOfNow: PartitionFigures;
  /** `asOfNow − published`. */
  delta: FiguresDelta;
  corrections: number;
  /** Events that no correction contains yet, and since when the first of them waits. */
  pending: { count: number; since: string | null };
}

interface FoundSealed {
  start: string;
  end: string;
  id: string;
  at: string;
  sentTo: string;
  document: string | null;
  published: PartitionFigures;
  asOfNow: PartitionFigures;
  corrections: number;
  pending: number;
  since: string | null;
}

/**
 * Sealed partitions of a dataset that begin in [from, to), in order of time.
 *
 * @throws NotFound
 */
export async function sealedPartitions(
  db: Database | Tx,
  dataset: string,
  { from, to, cursor, limit }: { from?: string | undefined; to?: string | undefined } & PageRequest,
): Promise<Page<SealedItem>> {
  const shape = await loadDataset(db, dataset);
  if (!shape) throw new NotFound('dataset', dataset);
  const after = readCursor(cursor, [instantForm])?.[0] ?? null;
  const found = await rows<FoundSealed>(
    db,
    sql`select s.start_at as start, s.end_at as "end", u.id, u.at, u.sent_to as "sentTo", u.document,
        s.published, s."asOfNow", s.corrections, s.pending, s.since
      from (${standingSql(dataset, { from, to })}
        and (${after}::timestamptz is null or p.start_at > ${after}::timestamptz)
        order by p.start_at limit ${limit + 1}) s
      join control.publication u on u.id = s.publication
      order by s.start_at`,
  );
  const additive = additiveMetrics(shape.rollups);
  const items = found.map((each): SealedItem => {
    const { start, end, id, at, sentTo, document, published, asOfNow } = each;
    return {
      partition: labelled(shape.zone, start, end),
      publication: { id, at, sentTo, document },
      published,
      asOfNow,
      delta: figuresDelta(published, asOfNow, additive),
      corrections: each.corrections,
      pending: { count: each.pending, since: each.since },
    };
  });
  return pageOf(items, limit, (item) => [item.partition.start]);
}
