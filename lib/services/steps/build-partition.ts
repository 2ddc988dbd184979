import { sql } from 'drizzle-orm';
import { type Database, json, maybeOne, one, type Tx } from '@/lib/db/client';
import { rowsTable, snapshotTable } from '@/lib/db/dataset-shape';
import { isDataError, pgError } from '@/lib/db/pg-error';
import {
  type Attempt,
  holdPartition,
  noteBackend,
  settleAttempt,
} from '@/lib/db/statements/attempt';
import { asTransform, keySql, outputSql } from '@/lib/db/statements/evaluate';
import {
  type DatasetAggregates,
  type Figures,
  figuresOf,
  partitionRows,
  storeFigures,
} from '@/lib/db/statements/figures';
import { reached } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { formatDigest } from '@/lib/digest/canonical';
import { columnSql, ident, partitionFiguresSql } from '@/lib/digest/row-encoding-sql';
import { aggregatesOf } from '@/lib/services/apply/aggregates';
import { buildRowByRow } from './build-row-by-row';
import { buildWholePartition } from './build-whole-partition';
import { loadReleaseShape, type ReleaseShape } from './release-shape';

export type BuildOutcome =
  | { kind: 'accepted'; rows: string }
  /** A receipt stood already; the partition was computed again without writing, and agrees. */
  | { kind: 'verified' }
  /** A receipt stood already, and the partition comes to other roots now. */
  | { kind: 'conflict'; why: string }
  /** The attempt had lost its partition: nothing was written. */
  | { kind: 'stale' };

/** Facts of one partition by what became of them; in grain `row` they add up. */
export interface Counted {
  factsIn: bigint;
  filtered: bigint;
  quarantined: bigint;
  inputRoot: Buffer;
}

/**
 * Builds one partition in one transaction: rows, figures, roots and receipt together, or nothing.
 * The token is checked under the partition's lock, and again where the attempt is settled.
 *
 * @throws what PostgreSQL said, where it is not a row's fault; the caller settles the attempt
 */
export async function buildPartition(db: Database, attempt: Attempt): Promise<BuildOutcome> {
  const shape = await loadReleaseShape(db, attempt.release);
  const aggregates = await aggregatesOf(shape.dataset);
  return transaction(
    db,
    async (tx): Promise<BuildOutcome> => {
      const { pid } = await one<{ pid: number }>(tx, sql`select pg_backend_pid() as pid`);
      await noteBackend(db, attempt, pid);
      if (!(await holdPartition(tx, attempt))) return { kind: 'stale' };
      const receipt = await maybeOne<{ inputRoot: string; outputRoot: string }>(
        tx,
        sql`select input_root as "inputRoot", output_root as "outputRoot" from control.receipt
          where release = ${attempt.release} and start_at = ${attempt.start}`,
      );
      if (receipt) return verify(tx, shape, aggregates, attempt, receipt);
      return build(tx, shape, aggregates, attempt);
    },
    { statementTimeoutMs: 300_000, retries: 2 },
  );
}

async function build(
  tx: Tx,
  shape: ReleaseShape,
  aggregates: DatasetAggregates,
  attempt: Attempt,
): Promise<BuildOutcome> {
  const { release, dataset } = shape;
  const mine = partitionRows(dataset, release.segment, attempt.start);
  await tx.execute(sql.raw(`delete from ${mine.from} where ${mine.where}`));
  const counted = await writeRows(tx, shape, attempt);
  await reached('build.rows-written');
  const figures = await figuresOf(tx, dataset, aggregates, mine);
  const rowsOut = BigInt(figures.rows);
  const added = rowsOut + counted.filtered + counted.quarantined;
  // in grain partition a row is made of many facts
  if (dataset.grain === 'row' && counted.factsIn !== added) {
    throw new Error(
      `${counted.factsIn} facts became ${rowsOut} rows, ${counted.filtered} filtered and ${counted.quarantined} quarantined: they do not add up`,
    );
  }
  const sampled = rowsOut > 0n && !(await hasSample(tx, release.id));
  if (sampled) {
    const other = await rootsOf(tx, shape, aggregates, attempt, OTHER_SETTINGS);
    if (other.outputRoot !== formatDigest(figures.root)) {
      await tx.execute(sql.raw(`delete from ${mine.from} where ${mine.where}`));
      const why = `partition ${attempt.start} comes to ${formatDigest(figures.root)}, and under other session settings to ${other.outputRoot}: the transform is not deterministic`;
      await settleAttempt(tx, attempt, 'failed', why);
      return { kind: 'conflict', why };
    }
  }
  await storeFigures(tx, { ...attempt, segment: release.segment }, figures, '1');
  await writeReceipt(tx, shape, attempt, counted, figures, sampled);
  await reached('build.receipt-written');
  if (!(await settleAttempt(tx, attempt, 'accepted', null))) {
    throw new Error('the attempt lost its partition between lock and settling');
  }
  return { kind: 'accepted', rows: figures.rows };
}

async function writeRows(tx: Tx, shape: ReleaseShape, attempt: Attempt): Promise<Counted> {
  if (shape.dataset.grain === 'partition') return buildWholePartition(tx, shape, attempt);
  return (await insertAtOnce(tx, shape, attempt)) ?? (await buildRowByRow(tx, shape, attempt));
}

/**
 * One INSERT … SELECT under the transform's role, for the usual case: both transforms copy the
 * business time from one source column, and nothing errs or collides. Null: build it row by row.
 */
async function insertAtOnce(
  tx: Tx,
  shape: ReleaseShape,
  attempt: Attempt,
): Promise<Counted | null> {
  const { release, dataset, placedBySource, sourceTime } = shape;
  if (!placedBySource || sourceTime === null) return null;
  const table = snapshotTable(dataset.source.name);
  const time = columnSql('f', sourceTime);
  const facts = sql`${sql.raw(table)} f where f._snapshot = ${release.snapshot}
    and ${sql.raw(time)} >= ${attempt.start}::timestamptz and ${sql.raw(time)} < ${attempt.end}::timestamptz`;
  const names = dataset.columns.map((c) => ident(c.name)).join(', ');
  try {
    await asTransform(tx, (inner) =>
      inner.execute(sql`
        insert into ${sql.raw(rowsTable(dataset.name))}
          (_segment, _partition, _key, _source_key, _revision, ${sql.raw(names)})
        select ${release.segment}, ${attempt.start}::timestamptz, ${sql.raw(keySql(dataset, 'o'))},
          o._source_key, o._revision, ${sql.raw(dataset.columns.map((c) => columnSql('o', c.name)).join(', '))}
        from (
          select f._source_key, f._revision, ${sql.raw(outputSql(dataset, 't'))}
          from (select f.* from ${facts}) f
          cross join lateral (${sql.raw(shape.new.lateral)}) t
        ) o`),
    );
  } catch (error) {
    // a key that is NULL or there twice, a value that errs: the row's fault, found one by one
    if (isDataError(error) && !pgError(error)?.code.startsWith('IL')) return null;
    throw error;
  }
  const filtered = shape.new.filters
    ? await asTransform(tx, (inner) =>
        one<{ n: string }>(
          inner,
          sql`select count(*) as n from (select f.* from ${facts}) f
            where not exists (select from (${sql.raw(shape.new.lateral)}) t)`,
        ),
      )
    : { n: '0' };
  const input = await one<{ rows: string; root: Buffer }>(
    tx,
    sql.raw(
      partitionFiguresSql({
        alias: 'f',
        from: `${table} f`,
        where: `f._snapshot = ${Number(release.snapshot)} and ${time} >= timestamptz '${attempt.start}' and ${time} < timestamptz '${attempt.end}'`,
        keySql: 'f._source_key',
        columns: dataset.source.columns,
      }),
    ),
  );
  return {
    factsIn: BigInt(input.rows),
    filtered: BigInt(filtered.n),
    quarantined: 0n,
    inputRoot: input.root,
  };
}

async function writeReceipt(
  tx: Tx,
  shape: ReleaseShape,
  attempt: Attempt,
  counted: Counted,
  figures: Figures,
  sampled: boolean,
): Promise<void> {
  const { release } = shape;
  await tx.execute(sql`
    insert into control.receipt (release, start_at, end_at, attempt, token, release_digest, transform,
      input_root, output_root, facts_in, rows_out, filtered, quarantined, sums, sampled)
    values (${release.id}, ${attempt.start}, ${attempt.end}, ${attempt.attempt}, ${attempt.token},
      ${release.digest}, ${release.newTransform}, ${formatDigest(counted.inputRoot)},
      ${formatDigest(figures.root)}, ${String(counted.factsIn)}, ${figures.rows},
      ${String(counted.filtered)}, ${String(counted.quarantined)}, ${json(figures.sums)}, ${sampled})`);
}

/** The roots that a partition comes to when it is built, with nothing of that left behind. */
async function rootsOf(
  tx: Tx,
  shape: ReleaseShape,
  aggregates: DatasetAggregates,
  attempt: Attempt,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ inputRoot: string; outputRoot: string }> {
  const undo = new Error('undo');
  let roots = { inputRoot: '', outputRoot: '' };
  const mine = partitionRows(shape.dataset, shape.release.segment, attempt.start);
  try {
    await tx.transaction(async (inner) => {
      for (const [name, value] of Object.entries(settings)) {
        await inner.execute(sql`select set_config(${name}, ${value}, true)`);
      }
      await inner.execute(sql.raw(`delete from ${mine.from} where ${mine.where}`));
      const counted = await writeRows(inner, shape, attempt);
      const figures = await figuresOf(inner, shape.dataset, aggregates, mine);
      roots = {
        inputRoot: formatDigest(counted.inputRoot),
        outputRoot: formatDigest(figures.root),
      };
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  return roots;
}

/** What a session may be set to elsewhere, and what no transform may depend on. */
const OTHER_SETTINGS = {
  TimeZone: 'Asia/Kathmandu',
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'sql_standard',
  enable_hashjoin: 'off',
  enable_sort: 'off',
};

/**
 * Of each release the first partition that has rows is computed once more under other settings. A
 * transform that passes the allow-list cannot depend on them; this shows it on the release's facts.
 */
async function hasSample(tx: Tx, release: string): Promise<boolean> {
  const sample = await maybeOne(
    tx,
    sql`select 1 from control.receipt where release = ${release} and sampled limit 1`,
  );
  return sample !== null;
}

/**
 * A partition that has its receipt is not written again: catch-up may have changed it since. It is
 * computed in a savepoint that is rolled back, and only its roots are compared.
 */
async function verify(
  tx: Tx,
  shape: ReleaseShape,
  aggregates: DatasetAggregates,
  attempt: Attempt,
  receipt: { inputRoot: string; outputRoot: string },
): Promise<BuildOutcome> {
  const roots = await rootsOf(tx, shape, aggregates, attempt);
  if (roots.inputRoot === receipt.inputRoot && roots.outputRoot === receipt.outputRoot) {
    await settleAttempt(tx, attempt, 'verified', null);
    return { kind: 'verified' };
  }
  const why = `partition ${attempt.start} has a receipt for ${receipt.outputRoot}, built again it comes to ${roots.outputRoot}`;
  await settleAttempt(tx, attempt, 'failed', why);
  return { kind: 'conflict', why };
}
