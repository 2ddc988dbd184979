import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, loadDataset, rowsTable } from '@/lib/db/dataset-shape';
import { claimsBetween } from '@/lib/db/statements/claim';
import { standingMarksOf } from '@/lib/db/statements/contamination';
import { transaction } from '@/lib/db/transaction';
import { claimRanges } from '@/lib/domain/claims';
import { touchesMark } from '@/lib/domain/contamination';
import type { Instant } from '@/lib/domain/instant';
import { instantSchema } from '@/lib/domain/instant-schema';
import { datasetNameSchema } from '@/lib/domain/names';
import { type Partition, partitionsBetween } from '@/lib/domain/partition-plan';
import { NotFound } from '@/lib/domain/refusal';
import {
  type MissingWhy,
  needsSecondPerson,
  type RunQuestions,
  type RunState,
} from '@/lib/domain/runs';
import { parseInput } from '@/lib/domain/zod-issues';
import { partitionsOf } from '@/lib/services/claims/range';

export interface RangeOfRun {
  dataset: string;
  from: string;
  to: string;
}

const schema = z.strictObject({
  dataset: datasetNameSchema,
  from: instantSchema,
  to: instantSchema,
});

/**
 * What a person is told before a range is computed again: read from the tables, never typed.
 *
 * @throws NotFound, Invalid with the nearest edges
 */
export function runQuestions(db: Database, input: RangeOfRun): Promise<RunQuestions> {
  return transaction(db, async (tx) => {
    const range = parseInput(schema, input);
    const partitions = await partitionsOf(tx, range);
    return questionsOf(tx, range, partitions);
  });
}

/** The same of partitions that are known, for whoever asks in a transaction. */
export async function questionsOf(
  tx: Tx,
  range: { dataset: string; from: string; to: string },
  partitions: readonly Partition[],
): Promise<RunQuestions> {
  const dataset = await loadDataset(tx, range.dataset);
  if (!dataset) throw new NotFound('dataset', range.dataset);
  const starts: string[] = partitions.map((p) => p.start);
  const asked = new Set(starts);
  const of = <T extends { start: string }>(found: readonly T[]) =>
    found.filter(({ start }) => asked.has(start));
  const filled = await partitionsFilled(tx, dataset, range.to);
  const published = of(await publishedIn(tx, range));
  const sealed = new Set(published.map((p) => p.start));
  const missing = await missingBefore(tx, dataset, range.from, filled);
  return {
    dataset: dataset.name,
    range: { from: range.from, to: range.to },
    partitions: { count: starts.length, starts },
    overwritable: {
      replaced: starts.filter((start) => filled.has(start) && !sealed.has(start)).length,
      lastRun: await lastRunIn(tx, range),
    },
    published: {
      count: published.length,
      partitions: published,
      recipients: [...new Set(published.map((p) => p.sentTo))],
    },
    claimed: claimRanges(of(await claimsBetween(tx, range.dataset, range.from, range.to))).map(
      ({ since: _, ...claim }) => claim,
    ),
    contaminated: (await standingMarksOf(tx, dataset.name))
      .filter((mark) => touchesMark(range, mark))
      .map(({ id, from, to, reason, repairedBy }) => ({ id, from, to, reason, repairedBy })),
    earlierMissing: { count: missing.length, named: missing.slice(-mostNamed) },
    subscribersToTell: await recipientsOf(tx, dataset.name),
    subscribers: await subscribersOf(tx, dataset.name),
    secondPersonNeeded: needsSecondPerson(dataset.policy.runs, starts.length),
    secondPersonOver: dataset.policy.runs?.secondPersonOver ?? null,
  };
}

/** Missing partitions that are named: the last ones, which lie next to the range. */
const mostNamed = 5;
const mostRecipients = 100;

/** Starts of the partitions before `end` that hold rows in the generation in use. */
async function partitionsFilled(tx: Tx, dataset: DatasetShape, end: string): Promise<Set<string>> {
  const found = await rows<{ start: string }>(
    tx,
    sql`select s.start_at as start from control.registry g
      join control.generation_range r on r.generation = g.active_generation
      join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      where g.dataset = ${dataset.name} and s.start_at < ${end}::timestamptz
        and (s.rows > 0 or (s.figures_version <> s.version and exists (
          select from ${sql.raw(rowsTable(dataset.name))} x
          where x._segment = s.segment and x._partition = s.start_at)))
      order by s.start_at`,
  );
  return new Set(found.map(({ start }) => start));
}

function publishedIn(tx: Tx, { dataset, from, to }: RangeOfRun) {
  return rows<RunQuestions['published']['partitions'][number]>(
    tx,
    sql`select p.start_at as start, b.sent_to as "sentTo", b.document, b.at
      from control.published_partition p join control.publication b on b.id = p.publication
      where p.dataset = ${dataset} and p.start_at >= ${from}::timestamptz
        and p.start_at < ${to}::timestamptz
      order by p.start_at`,
  );
}

async function recipientsOf(tx: Tx, dataset: string): Promise<string[]> {
  const found = await rows<{ to: string }>(
    tx,
    sql`select distinct sent_to as "to" from control.publication where dataset = ${dataset}
      order by 1 limit ${mostRecipients}`,
  );
  return found.map(({ to }) => to);
}

async function subscribersOf(tx: Tx, dataset: string): Promise<string[]> {
  const found = await rows<{ name: string }>(
    tx,
    sql`select name from control.subscriber
      where ended_at is null and (dataset is null or dataset = ${dataset})
      order by name limit ${mostRecipients}`,
  );
  return found.map(({ name }) => name);
}

function lastRunIn(tx: Tx, { dataset, from, to }: RangeOfRun) {
  return maybeOne<{ id: string; state: RunState; at: string }>(
    tx,
    sql`select id, state, coalesce(ended_at, started_at, created_at) as at from control.run
      where dataset = ${dataset} and range_from < ${to}::timestamptz
        and range_to > ${from}::timestamptz
      order by id desc limit 1`,
  );
}

/**
 * Partitions from the dataset's first row up to the range that are not as they should be: without a
 * row, or with a newest run that failed there, or skipped them for a claim or a seal.
 */
async function missingBefore(
  tx: Tx,
  { name, zone, unit }: DatasetShape,
  from: string,
  filled: ReadonlySet<string>,
): Promise<{ start: string; why: MissingWhy }[]> {
  const [first] = filled;
  if (first === undefined || first >= from) return [];
  const unsettled = await rows<{ start: string; state: 'failed' | 'skipped' }>(
    tx,
    sql`select start, state from (
        select distinct on (p.start_at) p.start_at as start, p.state, p.reason
        from control.run r join control.run_partition p on p.run = r.id
        where r.dataset = ${name} and p.state <> 'planned'
          and p.start_at >= ${first}::timestamptz and p.start_at < ${from}::timestamptz
        order by p.start_at, r.id desc
      ) newest
      where state = 'failed' or (state = 'skipped' and reason not in ('no_data', 'sealed'))`,
  );
  const why = new Map(unsettled.map(({ start, state }) => [start, state]));
  return partitionsBetween(zone, unit, first as Instant, from as Instant).flatMap(({ start }) => {
    const found = why.get(start) ?? (filled.has(start) ? null : 'no_rows');
    return found === null ? [] : [{ start: start as string, why: found }];
  });
}
