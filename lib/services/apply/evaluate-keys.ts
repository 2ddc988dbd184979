import { sql } from 'drizzle-orm';
import { array, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { evaluate } from '@/lib/db/statements/evaluate';
import { type Fact, factsOfKeys } from '@/lib/db/statements/facts';
import { type Instant, microsOf } from '@/lib/domain/instant';
import type { MapRange } from '@/lib/domain/range-map';
import type { Evaluated, Outcome, Quarantined } from '@/lib/domain/settle';
import { type Compiled, compiled, placingOf } from './compiled';

/** What each transform of the map makes of the newest facts of some keys. */
export async function evaluateKeys(
  tx: Tx,
  dataset: DatasetShape,
  map: readonly MapRange[],
  keys: readonly string[],
  watermark: readonly string[],
): Promise<Evaluated[]> {
  const facts = await factsOfKeys(tx, dataset.source, keys, watermark);
  const living = facts.filter((fact) => fact.payload !== null);
  const byTransform = new Map<string, Map<string, Outcome>>();
  const transforms: Compiled[] = [];
  for (const digest of new Set(map.map((range) => range.transform))) {
    const transform = await compiled(tx, dataset, digest);
    transforms.push(transform);
    byTransform.set(digest, await evaluate(tx, dataset, transform.lateral, living));
  }
  const { column } = placingOf(dataset, transforms);
  const byKey = new Map(living.map((fact) => [fact.key, fact]));
  return keys.map((sourceKey) => {
    const fact = byKey.get(sourceKey);
    if (fact === undefined) return { sourceKey, revision: '0', outcomes: 'gone' };
    const outcomes = new Map<string, Outcome>();
    for (const [digest, all] of byTransform) {
      outcomes.set(digest, all.get(sourceKey) ?? { kind: 'filtered' });
    }
    return { sourceKey, revision: fact.revision, outcomes, home: homeOf(fact, column) };
  });
}

function homeOf(fact: Fact, column: string | null): bigint | null {
  const text = column === null ? null : fact.payload?.[column];
  return typeof text === 'string' ? microsOf(text as Instant) : null;
}

/** Replaces the quarantine of the group's keys; `since` of one that stays is kept. */
export async function storeQuarantine(
  tx: Tx,
  generation: string,
  keys: readonly string[],
  entries: readonly Quarantined[],
): Promise<void> {
  await tx.execute(sql`
    delete from control.quarantine where generation = ${generation}
      and source_key = any(${array(keys, 'text')})
      and source_key <> all(${array(
        entries.map((e) => e.sourceKey),
        'text',
      )})`);
  if (entries.length === 0) return;
  await tx.execute(sql`
    insert into control.quarantine (generation, source_key, code, error, wanted_key, business_time)
    select ${generation}, e.source_key, e.code, e.error, e.wanted_key,
      timestamptz 'epoch' + e.micros * interval '1 microsecond'
    from unnest(${array(
      entries.map((e) => e.sourceKey),
      'text',
    )}, ${array(
      entries.map((e) => e.code),
      'text',
    )},
      ${array(
        entries.map((e) => e.error.slice(0, 500)),
        'text',
      )}, ${array(
        entries.map((e) => e.wantedKey),
        'text',
      )},
      ${array(
        entries.map((e) => e.micros),
        'bigint',
      )}) as e (source_key, code, error, wanted_key, micros)
    on conflict (generation, source_key) do update
      set code = excluded.code, error = excluded.error, wanted_key = excluded.wanted_key,
        business_time = excluded.business_time`);
}
