import { sql } from 'drizzle-orm';
import { array, one, rows, type Tx } from '@/lib/db/client';
import { snapshotTable } from '@/lib/db/dataset-shape';
import type { Attempt } from '@/lib/db/statements/attempt';
import { loadMap } from '@/lib/db/statements/generation-map';
import { insertRows } from '@/lib/db/statements/rows';
import { columnSql, partitionFiguresSql } from '@/lib/digest/row-encoding-sql';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { locate, type MapRange } from '@/lib/domain/range-map';
import { type Evaluated, type Outcome, settle } from '@/lib/domain/settle';
import { evaluateKeys, storeQuarantine } from '@/lib/services/apply/evaluate-keys';
import type { Counted } from './build-partition';
import type { ReleaseShape } from './release-shape';

const pageSize = 1000;

/**
 * Builds a partition by the same code as live writing: every fact evaluated under all transforms of
 * the map, then settled together. Used where something errs or collides, and where the business
 * time is computed: then any fact may land here, so all of them are looked at.
 */
export async function buildRowByRow(
  tx: Tx,
  shape: ReleaseShape,
  attempt: Attempt,
): Promise<Counted> {
  const { release, dataset, sourceTime } = shape;
  const span = { from: microsOf(attempt.start as Instant), to: microsOf(attempt.end as Instant) };
  const here = (micros: bigint | null) =>
    micros !== null && span.from <= micros && micros < span.to;

  const map = await loadMap(tx, release.generation);
  const evaluated: Evaluated[] = [];
  const sourcePlace = new Map<string, bigint | null>();
  for await (const page of factPages(tx, shape, attempt)) {
    for (const fact of page) sourcePlace.set(fact.key, fact.micros);
    evaluated.push(
      ...(await evaluateKeys(
        tx,
        dataset,
        map,
        page.map((f) => f.key),
        release.watermark,
      )),
    );
  }
  // Without a source time nothing places a fact that has no row: the first partition answers for it.
  const homeless = sourceTime === null && attempt.start === release.rangeFrom;
  const from = (key: string) => homeless || here(sourcePlace.get(key) ?? null);
  const settled = settle(map, evaluated);
  const write = settled.write.filter((row) => here(row.micros));
  const quarantine = settled.quarantine.filter((q) =>
    q.micros === null ? from(q.sourceKey) : here(q.micros),
  );
  const outside = outsideKeys(map, evaluated);
  const filtered = settled.gone.filter((key) => from(key) && !outside.has(key));

  await insertRows(
    tx,
    dataset,
    write.map((row) => ({ ...row, segment: release.segment, start: span.from })),
  );
  await storeQuarantine(
    tx,
    release.generation,
    quarantine.map((q) => q.sourceKey),
    quarantine,
  );
  const keys = [
    ...write.map((row) => row.sourceKey),
    ...quarantine.map((q) => q.sourceKey),
    ...filtered,
  ];
  const inputRoot = await rootOfFacts(tx, shape, keys);
  return {
    factsIn: BigInt(keys.length),
    filtered: BigInt(filtered.length),
    quarantined: BigInt(quarantine.length),
    inputRoot,
  };
}

/** Keys without a row here because a transform puts it outside the range: the old generation's. */
function outsideKeys(map: readonly MapRange[], evaluated: readonly Evaluated[]): Set<string> {
  const outside = (outcome: Outcome) =>
    outcome.kind === 'row' &&
    outcome.micros !== null &&
    locate(map, outcome.micros).segment === null;
  return new Set(
    evaluated
      .filter((e) => e.outcomes !== 'gone' && [...e.outcomes.values()].some(outside))
      .map((e) => e.sourceKey),
  );
}

async function* factPages(tx: Tx, shape: ReleaseShape, attempt: Attempt) {
  const { release, dataset, placedBySource, sourceTime } = shape;
  const time = sourceTime === null ? 'null' : columnSql('f', sourceTime);
  const filter = placedBySource
    ? sql`and ${sql.raw(time)} >= ${attempt.start}::timestamptz and ${sql.raw(time)} < ${attempt.end}::timestamptz`
    : sql``;
  for (let after = ''; ; ) {
    const page = await rows<{ key: string; micros: string | null }>(
      tx,
      sql`select f._source_key as key,
          case when isfinite(${sql.raw(time)}::timestamptz)
            then (extract(epoch from ${sql.raw(time)}::timestamptz) * 1000000)::bigint end as micros
        from ${sql.raw(snapshotTable(dataset.source.name))} f
        where f._snapshot = ${release.snapshot} and f._source_key > ${after} ${filter}
        order by f._source_key limit ${pageSize}`,
    );
    if (page.length === 0) return;
    yield page.map((f) => ({ key: f.key, micros: f.micros === null ? null : BigInt(f.micros) }));
    after = page.at(-1)?.key ?? '';
  }
}

async function rootOfFacts(tx: Tx, shape: ReleaseShape, keys: readonly string[]) {
  const { release, dataset } = shape;
  const statement = partitionFiguresSql({
    alias: 'f',
    from: `${snapshotTable(dataset.source.name)} f`,
    where: `f._snapshot = ${Number(release.snapshot)} and f._source_key = any(`,
    keySql: 'f._source_key',
    columns: dataset.source.columns,
  });
  const [head, tail] = statement.split('= any(') as [string, string];
  const { root } = await one<{ root: Buffer }>(
    tx,
    sql`${sql.raw(`${head}= any(`)}${array(keys, 'text')})${sql.raw(tail)}`,
  );
  return root;
}
