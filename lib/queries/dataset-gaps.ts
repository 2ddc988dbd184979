import { type SQL, sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import type { Gap } from '@/lib/domain/gaps';
import { addSeconds, compareInstants, type Instant, secondsOf } from '@/lib/domain/instant';
import {
  CALENDAR_FIRST,
  type Partition,
  type PartitionUnit,
  partitionAt,
  partitionsBetween,
} from '@/lib/domain/partition-plan';
import {
  assemble,
  type CalendarPartition,
  cronOf,
  type DatasetCalendar,
  dueUntil,
  earliestShown,
  everythingIn,
  type Head,
  heads,
  LONGEST_TAIL,
  SECONDS,
} from '@/lib/queries/dataset-calendar';

/** Gaps that follow one another. */
export interface GapRange {
  from: Instant;
  to: Instant;
  partitions: number;
  kinds: Gap[];
}

export interface DatasetGaps {
  dataset: string;
  zone: string;
  unit: PartitionUnit;
  /** How many partitions are gaps. */
  count: number;
  /** Where, in order of time; the first few. */
  first: GapRange[];
}

const FEW = 5;
/** With more windows than this it is quicker to read everything between the first and the last. */
const MOST_WINDOWS = 50;

/**
 * Which datasets have gaps, and the first few of each, by name: the warning that nobody asked for.
 * Only datasets with a schedule, a run or a publication are watched: where nobody computes days by
 * run or reports them, a day without rows is what sparse data looks like.
 *
 * The database says which stretches nothing can be said against; only what lies between them is read
 * partition by partition, and judged as the calendar judges it.
 *
 * @param only of one dataset alone
 */
export async function gapsOf(db: Database | Tx, only?: string): Promise<DatasetGaps[]> {
  const people = ofPeople(sql`d.name`);
  const asked = only === undefined ? people : sql`${people} and d.name = ${only}`;
  const watched = await rows<Head>(db, sql`${heads(asked)} order by d.name`);
  const gaps: DatasetGaps[] = [];
  for (const head of watched) {
    if (!head.watched || head.active === null) continue;
    const found = gapsIn({ ...head, partitions: await doubtful(db, head) });
    if (found.count > 0) gaps.push(found);
  }
  return gaps;
}

/** The gaps among the partitions of a calendar, with the first few. */
export function gapsIn({
  name: dataset,
  zone,
  unit,
  partitions,
}: Pick<DatasetCalendar, 'name' | 'zone' | 'unit'> & {
  partitions: readonly Pick<CalendarPartition, 'start' | 'end' | 'gap'>[];
}): DatasetGaps {
  const ranges = gapRanges(partitions);
  const count = ranges.reduce((sum, range) => sum + range.partitions, 0);
  return { dataset, zone, unit, count, first: ranges.slice(0, FEW) };
}

/** Gaps in order of time, consecutive ones as one range. */
function gapRanges(
  partitions: readonly Pick<CalendarPartition, 'start' | 'end' | 'gap'>[],
): GapRange[] {
  const ranges: GapRange[] = [];
  for (const { start, end, gap } of partitions) {
    if (gap === null) continue;
    const last = ranges.at(-1);
    if (last?.to !== start) ranges.push({ from: start, to: end, partitions: 1, kinds: [gap] });
    else {
      last.to = end;
      last.partitions += 1;
      if (!last.kinds.includes(gap)) last.kinds.push(gap);
    }
  }
  return ranges;
}

type Stretch = readonly [from: Instant, to: Instant];

/** What of a dataset is beyond doubt, as far as the calendar reaches and not later than now. */
interface Settled {
  /** Ends of what anything stands in: rows, a seal or a run. */
  first: Instant | null;
  last: Instant | null;
  lastEnd: Instant | null;
  /** The last partition that holds rows or was published. */
  lastHeld: Instant | null;
  /** Neighbours that are no gaps, in order. */
  stretches: { from: Instant; to: Instant }[];
}

/** Partitions that may be gaps, each judged. */
async function doubtful(
  db: Database | Tx,
  head: Head,
): Promise<Omit<CalendarPartition, 'seal' | 'claimedBy'>[]> {
  const { zone, unit, now } = head;
  const current = partitionAt(zone, unit, now);
  const settled = await settledOf(db, head);
  const { first, last, lastEnd, lastHeld } = settled;
  if (current === null || first === null || last === null || lastEnd === null) return [];
  const earliest = earliestShown(unit, now);
  const from =
    compareInstants(first, earliest) < 0
      ? (partitionAt(zone, unit, earliest)?.start ?? earliest)
      : first;
  if (compareInstants(from, last) > 0) return [];
  const to = withTail(head, { from, lastEnd, current }) ? current.end : lastEnd;
  const windows = between(settled.stretches, [from, to]);
  if (windows.length === 0) return [];
  const planned = windows.flatMap(([start, end]) => partitionsBetween(zone, unit, start, end));
  return assemble(head, planned, await everythingIn(db, head, narrow(windows)), {
    since: cronOf(head) === null ? from : head.dueFrom,
    last: lastHeld,
    dueTo: dueUntil(head, newest(head, current)),
  });
}

/** Whether what comes after the last partition with anything in it is shown too: see the calendar. */
function withTail(
  head: Head,
  { from, lastEnd, current }: { from: Instant; lastEnd: Instant; current: Partition },
): boolean {
  const { zone, unit } = head;
  if (cronOf(head) !== null) return true;
  const longest = LONGEST_TAIL * SECONDS[unit];
  if (compareInstants(lastEnd, current.end) >= 0) return true;
  if (secondsOf(current.end) - secondsOf(lastEnd) > 2 * longest) return false;
  const tail = partitionsBetween(zone, unit, lastEnd, current.end).length;
  if (tail > LONGEST_TAIL) return false;
  if (secondsOf(lastEnd) - secondsOf(from) > 2 * longest) return true;
  return tail <= partitionsBetween(zone, unit, from, lastEnd).length;
}

/** What of a range no stretch covers. */
function between(stretches: readonly { from: Instant; to: Instant }[], [from, to]: Stretch) {
  const windows: Stretch[] = [];
  let at = from;
  for (const stretch of stretches) {
    if (compareInstants(stretch.to, at) <= 0) continue;
    if (compareInstants(stretch.from, to) >= 0) break;
    if (compareInstants(at, stretch.from) < 0) windows.push([at, stretch.from]);
    at = stretch.to;
  }
  if (compareInstants(at, to) < 0) windows.push([at, to]);
  return windows;
}

function narrow(windows: readonly Stretch[]) {
  const first = windows[0] as Stretch;
  const last = windows.at(-1) as Stretch;
  const read = windows.length > MOST_WINDOWS ? [[first[0], last[1]] as const] : windows;
  return read.map(([from, to]) => ({ from, to }));
}

/** Partitions up to the one under way, as many as say how late a schedule is. */
function newest({ zone, unit, policy, now }: Head, current: Partition): Partition[] {
  const many = (policy.runs?.partitions ?? 1) + 3;
  const from = addSeconds(now, -many * SECONDS[unit]);
  return partitionsBetween(
    zone,
    unit,
    compareInstants(from, CALENDAR_FIRST) < 0 ? CALENDAR_FIRST : from,
    current.end,
  );
}

/**
 * One statement over the dataset's partitions. Without a schedule a partition is settled that holds
 * rows or was published; with one, since the first scheduled run, it must have been run as well.
 */
function settledOf(db: Database | Tx, head: Head): Promise<Settled> {
  const { name, active, now } = head;
  const due = cronOf(head) === null ? null : head.dueFrom;
  const shown = (column: SQL) =>
    sql`${column} between ${CALENDAR_FIRST}::timestamptz and ${now}::timestamptz`;
  return one<Settled>(
    db,
    sql`with held as (
        select start_at, end_at, bool_or(sealed) as sealed from (
          select s.start_at, s.end_at, false as sealed from control.generation_range m
          join control.segment_partition s on s.segment = m.segment and m.span @> s.start_at
          where m.generation = ${active} and not (s.figures_version = s.version and s.rows = 0)
          union all
          select start_at, end_at, true from control.published_partition where dataset = ${name}
        ) h
        where ${shown(sql`start_at`)} group by 1, 2
      ), taken as (
        select p.start_at, p.end_at, p.reason, r.id,
          case when p.state = 'planned' and r.state = 'failed' then 'failed' else p.state end as state
        from control.run r join control.run_partition p on p.run = r.id
        where r.dataset = ${name} and r.state <> 'second_person'
          and (p.state <> 'planned' or r.state in ('planned', 'running', 'failed'))
          and ${shown(sql`p.start_at`)}
      ), kept as (
        select h.start_at, h.end_at,
          h.start_at is distinct from lag(h.end_at) over (order by h.start_at) as begins
        from held h
        left join (select distinct on (start_at) start_at, state, reason from taken
          where start_at >= ${due}::timestamptz order by start_at, id desc) l
          on l.start_at = h.start_at
        where h.sealed or ${due}::timestamptz is null or h.start_at < ${due}::timestamptz
          or l.state in ('done', 'planned')
          or (l.state = 'skipped' and l.reason not like 'claimed_by:%')
      ), numbered as (
        select start_at, end_at, count(*) filter (where begins) over (order by start_at) as n
        from kept
      ), stretch as (
        select min(start_at) as "from", max(end_at) as "to" from numbered group by n
      )
      select least(h.first, r.first) as first, greatest(h.last, r.last) as last,
        greatest(h."lastEnd", r."lastEnd") as "lastEnd", h.last as "lastHeld",
        coalesce((select jsonb_agg(jsonb_build_object(
            'from', to_char(s."from", ${INSTANT}::text), 'to', to_char(s."to", ${INSTANT}::text))
            order by s."from") from stretch s), '[]') as stretches
      from (select min(start_at) as first, max(start_at) as last, max(end_at) as "lastEnd"
          from held) h,
        (select min(start_at) as first, max(start_at) as last, max(end_at) as "lastEnd"
          from taken) r`,
  );
}

/** Partitions begin and end at whole seconds. */
const INSTANT = 'YYYY-MM-DD"T"HH24:MI:SS"Z"';
