import { type SQL, sql } from 'drizzle-orm';
import { array } from '@/lib/db/client';

/** The whole microseconds since 1970 of an instant, given as SQL: what partitions are named by. */
export const toMicros = (instant: string): SQL =>
  sql.raw(`(extract(epoch from ${instant}) * 1000000)::bigint`);

/** The instant of whole microseconds since 1970, given as SQL; exact, unlike `to_timestamp`. */
export const fromMicros = (micros: string): SQL =>
  sql.raw(`(timestamptz 'epoch' + ${micros} * interval '1 microsecond')`);

/** Partitions of segments as a relation `p (segment, start)`, `start` in microseconds. */
export function partList(parts: readonly { segment: string; start: bigint }[]): SQL {
  return sql`unnest(${array(
    parts.map((p) => p.segment),
    'bigint',
  )}, ${array(
    parts.map((p) => p.start),
    'bigint',
  )}) as p (segment, start)`;
}
