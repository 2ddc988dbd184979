import { sql } from 'drizzle-orm';
import { type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { rowsTable, snapshotTable } from '@/lib/db/dataset-shape';
import { locatePartitions } from '@/lib/db/statements/calendar';
import { loadMap, lockGeneration } from '@/lib/db/statements/generation-map';
import { lockProgress, sameOffsets } from '@/lib/db/statements/progress';
import { insertRows, markTouched } from '@/lib/db/statements/rows';
import { transaction } from '@/lib/db/transaction';
import { columnSql } from '@/lib/digest/row-encoding-sql';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { type Evaluated, type Quarantined, type RowToWrite, settle } from '@/lib/domain/settle';
import { evaluateKeys, storeQuarantine } from '@/lib/services/apply/evaluate-keys';
import { buildUnplannedPartitions } from './build-unplanned-partitions';
import type { ReleaseShape } from './release-shape';

const pageSize = 1000;

/**
 * Does what no partition's job would: quarantines facts without a time, which belong to no
 * partition, and where the range is open builds what lies behind the plan. The plan ends with the
 * last row of the old generation, but a fact behind it that the old transform filtered or could not
 * compute is below the watermark, so that catch-up would never meet it either.
 *
 * For the time before catch-up; harmless when done again.
 */
export async function buildUnplanned(db: Database, shape: ReleaseShape): Promise<void> {
  const { release } = shape;
  await transaction(db, async (tx) => {
    await lockGeneration(tx, release.generation);
    const progress = await lockProgress(tx, release.generation);
    const begun = await maybeOne(
      tx,
      sql`select 1 from control.generation g where g.id = ${release.generation} and g.state <> 'candidate'
        union all select 1 from control.receipt where release = ${release.id} limit 1`,
    );
    if (begun || !progress || !sameOffsets(progress, release.watermark)) return;
    await build(tx, shape);
  });
}

async function build(tx: Tx, shape: ReleaseShape): Promise<void> {
  const { release } = shape;
  const end = release.rangeTo === null ? await planEnd(tx, release.id) : null;
  if (shape.dataset.grain === 'partition') return buildUnplannedPartitions(tx, shape, end);
  const behind = (micros: bigint | null) => end !== null && micros !== null && micros >= end;
  const map = await loadMap(tx, release.generation);
  const evaluated: Evaluated[] = [];
  const untimed = new Set<string>();
  for await (const page of factPages(tx, shape, end)) {
    for (const fact of page) if (fact.untimed) untimed.add(fact.key);
    const keys = page.map((fact) => fact.key);
    evaluated.push(...(await evaluateKeys(tx, shape.dataset, map, keys, release.watermark)));
  }
  if (evaluated.length === 0) return;
  const settled = settle(map, evaluated);
  const outside = await write(
    tx,
    shape,
    end,
    settled.write.filter((row) => behind(row.micros)),
  );
  const quarantine = settled.quarantine.filter((q) =>
    q.micros === null ? untimed.has(q.sourceKey) : behind(q.micros),
  );
  const entries = [...quarantine, ...outside];
  const keys = entries.map((entry) => entry.sourceKey);
  await storeQuarantine(tx, release.generation, keys, entries);
}

/** The end of the last planned partition, in microseconds. */
async function planEnd(tx: Tx, release: string): Promise<bigint> {
  const { end } = await one<{ end: string }>(
    tx,
    sql`select max(end_at) as "end" from control.release_partition where release = ${release}`,
  );
  return microsOf(end as Instant);
}

/** Facts without a time; with an end also those that may land behind it. */
async function* factPages(
  tx: Tx,
  { release, dataset, placedBySource, sourceTime }: ReleaseShape,
  end: bigint | null,
) {
  if (sourceTime === null && end === null) return;
  const time = sourceTime === null ? 'null::timestamptz' : columnSql('f', sourceTime);
  // the borders of time are values of the index, a function of it would not be
  const untimed = sql.raw(`(${time} is null or ${time} in ('infinity', '-infinity'))`);
  const late =
    end === null
      ? sql`false`
      : placedBySource
        ? sql`${sql.raw(time)} >= timestamptz 'epoch' + ${String(end)}::bigint * interval '1 microsecond'`
        : sql`true`;
  for (let after = ''; ; ) {
    const page = await rows<{ key: string; untimed: boolean }>(
      tx,
      sql`select f._source_key as key, ${sourceTime === null ? sql`false` : untimed} as untimed
        from ${sql.raw(snapshotTable(dataset.source.name))} f
        where f._snapshot = ${release.snapshot} and f._source_key > ${after} and (${untimed} or ${late})
        order by f._source_key limit ${pageSize}`,
    );
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)?.key ?? '';
  }
}

/** Writes rows behind the plan as catch-up would; answers those that the calendar does not reach. */
async function write(
  tx: Tx,
  { release, dataset }: ReleaseShape,
  end: bigint | null,
  found: readonly RowToWrite[],
): Promise<Quarantined[]> {
  if (end === null) return [];
  await tx.execute(sql`
    delete from ${sql.raw(rowsTable(dataset.name))} where _segment = ${release.segment}
      and _partition >= timestamptz 'epoch' + ${String(end)}::bigint * interval '1 microsecond'`);
  const partitions = await locatePartitions(
    tx,
    dataset,
    found.map((row) => row.micros),
  );
  const placed = found.flatMap((row) => {
    const partition = partitions.get(row.micros);
    return partition ? [{ ...row, ...partition, segment: release.segment }] : [];
  });
  await insertRows(tx, dataset, placed);
  const touched = new Map(placed.map((row) => [row.start, row]));
  await markTouched(
    tx,
    [...touched.values()].map(({ segment, start, end: until }) => ({
      segment,
      start,
      end: until,
      buckets: '1'.repeat(64),
    })),
  );
  return found
    .filter((row) => !partitions.has(row.micros))
    .map((row) => ({
      sourceKey: row.sourceKey,
      code: 'NULL_TIME',
      error: 'the business time is outside the years 1900 to 2200',
      wantedKey: row.key,
      micros: null,
    }));
}
