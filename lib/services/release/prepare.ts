import { sql } from 'drizzle-orm';
import { type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { transaction } from '@/lib/db/transaction';
import { digestOf } from '@/lib/digest/canonical';
import { compareInstants, type Instant, microsOf } from '@/lib/domain/instant';
import { checkRange, type Partition, partitionsBetween } from '@/lib/domain/partition-plan';
import { locate, type MapRange } from '@/lib/domain/range-map';
import { type Blocker, Invalid, type Issue, issueOf, NotFound, toFix } from '@/lib/domain/refusal';
import type { ReleaseSpec } from '@/lib/domain/release';
import { unknownColumns } from '@/lib/domain/release-freeze';
import { checkedTransform } from '@/lib/services/apply/compiled';
import { prepareTransform } from '@/lib/services/dataset/check-transform';
import { compileExpressions } from '@/lib/services/steps/compiled-spec';

/**
 * What the input itself can be judged by, when a draft is kept: its range against the dataset's
 * partitions, its transform and its expressions against the dataset's columns.
 *
 * @throws Invalid with every fault at its pointer
 */
export async function checkSpec(db: Database | Tx, spec: ReleaseSpec): Promise<DatasetShape> {
  const dataset = await loadDataset(db, spec.dataset);
  if (!dataset) {
    throw new Invalid({
      pointer: '/dataset',
      code: 'NOT_FOUND',
      message: `There is no dataset ${spec.dataset}.`,
    });
  }
  const issues: Issue[] = [
    ...checkRange(dataset.zone, dataset.unit, spec.range).map(issueOf),
    ...unknownColumns(spec, dataset.columns),
  ];
  if (typeof spec.transform.new === 'string') {
    const known = await maybeOne(
      db,
      sql`select 1 from control.transform where digest = ${spec.transform.new}`,
    );
    if (!known) {
      issues.push({
        pointer: '/transform/new',
        code: 'TRANSFORM_INVALID',
        message: 'There is no transform of this digest; give its sql.',
      });
    }
  } else {
    issues.push(...(await issuesOf(checkNew(db, dataset, spec.transform.new.sql))));
  }
  issues.push(...(await issuesOf(compileExpressions(spec, dataset))));
  if (issues.length > 0) throw new Invalid(issues);
  return dataset;
}

async function checkNew(db: Database | Tx, dataset: DatasetShape, text: string): Promise<void> {
  const transform = await checkedTransform(text, dataset, '/transform/new/sql');
  // what is not grouped by, only PostgreSQL says
  if (dataset.grain === 'row') return;
  const prepare = (tx: Tx) => prepareTransform(tx, dataset, transform, '/transform/new/sql');
  await ('close' in db ? transaction(db, prepare) : prepare(db));
}

async function issuesOf(promise: Promise<unknown>): Promise<readonly Issue[]> {
  try {
    await promise;
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.issues;
    throw error;
  }
}

export interface Plan {
  partitions: Partition[];
  digest: string;
}

/**
 * The exact partitions that a pin would freeze now. An open range goes through the last partition
 * that holds a row of the generation in use; what comes later comes by catch-up.
 */
export async function planOf(
  tx: Database | Tx,
  dataset: DatasetShape,
  range: ReleaseSpec['range'],
  active: string | null,
): Promise<Plan> {
  const to = range.to === 'open' ? await lastEdge(tx, active, range.from) : range.to;
  const partitions =
    to === null || compareInstants(range.from, to) >= 0
      ? []
      : partitionsBetween(dataset.zone, dataset.unit, range.from, to);
  const digest = digestOf('interlock.plan.v1', {
    zone: dataset.zone,
    unit: dataset.unit,
    range,
    partitions: partitions.map((p) => [p.start, p.end]),
  });
  return { partitions, digest };
}

async function lastEdge(
  tx: Database | Tx,
  active: string | null,
  from: Instant,
): Promise<Instant | null> {
  if (active === null) return null;
  const { last } = await one<{ last: string | null }>(
    tx,
    sql`select max(s.end_at) as last from control.generation_range r
      join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      where r.generation = ${active} and s.end_at > ${from}::timestamptz`,
  );
  return last as Instant | null;
}

/** Other releases that are under way over part of the same range of the same dataset. */
export async function overlapBlockers(
  tx: Database | Tx,
  dataset: string,
  range: ReleaseSpec['range'],
  self: string | null,
): Promise<Blocker[]> {
  const found = await rows<{ name: string; revision: number; state: string }>(
    tx,
    sql`select name, revision, state from control.release
      where dataset = ${dataset} and id is distinct from ${self}::bigint
        and (state in ('SNAPSHOT_PINNED', 'BUILDING', 'INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILED', 'APPROVED')
          or (state = 'RECONCILIATION_REQUIRED'
            and not exists (select from control.cutover c where c.release = release.id)))
        and tstzrange(range_from, range_to)
          && tstzrange(${range.from}::timestamptz, ${range.to === 'open' ? null : range.to}::timestamptz)
      order by id`,
  );
  return found.map((other) =>
    toFix(
      'RELEASE_OVERLAP',
      `${other.name}@${other.revision} is ${other.state} over part of this range.`,
      {
        link: `/releases/${other.name}@${other.revision}`,
        current: `${other.name}@${other.revision}`,
      },
    ),
  );
}

/**
 * The transform that the old generation has over a range: the one of its newest part, where an
 * earlier release made only some of it. The control takes each partition's own.
 */
export function oldTransformOf(map: readonly MapRange[], partitions: readonly Partition[]): string {
  const last = partitions.at(-1)?.start;
  return locate(map, last === undefined ? 0n : microsOf(last)).transform;
}

export async function activeOf(tx: Database | Tx, dataset: string): Promise<string | null> {
  const found = await maybeOne<{ active: string | null }>(
    tx,
    sql`select active_generation as active from control.registry where dataset = ${dataset}`,
  );
  if (!found) throw new NotFound('dataset', dataset);
  return found.active;
}

/** How many facts and rows a plan touches, as far as figures that are kept can say. */
export async function estimate(
  tx: Database | Tx,
  active: string | null,
  partitions: readonly Partition[],
): Promise<{ rows: string; partitionsWithRows: number }> {
  const first = partitions[0]?.start;
  const end = partitions.at(-1)?.end;
  if (active === null || first === undefined || end === undefined)
    return { rows: '0', partitionsWithRows: 0 };
  return one(
    tx,
    sql`select coalesce(sum(s.rows), 0) as rows, count(*)::int as "partitionsWithRows"
      from control.generation_range r
      join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      where r.generation = ${active} and s.start_at >= ${first}::timestamptz and s.start_at < ${end}::timestamptz
        and s.rows > 0`,
  );
}
