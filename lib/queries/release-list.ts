import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import { planWorkSql } from '@/lib/db/plan-work-sql';
import { idForm } from '@/lib/domain/id-form';
import { type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';

export interface ReleaseItem {
  /** `name@revision`. */
  release: string;
  name: string;
  revision: number;
  dataset: string;
  state: string;
  owner: string | null;
  /** Null where the draft does not say yet. */
  from: string | null;
  /** Null: open, from `from` on (or not said yet). */
  to: string | null;
  targetGeneration: string | null;
  serving: boolean;
  flags: { paused: boolean; held: boolean; draining: boolean };
  progress: { planned: number; receipts: number; running: number; failed: number };
  deadline: string | null;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
}

export interface ReleaseFilter {
  dataset?: string | undefined;
  state?: string | undefined;
  /** Name without revision. */
  name?: string | undefined;
  owner?: string | undefined;
}

type Row = Omit<ReleaseItem, 'flags' | 'progress' | 'release' | 'from' | 'to'> &
  ReleaseItem['flags'] &
  ReleaseItem['progress'] & {
    id: string;
    rangeFrom: string | null;
    rangeTo: string | null;
    draftFrom: string | null;
    draftTo: string | null;
  };

/** Releases, newest first. */
export async function releaseList(
  db: Database | Tx,
  filter: ReleaseFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<ReleaseItem>> {
  const before = readCursor(cursor, [idForm]);
  const conditions: SQL[] = [ofPeople(sql`r.dataset`)];
  if (before) conditions.push(sql`r.id < ${before[0]}`);
  if (filter.dataset !== undefined) conditions.push(sql`r.dataset = ${filter.dataset}`);
  if (filter.state !== undefined) conditions.push(sql`r.state = ${filter.state}`);
  if (filter.name !== undefined) conditions.push(sql`r.name = ${filter.name}`);
  if (filter.owner !== undefined) conditions.push(sql`r.spec ->> 'owner' = ${filter.owner}`);
  const found = await rows<Row>(
    db,
    sql`with page as (
        select * from control.release r
        where ${sql.join(conditions, sql` and `)}
        order by r.id desc limit ${limit + 1}
      )
      select r.id, r.name, r.revision, r.dataset, r.state, r.spec ->> 'owner' as owner,
        r.range_from as "rangeFrom", r.range_to as "rangeTo",
        r.spec #>> '{range,from}' as "draftFrom",
        nullif(r.spec #>> '{range,to}', 'open') as "draftTo",
        r.spec ->> 'targetGeneration' as "targetGeneration",
        coalesce(reg.active_generation = r.generation, false) as serving,
        r.paused_at is not null as paused, r.held_at is not null as held, r.draining,
        coalesce(w.planned, 0)::int as planned, coalesce(w.receipts, 0)::int as receipts,
        coalesce(w.running, 0)::int as running, coalesce(w.failed, 0)::int as failed,
        r.deadline, r.created_by as "createdBy", r.created_at as "createdAt",
        r.updated_at as "updatedAt"
      from page r
      left join control.registry reg on reg.dataset = r.dataset
      cross join lateral (${planWorkSql(sql`r.id`)}) w
      order by r.id desc`,
  );
  const page = pageOf(found, limit, (row) => [row.id]);
  return { items: page.items.map(itemOf), nextCursor: page.nextCursor };
}

function itemOf(row: Row): ReleaseItem {
  const { id: _, paused, held, draining, planned, receipts, running, failed, ...rest } = row;
  const { rangeFrom, rangeTo, draftFrom, draftTo, ...named } = rest;
  const frozen = rangeFrom !== null;
  return {
    ...named,
    release: `${row.name}@${row.revision}`,
    from: frozen ? rangeFrom : draftFrom,
    to: frozen ? rangeTo : draftTo,
    flags: { paused, held, draining },
    progress: { planned, receipts, running, failed },
  };
}
