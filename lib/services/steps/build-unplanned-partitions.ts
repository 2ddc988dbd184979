import { sql } from 'drizzle-orm';
import { rows, type Tx } from '@/lib/db/client';
import { rowsTable, snapshotTable } from '@/lib/db/dataset-shape';
import { locatePartitions } from '@/lib/db/statements/calendar';
import { loadMap } from '@/lib/db/statements/generation-map';
import { insertRows, markTouched } from '@/lib/db/statements/rows';
import { columnSql } from '@/lib/digest/row-encoding-sql';
import type { Quarantined } from '@/lib/domain/settle';
import { factKey, type Interval, partitionKey } from '@/lib/domain/settle-partition';
import { sourceTimeOf } from '@/lib/services/apply/compiled';
import { decidePartitions } from '@/lib/services/apply/decide-partitions';
import { storeQuarantine } from '@/lib/services/apply/evaluate-keys';
import type { ReleaseShape } from './release-shape';

/** So many are computed in one statement. */
const atOnce = 64;

/**
 * What `buildUnplanned` does for a dataset of grain `partition`: facts without a place go into
 * quarantine, each by itself; and where the range is open the partitions behind the plan are
 * computed, whole.
 *
 * @param end the end of the last planned partition in microseconds; null where the range is not open
 */
export async function buildUnplannedPartitions(
  tx: Tx,
  shape: ReleaseShape,
  end: bigint | null,
): Promise<void> {
  const { release, dataset } = shape;
  const placeless = await factsWithoutPlace(tx, shape);
  const quarantine: Quarantined[] = [...placeless];
  const keys = placeless.map((entry) => entry.sourceKey);
  const parts = end === null ? [] : await partitionsBehind(tx, shape, end);
  const map = await loadMap(tx, release.generation);
  if (end !== null) {
    await tx.execute(sql`
      delete from ${sql.raw(rowsTable(dataset.name))} where _segment = ${release.segment}
        and _partition >= timestamptz 'epoch' + ${String(end)}::bigint * interval '1 microsecond'`);
  }
  for (let i = 0; i < parts.length; i += atOnce) {
    const some = parts.slice(i, i + atOnce);
    const decided = await decidePartitions(tx, dataset, map, some, release.watermark);
    keys.push(...some.map(({ start }) => partitionKey(start)));
    const written = some.flatMap((part) => {
      const outcome = decided.get(part.start);
      if (outcome?.kind === 'quarantine') quarantine.push(outcome.entry);
      return outcome?.kind === 'rows' && outcome.rows.length > 0
        ? [{ ...part, rows: outcome.rows }]
        : [];
    });
    await insertRows(
      tx,
      dataset,
      written.flatMap(({ start, rows: list }) =>
        list.map((row) => ({ ...row, segment: release.segment, start })),
      ),
    );
    await markTouched(
      tx,
      written.map(({ start, end: upper }) => ({
        segment: release.segment,
        start,
        end: upper,
        buckets: '1'.repeat(64),
      })),
    );
  }
  await storeQuarantine(tx, release.generation, keys, quarantine);
}

/** Facts whose time is NULL, infinite, or beyond the calendar's years. */
async function factsWithoutPlace(
  tx: Tx,
  { release, dataset }: ReleaseShape,
): Promise<Quarantined[]> {
  const column = sourceTimeOf(dataset);
  const time = sql.raw(columnSql('f', column));
  // near the calendar's ends the planner says which side a fact is on
  const found = await rows<{ key: string; micros: string | null }>(
    tx,
    sql`select f._source_key as key, case when isfinite(${time})
          then (extract(epoch from ${time}) * 1000000)::bigint end as micros
      from ${sql.raw(snapshotTable(dataset.source.name))} f
      where f._snapshot = ${release.snapshot} and (${time} is null
        or ${time} < timestamptz '1900-03-01T00:00:00Z' or ${time} >= timestamptz '2199-11-01T00:00:00Z')
      order by f._source_key`,
  );
  const instants = found.flatMap(({ micros }) => (micros === null ? [] : [BigInt(micros)]));
  const located = await locatePartitions(tx, dataset, instants);
  return found
    .filter(({ micros }) => micros === null || !located.has(BigInt(micros)))
    .map(({ key, micros }) => ({
      sourceKey: factKey(key),
      code: 'NULL_TIME',
      error:
        micros === null
          ? `${column} is NULL or infinite`
          : `${column} is outside the years 1900 to 2200`,
      wantedKey: null,
      micros: null,
    }));
}

async function partitionsBehind(
  tx: Tx,
  { release, dataset }: ReleaseShape,
  end: bigint,
): Promise<Interval[]> {
  const time = sql.raw(columnSql('f', sourceTimeOf(dataset)));
  const found = await rows<{ micros: string }>(
    tx,
    sql`select distinct (extract(epoch from ${time}) * 1000000)::bigint as micros
      from ${sql.raw(snapshotTable(dataset.source.name))} f
      where f._snapshot = ${release.snapshot} and ${time} < 'infinity'
        and ${time} >= timestamptz 'epoch' + ${String(end)}::bigint * interval '1 microsecond'`,
  );
  const located = await locatePartitions(
    tx,
    dataset,
    found.map(({ micros }) => BigInt(micros)),
  );
  const byStart = new Map([...located.values()].map((part) => [part.start, part]));
  return [...byStart.values()].sort((a, b) => (a.start < b.start ? -1 : 1));
}
