import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import { lagSql } from '@/lib/db/lag-sql';
import { paceSql } from '@/lib/db/pace-sql';
import { planWorkSql } from '@/lib/db/plan-work-sql';
import type { BuildFacts } from '@/lib/domain/build-waits';
import { idForm } from '@/lib/domain/id-form';
import type { ReleaseState } from '@/lib/domain/lifecycle';
import type { ReleaseSpec } from '@/lib/domain/release';
import { type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';

/** A figure of a release's budget, as the spec spells it. */
export type BudgetFigure = keyof ReleaseSpec['budget'];

/** A whole number for each figure, as exact text; null where there is none. */
type Figures = Record<BudgetFigure, string | null>;

/** What a release may use, what it was given at the pin, and what it uses. */
export interface AdminBudget extends BuildFacts {
  id: string;
  /** `name@revision`. */
  release: string;
  dataset: string;
  zone: string;
  state: ReleaseState;
  serving: boolean;
  /** Why it needs reconciliation. */
  trouble: string | null;
  /** Of one that is active: until when it may be rolled back; null where no end is known. */
  windowUntil: string | null;
  /** The limits now; null is no limit. */
  limits: Figures;
  /** The limits as they were frozen. */
  ceilings: Figures;
  /**
   * Partitions being built; facts read per second by the receipts of the last minute; seconds that
   * attempts ran, those under way until now; seconds of live lag; events behind the release's seal;
   * seconds since it. Null where nothing is used: no receipt in the last minute, no seal of its own.
   */
  used: Figures;
  /** The lag is that of the moment of the seal, which is what its limit is for. */
  lagAtSeal: boolean;
}

/** Frozen and not over: of `r`, a release, that its budget is used or will be. */
const usesBudget: SQL = sql`${ofPeople(sql`r.dataset`)} and (
  r.state in ('SNAPSHOT_PINNED', 'BUILDING', 'INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILED',
    'APPROVED', 'RECONCILIATION_REQUIRED')
  or r.state = 'ACTIVE' and (
    exists (select from control.generation o where o.id = r.old_generation and o.state = 'kept'
      and coalesce(o.kept_until > clock_timestamp(), true))
    -- a rollback that was begun in time goes on after it, and seals for as long as the budget lets it
    or exists (select from control.rollback b
      where b.release = r.id and b.state in ('requested', 'replaying', 'sealed'))))`;

/** How many releases `adminBudgets` lists. */
export const budgetCountSql: SQL = sql`
  (select count(*)::int from control.release r where ${usesBudget})`;

type Row = Omit<AdminBudget, 'waiting'>;

/** Releases that use a budget or will, newest first. */
export async function adminBudgets(
  db: Database | Tx,
  { limit, cursor }: PageRequest,
): Promise<Page<AdminBudget>> {
  const [before] = readCursor(cursor, [idForm]) ?? [null];
  const found = await rows<Row>(
    db,
    sql`with page as (
        select r.* from control.release r
        where ${usesBudget} and (${before}::bigint is null or r.id < ${before}::bigint)
        order by r.id desc limit ${limit + 1}
      )
      select r.id, r.name || '@' || r.revision as release, r.dataset, d.timezone as zone, r.state,
        coalesce(g.active_generation = r.generation, false) as serving, r.draining,
        r.trouble_why as trouble, s.ready_at is not null as "snapshotReady",
        case when r.paused_at is not null then jsonb_build_object(
          'by', coalesce(r.paused_by, ''), 'why', r.paused_why) end as paused,
        case when r.held_at is not null then jsonb_build_object(
          'by', coalesce(r.held_by, ''), 'why', r.held_why) end as held,
        case when r.state = 'ACTIVE' then o.kept_until end as "windowUntil",
        w.planned::int as planned, w.receipts::int as receipts, w.running::int as building,
        w.failed::int as failed, r.concurrency, r.lag_at_seal_seconds is not null as "lagAtSeal",
        ${figures({
          concurrency: sql`r.concurrency`,
          sourceRowsPerSecond: frozen('sourceRowsPerSecond'),
          warehouseSeconds: frozen('warehouseSeconds'),
          maxLiveLagSeconds: sql`r.max_live_lag_seconds`,
          maxBufferedEvents: sql`r.max_buffered_events`,
          maxSealedSeconds: sql`r.max_sealed_seconds`,
        })} as limits,
        ${figures({
          concurrency: frozen('concurrency'),
          sourceRowsPerSecond: frozen('sourceRowsPerSecond'),
          warehouseSeconds: frozen('warehouseSeconds'),
          maxLiveLagSeconds: frozen('maxLiveLagSeconds'),
          maxBufferedEvents: frozen('maxBufferedEvents'),
          maxSealedSeconds: frozen('maxSealedSeconds'),
        })} as ceilings,
        ${figures({
          concurrency: sql`w.running`,
          sourceRowsPerSecond: sql`round(pace.facts / greatest(pace.seconds, 1)::numeric)`,
          warehouseSeconds: sql`ran.seconds`,
          maxLiveLagSeconds: sql`coalesce(r.lag_at_seal_seconds::numeric,
            ${lagSql(sql`g.active_generation`, sql`d.source`)}, 0)`,
          maxBufferedEvents: sql`case when own.sealed then (
            select sum(greatest(h.last_offset - g.barrier[h.shard + 1], 0))
            from control.source_shard h where h.source = d.source) end`,
          maxSealedSeconds: sql`case when own.sealed then
            floor(extract(epoch from clock_timestamp() - g.sealed_at)) end`,
        })} as used
      from page r
      join control.dataset d on d.name = r.dataset
      join control.registry g on g.dataset = r.dataset
      left join control.generation o on o.id = r.old_generation
      left join control.snapshot s on s.id = r.snapshot
      cross join lateral (${planWorkSql(sql`r.id`)}) w
      cross join lateral (${paceSql(sql`r.id`)}) pace
      cross join lateral (
        select coalesce(ceil(sum(extract(epoch from
          coalesce(a.ended_at, clock_timestamp()) - a.started_at))), 0) as seconds
        from control.attempt a where a.release = r.id
      ) ran
      cross join lateral (
        select g.sealer = 'release:' || r.id or exists (select from control.rollback b
          where b.release = r.id and g.sealer = 'rollback:' || b.id) as sealed
      ) own
      order by r.id desc`,
  );
  const { items, nextCursor } = pageOf(found, limit, ({ id }) => [id]);
  return { items: items.map(budgetOf), nextCursor };
}

const budgetOf = (row: Row): AdminBudget => ({
  ...row,
  waiting: Math.max(0, row.planned - row.receipts - row.building - row.failed),
});

const frozen = (figure: BudgetFigure): SQL => sql`r.spec #>> array['budget', ${figure}::text]`;

/** Whole numbers as text: in JSON they would be read as numbers that are not exact. */
function figures(of: Record<BudgetFigure, SQL>): SQL {
  const each = Object.entries(of).map(([figure, value]) => sql`${figure}::text, (${value})::text`);
  return sql`jsonb_build_object(${sql.join(each, sql`, `)})`;
}
