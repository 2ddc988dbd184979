import { type SQL, sql } from 'drizzle-orm';

/**
 * Whole seconds that the oldest event has waited that a generation has not applied; null if none.
 *
 * @param generation SQL of the generation's id
 * @param source SQL of the name of its source
 */
export const lagSql = (generation: SQL, source: SQL): SQL => sql`
  (select ceil(extract(epoch from clock_timestamp() - min(e.received_at)))::int
    from control.source_shard h
    join control.generation_progress p on p.generation = ${generation}
    join control.source_event e on e.source = h.source and e.shard = h.shard
      and e."offset" = p.offsets[h.shard + 1] + 1
    where h.source = ${source})`;
