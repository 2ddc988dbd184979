import { type SQL, sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import type { RunPolicy } from '@/lib/domain/dataset';
import { type Gap, gapOf, type Held, type RunOutcome } from '@/lib/domain/gaps';
import { addSeconds, compareInstants, type Instant } from '@/lib/domain/instant';
import {
  CALENDAR_FIRST,
  isInCalendar,
  type Partition,
  type PartitionUnit,
  partitionAt,
  partitionsBetween,
} from '@/lib/domain/partition-plan';
import { NotFound } from '@/lib/domain/refusal';

/** A partition of a dataset and everything that is known to stand in it. Counts are exact text. */
export interface CalendarPartition extends Held {
  start: Instant;
  end: Instant;
  sealed: boolean;
  /** Of a sealed one: which publication sealed it, and what moved since. */
  seal: { publication: string; pending: number; corrections: number } | null;
  claimedBy: string | null;
  /** The newest run that took it, or is about to. */
  run: { id: string; state: RunOutcome; reason: string | null; at: string | null } | null;
  gap: Gap | null;
}

export interface DatasetCalendar {
  name: string;
  zone: string;
  unit: PartitionUnit;
  now: string;
  /** When partitions are run by the clock; null where nothing is. */
  cron: string | null;
  activeGeneration: string | null;
  /** Whether missing rows are told as gaps: somebody computes this dataset by run, or publishes it. */
  watched: boolean;
  /** In order of time, without a hole between them. */
  partitions: CalendarPartition[];
  /** Whether earlier partitions were left out for their number. */
  cut: boolean;
}

/** Earlier partitions than the newest so many are shown only where they are asked for. */
const MOST = 60_000;
/** After the last partition with anything in it so many empty ones are shown at most. */
export const LONGEST_TAIL = 100;

/** No unit is shorter, months are not longer. */
export const SECONDS: Record<PartitionUnit, number> = {
  hour: 3600,
  day: 86_400,
  week: 7 * 86_400,
  month: 31 * 86_400,
};

export interface Head {
  name: string;
  zone: string;
  unit: PartitionUnit;
  policy: { runs?: RunPolicy };
  now: Instant;
  active: string | null;
  activeGeneration: string | null;
  watched: boolean;
  /** Of the scheduled runs: the first partition that one took, and how far they came. */
  dueFrom: Instant | null;
  dueTo: Instant | null;
}

export const heads = (condition: SQL) => sql`
  select d.name, d.timezone as zone, d.partition as unit, d.policy, clock_timestamp() as now,
    r.active_generation as active, g.name as "activeGeneration",
    d.policy #>> '{runs,cron}' is not null
      or exists (select from control.run u where u.dataset = d.name)
      or exists (select from control.publication p where p.dataset = d.name) as watched,
    s."dueFrom", s."dueTo"
  from control.dataset d
  join control.registry r on r.dataset = d.name
  left join control.generation g on g.id = r.active_generation
  left join lateral (
    select min(u.range_from) as "dueFrom", max(u.range_to) as "dueTo" from control.run u
    where u.dataset = d.name and u.kind = 'scheduled' and u.state <> 'cancelled'
  ) s on true
  where ${condition}`;

/** Where to look: half-open, whole partitions; without ends all that there is. */
export interface CalendarWindow {
  from?: Instant | undefined;
  to?: Instant | undefined;
}

/**
 * Every partition of a dataset with what it holds, from the first that holds anything to the one
 * under way.
 *
 * A gap is a whole past partition that holds no rows and is not sealed; and, where the dataset is
 * run by a schedule, one since the first scheduled run for which the newest run is missing, failed,
 * or was skipped for a claim (`lib/domain/gaps`). A schedule that takes n partitions at a time has
 * until n more are whole, since it may come that seldom.
 *
 * A dataset whose stream has ended is not late. Without a schedule, partitions after the last one
 * with anything in it are listed only while they are fewer than those before it, and at most
 * `LONGEST_TAIL`; with one they all are, and are gaps from the first scheduled run on. Nobody
 * promised more.
 *
 * Five set-based statements and the planner, whatever the number of partitions.
 *
 * @throws NotFound
 */
export async function datasetCalendar(
  db: Database | Tx,
  name: string,
  window: CalendarWindow = {},
): Promise<DatasetCalendar> {
  const head = await maybeOne<Head>(db, heads(sql`d.name = ${name} and d.fork_of is null`));
  if (!head) throw new NotFound('dataset', name);
  const found = await everythingIn(db, head, window);
  const claims = await rows<{ start: Instant; owner: string }>(
    db,
    sql`select start_at as start, owner from control.claim
      where dataset = ${name} and ${within(sql`start_at`, window)}`,
  );
  const moved = await movedSince(db, name, window);
  const claimed = new Map(claims.map(({ start, owner }) => [start, owner]));
  const { planned, cut } = plan(head, window, [found.rows, found.seals, found.runs, claimed]);
  return {
    name: head.name,
    zone: head.zone,
    unit: head.unit,
    now: head.now,
    cron: cronOf(head),
    activeGeneration: head.activeGeneration,
    watched: head.watched,
    cut,
    partitions: assemble(head, planned, found, expectedOf(head, planned, found)).map(
      (partition) => {
        const publication = found.seals.get(partition.start);
        const { pending = 0, corrections = 0 } = moved.get(partition.start) ?? {};
        return {
          ...partition,
          seal: publication === undefined ? null : { publication, pending, corrections },
          claimedBy: claimed.get(partition.start) ?? null,
        };
      },
    ),
  };
}

export const cronOf = ({ policy }: Head): string | null => policy.runs?.cron ?? null;

function within(column: SQL, window: CalendarWindow | readonly CalendarWindow[]): SQL {
  const windows = [window].flat();
  return sql`(${sql.join(
    windows.map((one) => inWindow(column, one)),
    sql` or `,
  )})`;
}

function inWindow(column: SQL, { from, to }: CalendarWindow): SQL {
  const conditions = [sql`true`];
  if (from !== undefined) conditions.push(sql`${column} >= ${from}`);
  if (to !== undefined) conditions.push(sql`${column} < ${to}`);
  return sql.join(conditions, sql` and `);
}

export interface Found {
  /** By start; null where the figures are older than the rows. Partitions without rows are left out. */
  rows: Map<Instant, string | null>;
  seals: Map<Instant, string>;
  runs: Map<Instant, NonNullable<CalendarPartition['run']>>;
}

export async function everythingIn(
  db: Database | Tx,
  { name, active }: Head,
  window: CalendarWindow | readonly CalendarWindow[],
): Promise<Found> {
  const held = await rows<{ start: Instant; rows: string | null }>(
    db,
    sql`select s.start_at as start, case when s.figures_version = s.version then s.rows end as rows
      from control.generation_range m
      join control.segment_partition s on s.segment = m.segment and m.span @> s.start_at
      where m.generation = ${active} and not (s.figures_version = s.version and s.rows = 0)
        and ${within(sql`s.start_at`, window)}`,
  );
  const seals = await rows<{ start: Instant; publication: string }>(
    db,
    sql`select start_at as start, publication from control.published_partition
      where dataset = ${name} and ${within(sql`start_at`, window)}`,
  );
  // of a run that failed as a whole, what it did not come to has failed with it
  const runs = await rows<NonNullable<CalendarPartition['run']> & { start: Instant }>(
    db,
    sql`select distinct on (p.start_at) p.start_at as start, p.run as id, p.at,
        case when p.state = 'planned' and r.state = 'failed' then 'failed' else p.state end as state,
        coalesce(p.reason, case when r.state = 'failed' then r.why end) as reason
      from control.run r join control.run_partition p on p.run = r.id
      where r.dataset = ${name} and r.state <> 'second_person'
        and (p.state <> 'planned' or r.state in ('planned', 'running', 'failed'))
        and ${within(sql`p.start_at`, window)}
      order by p.start_at, r.id desc`,
  );
  return {
    rows: new Map(held.map((one) => [one.start, one.rows])),
    seals: new Map(seals.map((one) => [one.start, one.publication])),
    runs: new Map(runs.map(({ start, ...run }) => [start, run])),
  };
}

/** What moved in sealed partitions: events that no correction contains yet, and corrections. */
async function movedSince(
  db: Database | Tx,
  name: string,
  window: CalendarWindow,
): Promise<Map<string, { pending: number; corrections: number }>> {
  const found = await rows<{ start: string; pending: number; corrections: number }>(
    db,
    sql`with sealed as (
        select s.start_at, coalesce(c.progress, s.progress) as progress, coalesce(c.n, 0) as n
        from control.published_partition s
        left join (
          select distinct on (start_at) start_at, progress, count(*) over (partition by start_at) as n
          from control.correction where dataset = ${name} order by start_at, id desc
        ) c on c.start_at = s.start_at
        where s.dataset = ${name} and ${within(sql`s.start_at`, window)}
      ), waiting as (
        select p.start_at, count(*) as n from control.pending_correction p
        join sealed s on s.start_at = p.start_at
        where p.dataset = ${name} and p."offset" > s.progress[p.shard + 1]
        group by p.start_at
      )
      select s.start_at as start, coalesce(w.n, 0)::int as pending, s.n::int as corrections
      from sealed s left join waiting w on w.start_at = s.start_at
      where w.n > 0 or s.n > 0`,
  );
  return new Map(found.map(({ start, ...counts }) => [start, counts]));
}

/** Which partitions there are: from the first that anything stands in to the one under way. */
function plan(
  head: Head,
  window: CalendarWindow,
  things: readonly ReadonlyMap<Instant, unknown>[],
): { planned: Partition[]; cut: boolean } {
  const { zone, unit, now } = head;
  const current = partitionAt(zone, unit, now);
  let first: Instant | null = null;
  let last: Instant | null = null;
  for (const starts of things) {
    for (const start of starts.keys()) {
      if (!isInCalendar(start) || compareInstants(start, now) > 0) continue;
      if (first === null || compareInstants(start, first) < 0) first = start;
      if (last === null || compareInstants(start, last) > 0) last = start;
    }
  }
  if (current === null || first === null || last === null) return { planned: [], cut: false };
  const earliest = earliestShown(unit, now);
  const cut = window.from === undefined && compareInstants(first, earliest) < 0;
  const from = window.from ?? (cut ? earliest : first);
  if (compareInstants(from, last) > 0 && window.to === undefined) return { planned: [], cut };
  const end = window.to ?? current.end;
  const planned = partitionsBetween(
    zone,
    unit,
    from,
    compareInstants(end, current.end) > 0 ? current.end : end,
  );
  if (window.to !== undefined || cronOf(head) !== null) return { planned, cut };
  const before = planned.findIndex(({ start }) => start === last) + 1;
  const tail = planned.length - before;
  return {
    planned: tail > LONGEST_TAIL || tail > before ? planned.slice(0, before) : planned,
    cut,
  };
}

/** Where a calendar begins that would hold more than can be drawn. */
export function earliestShown(unit: PartitionUnit, now: Instant): Instant {
  const seconds = MOST * SECONDS[unit];
  // years before 1900 have no partition, and instants none before the year 1
  if (seconds > 126 * 365 * 86_400) return CALENDAR_FIRST;
  return addSeconds(now, -seconds);
}

/** What is expected of a dataset's partitions, whichever of them are looked at. */
export interface Expected {
  /** From which one on rows are expected; null where nothing is. */
  since: Instant | null;
  /** The last that holds rows or was published: before it nothing should be missing. */
  last: Instant | null;
  /** Up to where the schedule should have come by now; null where there is none. */
  dueTo: Instant | null;
}

/** @param partitions to make of what was found, in order of time */
export function assemble(
  { now, dueFrom }: Head,
  partitions: readonly Partition[],
  found: Found,
  { since, last, dueTo }: Expected,
): Omit<CalendarPartition, 'seal' | 'claimedBy'>[] {
  return partitions.map(({ start, end }) => {
    const rows = found.rows.get(start);
    const held: Held & Pick<CalendarPartition, 'run'> = {
      whole: compareInstants(end, now) <= 0,
      rows: rows === undefined ? '0' : rows,
      sealed: found.seals.has(start),
      run: found.runs.get(start) ?? null,
      promised:
        (last !== null && compareInstants(start, last) < 0) ||
        (since !== null && compareInstants(since, start) <= 0),
      due:
        dueTo !== null &&
        dueFrom !== null &&
        compareInstants(dueFrom, start) <= 0 &&
        compareInstants(end, dueTo) <= 0,
    };
    return { start, end, ...held, gap: gapOf(held) };
  });
}

function expectedOf(head: Head, planned: readonly Partition[], found: Found): Expected {
  return {
    since: cronOf(head) === null ? (planned[0]?.start ?? null) : head.dueFrom,
    last: lastHeld(found),
    dueTo: dueUntil(head, planned),
  };
}

/** The last partition that holds rows or was published: before it nothing should be missing. */
function lastHeld({ rows, seals }: Found): Instant | null {
  let last: Instant | null = null;
  for (const starts of [rows, seals]) {
    for (const start of starts.keys()) {
      if (last === null || compareInstants(start, last) > 0) last = start;
    }
  }
  return last;
}

/**
 * Up to where the schedule should have come by now; null where there is none.
 *
 * @param planned partitions up to the one under way, enough of them for what one run takes
 */
export function dueUntil(head: Head, planned: readonly Partition[]): Instant | null {
  const { policy, now, dueTo } = head;
  if (cronOf(head) === null || dueTo === null) return null;
  const whole = planned.filter(({ end }) => compareInstants(end, now) <= 0);
  const late = whole.at(-1 - (policy.runs?.partitions ?? 1))?.end;
  return late !== undefined && compareInstants(late, dueTo) > 0 ? late : dueTo;
}
