import { type SQL, sql } from 'drizzle-orm';
import { array, type Database, one, rows, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import { idForm } from '@/lib/domain/id-form';
import { RELEASE_STATES, type ReleaseState } from '@/lib/domain/lifecycle';
import { type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';
import { briefsOf, type ReleaseBrief, type Viewer } from '@/lib/queries/release-brief';

/** How a list groups states: by what people have to do with them. */
export const STATE_GROUPS = {
  draft: ['DRAFT'],
  building: ['SNAPSHOT_PINNED', 'BUILDING'],
  sealed: ['INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILED', 'APPROVED'],
  stopped: ['RECONCILIATION_REQUIRED'],
  active: ['ACTIVE'],
  ended: ['RETIRED', 'REJECTED', 'ABANDONED', 'ROLLED_BACK'],
} as const satisfies Record<string, readonly ReleaseState[]>;

export type StateGroup = keyof typeof STATE_GROUPS;

export const stateGroups = Object.keys(STATE_GROUPS) as StateGroup[];

export interface ReleasesFilter {
  group?: StateGroup | null;
  dataset?: string | null;
  owner?: string | null;
  /** Part of a name, of `name@n`, of the target generation. */
  text?: string | null;
}

export interface ReleaseRow {
  brief: ReleaseBrief;
  /** One code for each stretch of the plan, at most 60: what in it needs somebody most. */
  strip: string;
}

export interface ReleasesPage extends Page<ReleaseRow> {
  now: string;
  /** With every filter but the group's. */
  counts: Record<StateGroup | 'all', number>;
  datasets: string[];
  owners: string[];
}

/** Stretches of a coverage strip in a row of a table. */
const STRETCHES = 60;

/** What the list can be sorted by, each as text that sorts by bytes. */
const SORT_TEXTS = {
  release: sql`r.name || '@' || lpad(r.revision::text, 9, '0')`,
  dataset: sql`r.dataset`,
  state: sql`lpad(array_position(${array([...RELEASE_STATES], 'text')}, r.state)::text, 2, '0')`,
  owner: sql`coalesce(r.spec ->> 'owner', r.created_by)`,
  // the youngest has the largest id
  age: sql`lpad((9223372036854775807 - r.id)::text, 19, '0')`,
} as const;

export type ReleaseSort = keyof typeof SORT_TEXTS;

/** Releases, newest first unless sorted; of equal ones the newest first. */
export async function releasesPage(
  db: Database | Tx,
  viewer: Viewer,
  filter: ReleasesFilter,
  { limit, cursor, sort }: PageRequest & { sort?: { key: ReleaseSort; down: boolean } | null },
): Promise<ReleasesPage> {
  const text = sort ? SORT_TEXTS[sort.key] : sql`''`;
  const after = readCursor(cursor, [/^.*$/s, idForm]);
  const narrowed = conditionsOf(filter);
  const conditions = [...narrowed];
  if (filter.group) conditions.push(sql`r.state = any(${groupArray(filter.group)})`);
  const direction = sort?.down ? sql`desc` : sql`asc`;
  if (after) {
    const beyond = sort?.down ? sql`<` : sql`>`;
    conditions.push(sql`((${text}) collate "C" ${beyond} ${after[0]}
      or ((${text}) collate "C" = ${after[0]} and r.id < ${after[1]}))`);
  }
  const found = await rows<{ id: string; text: string }>(
    db,
    sql`select r.id, (${text}) as text from control.release r where ${all(conditions)}
      order by (${text}) collate "C" ${direction}, r.id desc limit ${limit + 1}`,
  );
  const page = pageOf(found, limit, (row) => [row.text, row.id]);
  const ids = page.items.map((row) => row.id);
  const strips = await stripsOf(db, ids);
  const briefs = await briefsOf(db, viewer, ids);
  return {
    items: briefs.map((brief) => ({ brief, strip: strips.get(brief.id) ?? '' })),
    nextCursor: page.nextCursor,
    counts: await countsOf(db, narrowed),
    ...(await choices(db)),
  };
}

const all = (conditions: readonly SQL[]) =>
  conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `);

const groupArray = (group: StateGroup) => array([...STATE_GROUPS[group]], 'text');

function conditionsOf({ dataset, owner, text }: ReleasesFilter): SQL[] {
  const conditions: SQL[] = [ofPeople(sql`r.dataset`)];
  if (dataset) conditions.push(sql`r.dataset = ${dataset}`);
  if (owner) conditions.push(sql`coalesce(r.spec ->> 'owner', r.created_by) = ${owner}`);
  const wanted = text?.trim().toLowerCase();
  if (wanted) {
    conditions.push(sql`position(${wanted}::text in r.name || '@' || r.revision || ' '
      || r.dataset || ' ' || coalesce(r.spec ->> 'targetGeneration', '')) > 0`);
  }
  return conditions;
}

async function countsOf(db: Database | Tx, narrowed: readonly SQL[]) {
  const counted = await one<Record<StateGroup | 'all', number>>(
    db,
    sql`select ${sql.join(
      [
        sql`count(*)::int as "all"`,
        ...stateGroups.map(
          (group) =>
            sql`(count(*) filter (where r.state = any(${groupArray(group)})))::int
              as ${sql.identifier(group)}`,
        ),
      ],
      sql`, `,
    )} from control.release r where ${all(narrowed)}`,
  );
  return counted;
}

async function choices(db: Database | Tx) {
  return one<{ now: string; datasets: string[]; owners: string[] }>(
    db,
    sql`select clock_timestamp() as now,
        array(select name from control.dataset where fork_of is null order by name) as datasets,
        array(select distinct coalesce(spec ->> 'owner', created_by) from control.release
          where ${ofPeople(sql`dataset`)} order by 1) as owners`,
  );
}

/**
 * Of several partitions in one stretch the one that needs somebody most is shown. Where all of a plan
 * is alike there is nothing to lay out: an index knows it, and most plans are.
 */
async function stripsOf(db: Database | Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const found = await rows<{ release: string; strip: string }>(
    db,
    sql`with counted as (
        select release, count(*) as planned, count(distinct state) as states, min(state) as state
        from (select p.release, p.state from control.release_partition p
          where p.release = any(${array(ids, 'bigint')})) p group by release
      ),
      numbered as (
        select p.release, c.planned, ${needOf(sql`p.state`)} as need,
          row_number() over (partition by p.release order by p.start_at) - 1 as place
        from control.release_partition p
        join counted c on c.release = p.release and c.states > 1
      ),
      stretch as (
        select release, place * least(planned, ${STRETCHES}::int) / planned as n,
          min(need) as need
        from numbered group by release, n
      )
      select release, string_agg(substr('fupb', need, 1), '' order by n) as strip
      from stretch group by release
      union all
      select release, repeat(substr('fupb', ${needOf(sql`state`)}, 1),
        least(planned, ${STRETCHES}::int)::int) from counted where states = 1`,
  );
  return new Map(found.map(({ release, strip }) => [release, strip]));
}

const needOf = (state: SQL): SQL =>
  sql`case ${state} when 'failed' then 1 when 'building' then 2 when 'planned' then 3 else 4 end`;
