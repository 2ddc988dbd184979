import { sql } from 'drizzle-orm';
import { array, rows, type Tx } from '@/lib/db/client';
import type { Chunk, FactsSide, Rule } from '@/lib/db/statements/compare-sides';
import type { Fact } from '@/lib/db/statements/facts';
import { loadMap } from '@/lib/db/statements/generation-map';
import { quarantinedKeys } from '@/lib/db/statements/place';
import { logReachesBack, readProgress } from '@/lib/db/statements/progress';
import { sealedAmong } from '@/lib/db/statements/sealed';
import { type Instant, instantOf, microsOf } from '@/lib/domain/instant';
import { locate, type MapRange } from '@/lib/domain/range-map';
import { Refused, toFix } from '@/lib/domain/refusal';
import { compiled } from '@/lib/services/apply/compiled';
import type { ReleaseShape } from './release-shape';

/** One partition of the comparison, with the versions of both sides that it would be made of. */
export interface ComparedPartition {
  start: string;
  end: string;
  /** Rows that are likely on the larger side: what chunks are cut by. */
  weight: number;
  oldSegment: string | null;
  oldVersion: string | null;
  newVersion: string | null;
}

const mostRows = 20_000;
const mostPartitions = 64;

/**
 * The partitions that are compared: the frozen plan, and where the range is open whatever either
 * side holds beyond it, in order, with the versions that stand now.
 */
export async function comparedPartitions(
  tx: Tx,
  shape: ReleaseShape,
): Promise<ComparedPartition[]> {
  const { release } = shape;
  return rows<ComparedPartition>(
    tx,
    sql`with planned as (
        select start_at, end_at from control.release_partition where release = ${release.id}
        union
        select s.start_at, s.end_at from control.segment_partition s where s.segment = ${release.segment}
        union
        select s.start_at, s.end_at from control.generation_range r
        join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
        where r.generation = ${release.oldGeneration} and s.start_at >= ${release.rangeFrom}::timestamptz
          and (${release.rangeTo}::timestamptz is null or s.start_at < ${release.rangeTo}::timestamptz)
      )
      select p.start_at as start, p.end_at as "end",
        greatest(coalesce(o.rows, 0), coalesce(n.rows, 0))::int as weight,
        r.segment as "oldSegment", o.version as "oldVersion", n.version as "newVersion"
      from planned p
      left join control.generation_range r
        on r.generation = ${release.oldGeneration} and r.span @> p.start_at
      left join control.segment_partition o on o.segment = r.segment and o.start_at = p.start_at
      left join control.segment_partition n on n.segment = ${release.segment} and n.start_at = p.start_at
      order by p.start_at`,
  );
}

/** Cuts partitions into runs under one old transform, of bounded rows. */
export function cutChunks<P extends ComparedPartition>(
  partitions: readonly P[],
  oldMap: readonly MapRange[],
): P[][] {
  const chunks: P[][] = [];
  let weight = 0;
  let transform = '';
  for (const partition of partitions) {
    const current = chunks.at(-1);
    const last = current?.at(-1);
    const under = locate(oldMap, microsOf(partition.start as Instant)).transform;
    const fits =
      current !== undefined &&
      last?.end === partition.start &&
      under === transform &&
      current.length < mostPartitions &&
      weight + partition.weight <= mostRows;
    if (fits) {
      current.push(partition);
      weight += partition.weight;
    } else {
      chunks.push([partition]);
      weight = partition.weight;
      transform = under;
    }
  }
  return chunks;
}

/**
 * What a chunk is compared from, as it stands in the caller's snapshot of the database.
 *
 * @throws Refused SNAPSHOT_EXPIRED where the log was pruned above the release's watermark, as it may
 *   be once the release was cut over or has ended
 */
export async function readChunk(
  tx: Tx,
  shape: ReleaseShape,
  partitions: readonly { start: string; end: string }[],
  rules: readonly Rule[],
): Promise<Chunk & { oldProgress: string[]; newProgress: string[] }> {
  const { release, dataset } = shape;
  if (!(await logReachesBack(tx, dataset.source.name, release.watermark))) {
    throw new Refused(
      toFix(
        'SNAPSHOT_EXPIRED',
        `The log of ${dataset.source.name} was pruned above the snapshot of ${release.name}@${release.revision}: its rows cannot be compared any more; the counts and samples are kept.`,
      ),
    );
  }
  const oldMap = await loadMap(tx, release.oldGeneration);
  const at = microsOf((partitions[0]?.start ?? release.rangeFrom) as Instant);
  const old = await compiled(tx, dataset, locate(oldMap, at).transform);
  const oldProgress = await readProgress(tx, release.oldGeneration);
  const newProgress = await readProgress(tx, release.generation);
  const starts = partitions.map((p) => microsOf(p.start as Instant));
  return {
    partitions,
    oldLateral: old.lateral,
    newLateral: shape.new.lateral,
    snapshot: release.snapshot,
    segment: release.segment,
    oldMap,
    timeColumn: shape.placedBySource ? shape.sourceTime : null,
    oldFacts: await readOverlay(tx, shape, oldProgress),
    newFacts: await readOverlay(tx, shape, newProgress),
    controlErrors: [],
    oldQuarantine: await quarantinedKeys(tx, release.oldGeneration),
    newQuarantine: await quarantinedKeys(tx, release.generation),
    sealed: [...(await sealedAmong(tx, dataset.name, starts)).keys()].map(instantOf),
    rules,
    oldProgress,
    newProgress,
  };
}

/** Keys with effective events since the snapshot, up to a progress, and the newest fact of each. */
async function readOverlay(
  tx: Tx,
  shape: ReleaseShape,
  progress: readonly string[],
): Promise<FactsSide> {
  const found = await rows<{ key: string; revision: string; op: string; payload: never }>(
    tx,
    sql`select distinct on (e.key) e.key, e.revision, e.op, e.payload
      from unnest(${array(shape.release.watermark, 'bigint')}, ${array(progress, 'bigint')})
        with ordinality as s (after, upto, n)
      join control.source_event e on e.source = ${shape.dataset.source.name} and e.shard = s.n - 1
        and e."offset" > s.after and e."offset" <= s.upto and e.effective
      order by e.key, e.revision desc`,
  );
  return {
    overlayKeys: found.map((f) => f.key),
    overlay: found
      .filter((f) => f.op === 'upsert')
      .map((f): Fact => ({ key: f.key, revision: f.revision, payload: f.payload })),
  };
}
