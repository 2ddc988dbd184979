import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { compareDecimals, readDecimal, sumDecimals } from '@/lib/domain/decimal';

/** How the parts of a metric become its whole. */
export interface Metric {
  name: string;
  fn: 'sum' | 'count' | 'min' | 'max';
}

export interface Span {
  from: string | null;
  to: string | null;
}

/**
 * A generation's rollups over [from, to), put together from the parts that its partitions keep:
 * never added to, always derived. The figures must be fresh, and the ends lie on partition edges.
 *
 * @returns exact text for each metric; null where there was no value to take it of
 */
export async function rollupOf(
  db: Database | Tx,
  generation: string,
  metrics: readonly Metric[],
  { from, to }: Span,
): Promise<Record<string, string | null>> {
  const parts = await rows<{ partials: Record<string, string | null> }>(
    db,
    sql`select s.partials from control.generation_range r
      join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      where r.generation = ${generation}
        and (${from}::timestamptz is null or s.start_at >= ${from}::timestamptz)
        and (${to}::timestamptz is null or s.start_at < ${to}::timestamptz)`,
  );
  return Object.fromEntries(
    metrics.map(({ name, fn }) => {
      const values = parts.flatMap(({ partials }) => partials[name] ?? []);
      return [name, whole(fn, values)];
    }),
  );
}

function whole(fn: Metric['fn'], values: readonly string[]): string | null {
  if (fn === 'count') return sumDecimals(values);
  if (values.length === 0) return null;
  if (fn === 'sum') return sumDecimals(values);
  const wanted = fn === 'min' ? -1 : 1;
  return values.reduce((best, value) => (compare(value, best) === wanted ? value : best));
}

/** Numbers as numbers; everything else is text that sorts as it should (ISO times, bytes). */
function compare(a: string, b: string): -1 | 0 | 1 {
  const numbers = [a, b].every(
    (text) => readDecimal(text) !== null || /^-?(NaN|Infinity)$/.test(text),
  );
  if (numbers) return compareDecimals(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}
