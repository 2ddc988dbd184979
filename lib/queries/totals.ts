import { type SQL, sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import type { RollupFn } from '@/lib/domain/correction';
import { compareDecimals, readDecimal, sumDecimals } from '@/lib/domain/decimal';
import { Gone, NotFound } from '@/lib/domain/refusal';
import { standingSetSql } from '@/lib/queries/corrections-standing';

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
  /** Of a sealed partition. */
  nowPartials: Totals | null;
  corrections: number | null;
  pending: number | null;
}

interface Asked {
  dataset: string;
  generation?: string | undefined;
  metrics: readonly Metric[];
  span: Span;
}

/** `chosen`, the generation; `mapped`, its partitions; `sealed`, those that were published. */
const partsSql = ({ dataset, generation, span }: Asked): SQL => sql`
  with chosen as (
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
  ), sealed as (${standingSetSql(dataset, span)})`;

interface Chosen {
  id: string;
  name: string;
  inUse: boolean;
}

function chosenOf(
  found: Pick<Part, 'id' | 'name' | 'state' | 'inUse'> | undefined,
  dataset: string,
): Chosen {
  if (!found) throw new NotFound('dataset', dataset);
  const { id, name, state, inUse } = found;
  if (id === null || name === null || state === 'retired') throw new Gone('GENERATION_GONE');
  return { id, name, inUse };
}

interface Whole extends Pick<Part, 'id' | 'name' | 'state' | 'inUse'> {
  fresh: boolean;
  /** By metric: the sum, or the values to choose from; null where there are none. */
  served: Record<string, string | string[] | null>;
  now: Record<string, string | string[] | null>;
  corrected: number;
  pending: number;
}

/**
 * The same without its parts: put together where they lie, since a year of hours has thousands of
 * them. Sums are exact either way.
 *
 * @throws NotFound, Gone as `totalsOf` does
 */
export async function wholeTotals(
  db: Database | Tx,
  input: Asked,
): Promise<Omit<GenerationTotals, 'perPartition'>> {
  const { metrics } = input;
  const found = await maybeOne<Whole>(
    db,
    sql`${partsSql(input)}
      select c.id, c.name, c.state, c."inUse", x.*
      from chosen c
      cross join lateral (
        select coalesce(bool_and(p.current), true) as fresh,
          ${gathered(metrics, sql`p.partials`)} as served,
          ${gathered(metrics, sql`coalesce(s.now_partials, p.partials)`)} as now,
          (count(*) filter (where s.corrections > 0))::int as corrected,
          coalesce(sum(s.pending), 0)::int as pending
        from mapped p full join sealed s on s.start_at = p.start_at
      ) x`,
  );
  const chosen = chosenOf(found ?? undefined, input.dataset);
  const { fresh, served, now, corrected, pending } = found as Whole;
  return {
    generation: { id: chosen.id, name: chosen.name },
    fresh,
    metrics: chosenFrom(metrics, served),
    asOfNow: chosen.inUse ? chosenFrom(metrics, now) : null,
    corrections: { partitions: corrected, pending },
  };
}

const addsUp = (fn: RollupFn) => fn === 'sum' || fn === 'count';

/** Of each metric the sum, or its distinct values: only `wholeOf` knows how to compare these. */
function gathered(metrics: readonly Metric[], partials: SQL): SQL {
  if (metrics.length === 0) return sql`'{}'::jsonb`;
  const each = metrics.map(({ name, fn }) => {
    const value = sql`${partials} ->> ${name}::text`;
    return addsUp(fn)
      ? sql`${name}::text, sum((${value})::numeric)::text`
      : sql`${name}::text, jsonb_agg(distinct ${value}) filter (where ${value} is not null)`;
  });
  return sql`jsonb_build_object(${sql.join(each, sql`, `)})`;
}

function chosenFrom(metrics: readonly Metric[], gathered: Whole['served']): Totals {
  return wholeOf(
    metrics,
    metrics.flatMap(({ name }) =>
      [gathered[name] ?? []].flat().map((value): Totals => ({ [name]: value })),
    ),
  );
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
export async function totalsOf(db: Database | Tx, input: Asked): Promise<GenerationTotals> {
  const { metrics } = input;
  const parts = await rows<Part>(
    db,
    sql`${partsSql(input)}
      select c.id, c.name, c.state, c."inUse", coalesce(p.start_at, s.start_at) as start,
        coalesce(p.end_at, s.end_at) as "end", p.partials, p.current,
        s.now_partials as "nowPartials", s.corrections, s.pending
      from chosen c
      left join (mapped p full join sealed s on s.start_at = p.start_at) on true
      order by 5`,
  );
  const [first] = parts;
  const chosen = chosenOf(first, input.dataset);
  const there = parts.filter((part) => part.start !== null);
  const served = there.map(({ partials }) => partials ?? {});
  const now = there.map(({ nowPartials, partials }) => nowPartials ?? partials ?? {});
  const whole = (all: readonly Totals[]) => wholeOf(metrics, all);
  const { inUse } = chosen;
  return {
    generation: { id: chosen.id, name: chosen.name },
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
      sealed: part.nowPartials !== null,
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
