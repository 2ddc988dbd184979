import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, loadDataset, rowsTable } from '@/lib/db/dataset-shape';
import { transaction } from '@/lib/db/transaction';
import {
  additiveMetrics,
  chainAddsUp,
  type FiguresDelta,
  figuresDelta,
  type PartitionFigures,
} from '@/lib/domain/correction';
import { NotFound } from '@/lib/domain/refusal';
import {
  type CorrectionItem,
  correctionsWhere,
  type LabelledPartition,
  labelled,
} from '@/lib/queries/corrections';
import { standingSql } from '@/lib/queries/corrections-standing';
import { type Offsets, offsetsByShard } from '@/lib/queries/offsets';

/** What one event would change in a sealed partition. */
export interface PendingEvent {
  shard: number;
  offset: string;
  sourceKey: string;
  /** Beside what is served: no row of this fact stands there, one does, or none would any more. */
  kind: 'added' | 'changed' | 'removed';
  /** Business key of the row that would stand there. */
  key: string | null;
  /** Its values as text, by column. */
  values: Record<string, string | null> | null;
  at: string;
}

export interface PartitionHistory {
  dataset: string;
  partition: LabelledPartition;
  /** Every publication that covered it, oldest first; the first one's figures stand. */
  publications: {
    id: string;
    range: { from: string; to: string };
    sentTo: string;
    document: string | null;
    by: string;
    at: string;
    /** Its figures are the published ones; of later publications nothing was sealed anew. */
    sealed: boolean;
  }[];
  /** As published. */
  published: PartitionFigures & { generation: string; transform: string; progress: Offsets };
  /** Oldest first. */
  corrections: CorrectionItem[];
  /** Each correction begins where the one before it ended, the first at what was published. */
  addsUp: boolean;
  /** Events that no correction contains yet; the first 50 are listed. */
  pending: { count: number; since: string | null; events: PendingEvent[] };
  /** The last correction's figures, else the published ones. */
  asOfNow: PartitionFigures;
  /** `asOfNow − published`. */
  delta: FiguresDelta;
}

const LISTED = 50;

interface Standing {
  start: string;
  end: string;
  publication: string;
  generation: string;
  transform: string;
  progress: string[];
  published: PartitionFigures;
  asOfNow: PartitionFigures;
  pending: number;
  since: string | null;
}

/**
 * All that is known of one sealed partition, read in one snapshot.
 *
 * @param start the partition's start instant
 * @throws NotFound where there is no such dataset, or the partition was never published
 */
export async function partitionHistory(
  db: Database,
  dataset: string,
  start: string,
): Promise<PartitionHistory> {
  const shape = await loadDataset(db, dataset);
  if (!shape) throw new NotFound('dataset', dataset);
  return transaction(db, (tx) => read(tx, shape, start), {
    isolation: 'repeatable read',
    readOnly: true,
  });
}

async function read(tx: Tx, shape: DatasetShape, start: string): Promise<PartitionHistory> {
  const dataset = shape.name;
  const [found] = await rows<Standing>(
    tx,
    sql`select s.start_at as start, s.end_at as "end", s.publication, g.name as generation,
        s.transform, s.progress, s.published, s."asOfNow", s.pending, s.since
      from (${standingSql(dataset, { from: start })}) s
      join control.generation g on g.id = s.generation
      where s.start_at = ${start}::timestamptz`,
  );
  if (!found) throw new NotFound('sealed partition', start);
  const publications = await rows<
    Omit<PartitionHistory['publications'][number], 'range'> & { from: string; to: string }
  >(
    tx,
    sql`select u.id, u.range_from as "from", u.range_to as "to",
        u.sent_to as "sentTo", u.document, u.by, u.at, u.id = ${found.publication} as sealed
      from control.publication u
      where u.dataset = ${dataset} and u.range_from <= ${start}::timestamptz
        and u.range_to > ${start}::timestamptz
      order by u.id`,
  );
  const corrections = await correctionsWhere(
    tx,
    sql`c.dataset = ${dataset} and c.start_at = ${start}::timestamptz`,
    sql`order by c.id`,
  );
  const { generation, transform, progress, published, asOfNow, pending, since } = found;
  return {
    dataset,
    partition: labelled(shape.zone, found.start, found.end),
    publications: publications.map(({ from, to, ...rest }) => ({ ...rest, range: { from, to } })),
    published: { ...published, generation, transform, progress: offsetsByShard(progress) },
    corrections,
    addsUp: chainAddsUp(published, corrections),
    pending: { count: pending, since, events: await pendingEvents(tx, shape, start) },
    asOfNow,
    delta: figuresDelta(published, asOfNow, additiveMetrics(shape.rollups)),
  };
}

async function pendingEvents(tx: Tx, shape: DatasetShape, start: string): Promise<PendingEvent[]> {
  const { contains } = await one<{ contains: string[] }>(
    tx,
    sql`select coalesce((select c.progress from control.correction c
        where c.dataset = p.dataset and c.start_at = p.start_at order by c.id desc limit 1),
        p.progress) as contains
      from control.published_partition p
      where p.dataset = ${shape.name} and p.start_at = ${start}::timestamptz`,
  );
  const found = await rows<Omit<PendingEvent, 'values'> & { values: (string | null)[] | null }>(
    tx,
    sql`with served as (
        select m.segment from control.registry r
        join control.generation_range m
          on m.generation = r.active_generation and m.span @> ${start}::timestamptz
        where r.dataset = ${shape.name}
      )
      select q.shard, q."offset", q.source_key as "sourceKey", q.key, q.values, q.at,
        case when q.values is null then 'removed'
          when exists (select from served v join ${sql.raw(rowsTable(shape.name))} x
            on x._segment = v.segment and x._partition = q.start_at
              and x._source_key = q.source_key) then 'changed'
          else 'added' end as kind
      from control.pending_correction q
      where q.dataset = ${shape.name} and q.start_at = ${start}::timestamptz
        and q."offset" > coalesce((${`{${contains.join(',')}}`}::bigint[])[q.shard + 1], 0)
      order by q.at, q.shard, q."offset", q.source_key limit ${LISTED}`,
  );
  return found.map((event) => ({ ...event, values: byColumn(shape, event.values) }));
}

function byColumn(
  { columns }: DatasetShape,
  values: readonly (string | null)[] | null,
): Record<string, string | null> | null {
  if (values === null) return null;
  return Object.fromEntries(columns.map(({ name }, i) => [name, values[i] ?? null]));
}
