import { sql } from 'drizzle-orm';
import { one, type Tx } from '@/lib/db/client';
import { rowsTable, snapshotTable } from '@/lib/db/dataset-shape';
import { isDataError, pgError } from '@/lib/db/pg-error';
import type { Attempt } from '@/lib/db/statements/attempt';
import { asTransform, keySql, outputSql } from '@/lib/db/statements/evaluate';
import { loadMap } from '@/lib/db/statements/generation-map';
import { insertRows } from '@/lib/db/statements/rows';
import { columnSql, ident, partitionFiguresSql } from '@/lib/digest/row-encoding-sql';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { partitionKey } from '@/lib/domain/settle-partition';
import { sourceTimeOf } from '@/lib/services/apply/compiled';
import { decidePartitions } from '@/lib/services/apply/decide-partitions';
import { storeQuarantine } from '@/lib/services/apply/evaluate-keys';
import { FACTS, PART } from '@/lib/transform/compile';
import type { Counted } from './build-partition';
import type { ReleaseShape } from './release-shape';

/**
 * Builds one partition of a dataset of grain `partition` from all of its snapshot's facts: at once,
 * and where that errs or breaks a rule by the same code as live writing, which says what is wrong
 * and puts the whole partition into quarantine.
 */
export async function buildWholePartition(
  tx: Tx,
  shape: ReleaseShape,
  attempt: Attempt,
): Promise<Counted> {
  const { release, dataset } = shape;
  const table = snapshotTable(dataset.source.name);
  const time = columnSql('f', sourceTimeOf(dataset));
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
  const counted = { factsIn: BigInt(input.rows), filtered: 0n, inputRoot: input.root };
  if (counted.factsIn === 0n) return { ...counted, quarantined: 0n };
  if (await insertAtOnce(tx, shape, attempt)) return { ...counted, quarantined: 0n };

  const start = microsOf(attempt.start as Instant);
  const part = { start, end: microsOf(attempt.end as Instant) };
  const map = await loadMap(tx, release.generation);
  const decided = await decidePartitions(tx, dataset, map, [part], release.watermark);
  const outcome = decided.get(start);
  if (outcome?.kind === 'quarantine') {
    await storeQuarantine(tx, release.generation, [partitionKey(start)], [outcome.entry]);
    return { ...counted, quarantined: counted.factsIn };
  }
  const rows = outcome?.rows ?? [];
  await insertRows(
    tx,
    dataset,
    rows.map((row) => ({ ...row, segment: release.segment, start })),
  );
  return { ...counted, quarantined: 0n };
}

class Misplaced extends Error {}

/** One INSERT … SELECT under the transform's role; false, with nothing written, where it must not be. */
async function insertAtOnce(tx: Tx, shape: ReleaseShape, attempt: Attempt): Promise<boolean> {
  const { release, dataset } = shape;
  const names = dataset.columns.map((c) => ident(c.name)).join(', ');
  const values = dataset.columns.map((c) => columnSql('o', c.name)).join(', ');
  const table = sql.raw(rowsTable(dataset.name));
  const here = sql`${attempt.start}::timestamptz`;
  const [facts, part, start, upper] = [FACTS, PART.alias, PART.start, PART.upper].map((name) =>
    sql.raw(name),
  );
  try {
    await tx.transaction(async (inner) => {
      await asTransform(inner, (role) =>
        role.execute(sql`
          insert into ${table} (_segment, _partition, _key, _source_key, _revision, ${sql.raw(names)})
          select ${release.segment}, ${here}, ${sql.raw(keySql(dataset, 'o'))},
            ${partitionKey(microsOf(attempt.start as Instant))}, 0, ${sql.raw(values)}
          from (
            with ${facts} as (
              select f.* from ${sql.raw(snapshotTable(dataset.source.name))} f
              where f._snapshot = ${release.snapshot}
            )
            select ${sql.raw(outputSql(dataset, 't'))}
            from (select ${here} as ${start}, ${attempt.end}::timestamptz as ${upper}) as ${part}
            cross join lateral (${sql.raw(shape.new.lateral)}) t
          ) o`),
      );
      const time = sql.raw(columnSql('x', dataset.businessTime));
      const { misplaced } = await one<{ misplaced: boolean }>(
        inner,
        sql`select exists (select from ${table} x
            where x._segment = ${release.segment} and x._partition = ${here}
              and (${time} >= ${here} and ${time} < ${attempt.end}::timestamptz) is not true) as misplaced`,
      );
      if (misplaced) throw new Misplaced();
    });
    return true;
  } catch (error) {
    if (error instanceof Misplaced) return false;
    if (isDataError(error) && !pgError(error)?.code.startsWith('IL')) return false;
    throw error;
  }
}
