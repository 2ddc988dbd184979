import { sql } from 'drizzle-orm';
import { maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { rowsTable } from '@/lib/db/dataset-shape';
import { figuresOf, partitionRows, refreshFigures } from '@/lib/db/statements/figures';
import { quarantinedKeys } from '@/lib/db/statements/place';
import { formatDigest } from '@/lib/digest/canonical';
import { originOf } from '@/lib/domain/names';
import { partitionOfKey } from '@/lib/domain/settle-partition';
import {
  driftFound,
  quarantineFound,
  unacceptedDrift,
  unacceptedQuarantine,
} from '@/lib/services/release/acceptance-rules';
import { big, type Check, type PartitionFindings } from './checks-of-figures';
import type { CompiledSpec } from './compiled-spec';
import type { ReleaseShape } from './release-shape';

/** Planned partitions cover the range, each has one receipt, and the comparison saw each once. */
export async function partitionClosure(
  tx: Tx,
  { release }: ReleaseShape,
  compared: readonly PartitionFindings[],
): Promise<Check> {
  const found = await one<{ planned: number; receipts: number; gaps: number; foreign: number }>(
    tx,
    sql`with plan as (
        select p.*, lag(p.end_at) over (order by p.start_at) as before from control.release_partition p
        where p.release = ${release.id}
      )
      select count(*)::int as planned,
        (select count(*) from control.receipt where release = ${release.id})::int as receipts,
        (count(*) filter (where before is not null and before <> start_at))::int as gaps,
        (select count(*) from control.receipt c where c.release = ${release.id}
          and (c.release_digest <> ${release.digest} or c.transform <> ${release.newTransform}))::int as foreign
      from plan`,
  );
  const seen = new Set(compared.map((p) => p.start)).size;
  const passed =
    found.planned === found.receipts &&
    found.gaps === 0 &&
    found.foreign === 0 &&
    seen >= found.planned;
  return {
    name: 'partition_closure',
    passed,
    figure: `${found.receipts} of ${found.planned}, overlap 0, gaps ${found.gaps}`,
    expected: `${found.planned} of ${found.planned}, overlap 0, gaps 0`,
    detail: { ...found, compared: seen },
  };
}

export async function drift(tx: Tx, { release }: ReleaseShape, id: string): Promise<Check> {
  const found = await driftFound(tx, id, null);
  const open = await unacceptedDrift(tx, release, id);
  return {
    name: 'drift',
    passed: found.count === '0',
    accepted: open === '0',
    figure: found.count,
    expected: '0, or accepted by name',
    detail: { ...found, notAccepted: open },
  };
}

/**
 * A business key, and a source key, stands once in the whole generation that would be served. In a
 * rehearsal the old generation may be ahead: what its events since moved is not judged, since a row
 * that crossed the edge meanwhile stands on both sides.
 */
export async function duplicateKeys(tx: Tx, { release, dataset }: ReleaseShape): Promise<Check> {
  const table = sql.raw(rowsTable(dataset.name));
  const found = await one<{ inside: string; outside: string; source: string }>(
    tx,
    sql`with moving as materialized (
        select distinct e.key
        from control.generation_progress n, control.generation_progress o,
          unnest(n.offsets, o.offsets) with ordinality as s (after, upto, n)
        join control.source_event e on e.source = ${dataset.source.name} and e.shard = s.n - 1
          and e."offset" > s.after and e."offset" <= s.upto and e.effective
        where n.generation = ${release.generation} and o.generation = ${release.oldGeneration}
      ),
      mine as (
        select _key, _source_key from ${table} where _segment = ${release.segment}
          and _source_key not in (select key from moving)
      ),
      inherited as (
        select x._key, x._source_key from control.generation_range r
        join ${table} x on x._segment = r.segment
          and x._partition >= coalesce(lower(r.span), '-infinity')
          and x._partition < coalesce(upper(r.span), 'infinity')
        where r.generation = ${release.oldGeneration}
          and (x._partition < ${release.rangeFrom}::timestamptz
            or (${release.rangeTo}::timestamptz is not null and x._partition >= ${release.rangeTo}::timestamptz))
          and x._source_key not in (select key from moving)
          -- what was published stays, also where its fact has moved to an open partition since
          and not exists (select from control.published_partition p
            where p.dataset = ${originOf(dataset.name)} and p.start_at = x._partition)
      )
      select (select count(*) from (select 1 from mine group by _key having count(*) > 1) d) as inside,
        (select count(*) from mine m where exists (select from inherited i where i._key = m._key)) as outside,
        (select count(*) from mine m where exists (select from inherited i where i._source_key = m._source_key)) as source`,
  );
  const total = BigInt(found.inside) + BigInt(found.outside) + BigInt(found.source);
  return {
    name: 'duplicate_keys',
    passed: total === 0n,
    figure: String(total),
    expected: '0',
    detail: found,
  };
}

/**
 * Roots computed again from the rows, against those that are kept. A rehearsal recomputes every
 * partition of the candidate; the final run those that changed since. What it carries over from an
 * earlier final run, whose process may have died of just what it found, it recomputes too.
 */
export async function roots(
  tx: Tx,
  { release, dataset }: ReleaseShape,
  spec: CompiledSpec,
  partitions: readonly PartitionFindings[],
  kind: 'rehearsal' | 'final',
): Promise<Check> {
  await refreshFigures(tx, dataset, spec.datasetAggregates, release.generation, {
    from: release.rangeFrom,
    to: release.rangeTo,
  });
  const due = kind === 'rehearsal' ? partitions : partitions.filter((p) => !p.rehearsed);
  const wrong: string[] = [];
  for (const { start } of due) {
    const kept = await maybeOne<{ root: Buffer; version: string; receipt: string | null }>(
      tx,
      sql`select s.root, s.version, c.output_root as receipt from control.segment_partition s
        left join control.receipt c on c.release = ${release.id} and c.start_at = s.start_at
        where s.segment = ${release.segment} and s.start_at = ${start}`,
    );
    if (!kept) continue;
    const again = await figuresOf(
      tx,
      dataset,
      spec.datasetAggregates,
      partitionRows(dataset, release.segment, start),
    );
    if (!again.root.equals(kept.root)) wrong.push(start);
    // untouched by catch-up: it must still be what its receipt says
    if (kept.version === '1' && kept.receipt !== formatDigest(again.root)) wrong.push(start);
  }
  const carried = partitions.length - due.length;
  const rest = carried === 0 ? '' : `, ${carried} unchanged since the rehearsal`;
  return {
    name: 'roots',
    passed: wrong.length === 0,
    figure: `${due.length - wrong.length} of ${due.length} recomputed equal${rest}`,
    expected: `${due.length} of ${due.length} recomputed equal${rest}`,
    detail: { wrong: wrong.slice(0, 20) },
  };
}

/** Row counts per bucket, kept figures against the rows that the comparison saw. */
export async function bucketCounts(
  tx: Tx,
  { release, dataset }: ReleaseShape,
  partitions: readonly PartitionFindings[],
): Promise<Check> {
  const found = await rows<{ start: string; kept: string }>(
    tx,
    sql`select s.start_at as start, (select coalesce(sum(b), 0) from unnest(s.bucket_rows) b) as kept
      from control.segment_partition s where s.segment = ${release.segment}`,
  );
  const kept = new Map(found.map((f) => [f.start, BigInt(f.kept)]));
  const quarantined =
    dataset.grain === 'partition'
      ? await rowsInQuarantine(tx, release.generation, kept)
      : (
          await one<{ count: string }>(
            tx,
            sql`select count(*) as count from control.quarantine where generation = ${release.generation}`,
          )
        ).count;
  // rows that stay for quarantined keys are held, and compared by nobody
  const off = partitions.filter((p) => (kept.get(p.start) ?? 0n) - BigInt(p.newRows) < 0n);
  const surplus = partitions.reduce(
    (sum, p) => sum + (kept.get(p.start) ?? 0n) - BigInt(p.newRows),
    0n,
  );
  return {
    name: 'row_count_buckets',
    passed: off.length === 0 && surplus <= BigInt(quarantined),
    figure: `${big(partitions.map((p) => p.newRows))} rows compared, ${surplus} more held`,
    expected: `at most ${quarantined} more held, for quarantined keys`,
    detail: { off: off.map((p) => p.start).slice(0, 20) },
  };
}

/** Rows that partitions in quarantine hold: there it is whole partitions that nobody compares. */
async function rowsInQuarantine(
  tx: Tx,
  generation: string,
  kept: ReadonlyMap<string, bigint>,
): Promise<string> {
  const starts = (await quarantinedKeys(tx, generation)).map(partitionOfKey);
  return String(
    starts.reduce((sum, start) => sum + (start === null ? 0n : (kept.get(start) ?? 0n)), 0n),
  );
}

export async function quarantined(tx: Tx, { release }: ReleaseShape): Promise<Check> {
  const found = await quarantineFound(tx, release.generation);
  const open = await unacceptedQuarantine(tx, release);
  return {
    name: 'quarantine',
    passed: found.count === '0',
    accepted: open === '0',
    figure: found.count,
    expected: '0, or accepted by name',
    detail: { ...found, notAccepted: open },
  };
}
