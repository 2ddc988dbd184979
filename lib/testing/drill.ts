import { sql } from 'drizzle-orm';
import { type Database, one, rows } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { refreshFigures } from '@/lib/db/statements/figures';
import { aggregatesOf } from '@/lib/services/apply/aggregates';
import { advance } from '@/lib/services/steps/advance';
import type { DrillStepTime } from '@/lib/services/steps/drill-row';
import type { World } from '@/lib/testing/world';

export interface DrillSeen {
  id: string;
  fork: string;
  forkRelease: string;
  outcome: string | null;
  why: string | null;
  steps: DrillStepTime[];
  cutoverSeconds: number | null;
  rollbackSeconds: number | null;
  eventsReplayed: string | null;
  rowsCopied: string | null;
}

/** The newest drill of all. */
export function newestDrill(db: Database): Promise<DrillSeen> {
  return one(
    db,
    sql`select id, fork, fork_release as "forkRelease", outcome, why, steps,
        cutover_seconds as "cutoverSeconds", rollback_seconds as "rollbackSeconds",
        events_replayed as "eventsReplayed", rows_copied as "rowsCopied"
      from control.drill order by id desc limit 1`,
  );
}

/** Does what the runner would for the newest drill, until nothing of it is due. */
export async function runDrill(w: World): Promise<DrillSeen> {
  const { forkRelease } = await newestDrill(w.db);
  await advance(w.db, forkRelease, w.worker);
  return newestDrill(w.db);
}

/** Asks for a drill of a release and runs it. */
export async function drilled(w: World, release: string): Promise<DrillSeen> {
  await w.move('dee', 'drill', release);
  return runDrill(w);
}

/** What a drill may not change of production: pointer, epoch, and of each generation every root. */
export async function production(db: Database, dataset = 'order_tax') {
  const shape = await loadDataset(db, dataset);
  if (!shape) throw new Error(`there is no dataset ${dataset}`);
  const generations = await rows<{ id: string; name: string; state: string; offsets: string[] }>(
    db,
    sql`select g.id, g.name, g.state, p.offsets from control.generation g
      join control.generation_progress p on p.generation = g.id
      where g.dataset = ${dataset} order by g.id`,
  );
  const held = [];
  for (const { id, ...generation } of generations) {
    await refreshFigures(db, shape, await aggregatesOf(shape), id);
    const parts = await rows<{ start: string; rows: string; root: Buffer }>(
      db,
      sql`select s.start_at as start, s.rows, s.root from control.generation_range r
        join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
        where r.generation = ${id} and s.rows > 0 order by s.start_at`,
    );
    held.push({
      ...generation,
      parts: parts.map((p) => `${p.start} ${p.rows} ${p.root.toString('hex')}`),
    });
  }
  const registry = await one<Record<string, unknown>>(
    db,
    sql`select active_generation, epoch, state, sealer, barrier, rollback
      from control.registry where dataset = ${dataset}`,
  );
  return { registry, held };
}

/** What a drill leaves of its fork, which is nothing but records. */
export async function leftOf(db: Database, fork: string) {
  return one<Record<string, number>>(
    db,
    sql`select
        (select count(*)::int from control.registry where dataset = ${fork}) as registries,
        (select count(*)::int from control.generation_range r
          join control.generation g on g.id = r.generation where g.dataset = ${fork}) as ranges,
        (select count(*)::int from control.generation where dataset = ${fork} and state <> 'retired')
          as generations,
        (select count(*)::int from control.quarantine q
          join control.generation g on g.id = q.generation where g.dataset = ${fork}) as quarantined,
        (select count(*)::int from control.segment where dataset = ${fork} and deleted_at is null)
          as segments,
        (select count(*)::int from ds_order_tax.rows where _segment in (
          select id from control.segment where dataset = ${fork})) as rows,
        (select count(*)::int from ds_order_tax.rows x where not exists (
          select from control.generation_range r
          where r.segment = x._segment and r.span @> x._partition)) as "rowsWithoutMap",
        (select count(*)::int from control.segment_partition p
          join control.segment s on s.id = p.segment
          where not exists (select from control.generation_range r
            where r.segment = p.segment and r.span @> p.start_at)) as "partitionsWithoutMap"`,
  );
}

export const nothingLeft = {
  registries: 0,
  ranges: 0,
  generations: 0,
  quarantined: 0,
  segments: 0,
  rows: 0,
  rowsWithoutMap: 0,
  partitionsWithoutMap: 0,
};
