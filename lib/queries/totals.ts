import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import type { PartitionFigures, RollupFn } from '@/lib/domain/correction';
import { compareDecimals, readDecimal, sumDecimals } from '@/lib/domain/decimal';
import { Gone, NotFound } from '@/lib/domain/refusal';
import { standingSql } from '@/lib/queries/corrections-standing';

/** How the parts of a metric become its whole. */
export interface Metric {
  name: string;
  fn: RollupFn;
}

export interface Span {
  from: string | null;
  to: string | null;
}

/** Exact text for each metric; null where there was no value to take it of. */
export type Totals = Record<string, string | null>;

export interface PartitionTotals {
  start: string;
  end: string;
  sealed: boolean;
  /** As served: of a sealed partition, as published. */
  metrics: Totals;
  /** With the sealed partition's last correction; null for a generation that is not in use. */
  asOfNow: Totals | null;
  corrections: number;
  pending: number;
}

export interface GenerationTotals {
  generation: { id: string; name: string };
  /** No partition changed since its figures were taken. */
  fresh: boolean;
  metrics: Totals;
  asOfNow: Totals | null;
  corrections: {
    /** Sealed partitions that have at least one. */
    partitions: number;
    /** Events that no correction contains yet. */
    pending: number;
  };
  perPartition: PartitionTotals[];
}

interface Part {
  id: string | null;
  name: string | null;
  state: string | null;
  inUse: boolean;
  start: string | null;
  end: string | null;
  partials: Totals | null;
  current: boolean | null;
  asOfNow: PartitionFigures | null;
  corrections: number | null;
  pending: number | null;
}

/**
 * A generation's rollups over the partitions that begin in [from, to), put together from the parts
 * that its partitions keep: never added to, always derived. The pointer, the map, the parts and the
 * corrections are read by one statement, so an answer is of one generation through and through,
 * whatever moves meanwhile. The ends lie on partition edges.
 *
 * @param generation by name; the one in use unless given
 * @throws NotFound where there is no such dataset, Gone where the generation was dropped
 */
export async function totalsOf(
  db: Database | Tx,
  input: {
    dataset: string;
    generation?: string | undefined;
    metrics: readonly Metric[];
    span: Span;
  },
): Promise<GenerationTotals> {
  const { dataset, generation, metrics, span } = input;
  const parts = await rows<Part>(
    db,
    sql`with chosen as (
        select g.id, g.name, g.state, coalesce(g.id = r.active_generation, false) as "inUse"
        from control.registry r
        left join control.generation g on g.dataset = r.dataset
          and ${generation === undefined ? sql`g.id = r.active_generation` : sql`g.name = ${generation}`}
        where r.dataset = ${dataset}
      ), mapped as (
        select s.start_at, s.end_at, s.partials, s.figures_version = s.version as current
        from chosen c
        join control.generation_range m on m.generation = c.id
        join control.segment_partition s on s.segment = m.segment and m.span @> s.start_at
        where (${span.from}::timestamptz is null or s.start_at >= ${span.from}::timestamptz)
          and (${span.to}::timestamptz is null or s.start_at < ${span.to}::timestamptz)
      ), sealed as (${standingSql(dataset, span)})
      select c.id, c.name, c.state, c."inUse", coalesce(p.start_at, s.start_at) as start,
        coalesce(p.end_at, s.end_at) as "end", p.partials, p.current, s."asOfNow", s.corrections,
        s.pending
      from chosen c
      left join (mapped p full join sealed s on s.start_at = p.start_at) on true
      order by 5`,
  );
  const [first] = parts;
  if (!first) throw new NotFound('dataset', dataset);
  if (first.id === null || first.name === null || first.state === 'retired') {
    throw new Gone('GENERATION_GONE');
  }
  const there = parts.filter((part) => part.start !== null);
  const served = there.map(({ partials }) => partials ?? {});
  const now = there.map(({ asOfNow, partials }) => asOfNow?.partials ?? partials ?? {});
  const whole = (all: readonly Totals[]) => wholeOf(metrics, all);
  const { inUse } = first;
  return {
    generation: { id: first.id, name: first.name },
    fresh: there.every(({ current }) => current !== false),
    metrics: whole(served),
    asOfNow: inUse ? whole(now) : null,
    corrections: {
      partitions: there.filter(({ corrections }) => (corrections ?? 0) > 0).length,
      pending: there.reduce((all, { pending }) => all + (pending ?? 0), 0),
    },
    perPartition: there.map((part, i) => ({
      start: part.start ?? '',
      end: part.end ?? '',
      sealed: part.asOfNow !== null,
      metrics: whole(served.slice(i, i + 1)),
      asOfNow: inUse ? whole(now.slice(i, i + 1)) : null,
      corrections: part.corrections ?? 0,
      pending: part.pending ?? 0,
    })),
  };
}

/** The whole of every metric from its parts; a part that has none of it adds nothing. */
export function wholeOf(metrics: readonly Metric[], parts: readonly Totals[]): Totals {
  return Object.fromEntries(
    metrics.map(({ name, fn }) => [
      name,
      whole(
        fn,
        parts.flatMap((part) => part[name] ?? []),
      ),
    ]),
  );
}

function whole(fn: RollupFn, values: readonly string[]): string | null {
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
