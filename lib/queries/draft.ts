import { sql } from 'drizzle-orm';
import { type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { NotFound } from '@/lib/domain/refusal';
import { releaseId } from '@/lib/queries/release-ref';

/** What a draft of a dataset needs to know of it. */
export interface DraftDataset {
  name: string;
  source: string;
  zone: string;
  unit: 'hour' | 'day' | 'week' | 'month';
  columns: { name: string; type: string }[];
  key: string[];
  businessTime: string;
  sourceColumns: { name: string; type: string }[];
  conserved: { name: string; old: string; new: string; source?: string }[];
  approvals: { cutover: number; rollback: number };
  /** Null until the first load is done. */
  activeGeneration: string | null;
  transform: { digest: string; sql: string } | null;
}

/** Every dataset that can be drafted for, by name. */
export function draftDatasets(db: Database | Tx): Promise<DraftDataset[]> {
  return rows<DraftDataset>(
    db,
    sql`select d.name, d.source, d.timezone as zone, d.partition as unit, d.columns, d.key,
        d.business_time as "businessTime", s.columns as "sourceColumns", d.conserved,
        d.policy -> 'approvals' as approvals, g.name as "activeGeneration",
        case when t.digest is not null
          then jsonb_build_object('digest', t.digest, 'sql', t.sql) end as transform
      from control.dataset d
      join control.source s on s.name = d.source
      join control.registry r on r.dataset = d.name
      left join control.generation g on g.id = r.active_generation
      left join control.transform t on t.digest = g.transform
      where d.fork_of is null
      order by d.name`,
  );
}

/** A release's spec as something to draft from, with its new transform written out. */
export interface DraftSpec {
  id: string;
  release: string;
  name: string;
  revision: number;
  dataset: string;
  state: string;
  version: number;
  spec: Record<string, unknown>;
  newSql: string | null;
  commit: string | null;
  savedAt: string;
  savedBy: string;
  authors: string[];
  /** The revision before it; null for the first. */
  before: string | null;
  now: string;
}

/**
 * A draft, or a release to make the next revision of.
 *
 * @throws NotFound
 */
export async function draftSpec(db: Database | Tx, reference: string): Promise<DraftSpec> {
  const id = await releaseId(db, reference);
  const found = await maybeOne<DraftSpec>(
    db,
    sql`select r.id, r.name || '@' || r.revision as release, r.name, r.revision, r.dataset,
        r.state, r.version, r.spec,
        coalesce(r.spec #>> '{transform,new,sql}', t.sql) as "newSql",
        coalesce(r.spec #>> '{transform,new,commit}', r.spec #>> '{transform,commit}', t.commit)
          as commit,
        e.at as "savedAt", e.actor as "savedBy",
        array(select a.person from control.release_author a where a.release = r.id
          order by a.person) as authors,
        (select b.name || '@' || b.revision from control.release b
          where b.name = r.name and b.revision < r.revision
          order by b.revision desc limit 1) as before,
        clock_timestamp() as now
      from control.release r
      left join control.transform t on t.digest = r.spec #>> '{transform,new}'
      left join lateral (
        select a.at, a.actor from control.audit_event a
        where a.subject = r.name || '@' || r.revision and a.outcome = 'done'
          and a.verb in ('release.create', 'release.edit')
        order by a.id desc limit 1
      ) e on true
      where r.id = ${id}`,
  );
  if (!found) throw new NotFound('release', reference);
  return found;
}

/** Under which revision a name would be kept now, and a generation's name that is still free. */
export async function nextRevision(
  db: Database | Tx,
  name: string,
  dataset: string,
): Promise<{ revision: number; generation: string }> {
  const { revision, taken } = await one<{ revision: number; taken: string[] }>(
    db,
    sql`select coalesce(max(r.revision), 0)::int + 1 as revision,
        array(select g.name from control.generation g
          where g.dataset = ${dataset} and starts_with(g.name, ${`${name}-g`}::text)) as taken
      from control.release r where r.name = ${name}`,
  );
  let number = revision;
  while (taken.includes(`${name}-g${number}`)) number += 1;
  return { revision, generation: `${name}-g${number}` };
}

/** The transform that the generation in use has at an instant; null before the first load. */
export function transformInUse(
  db: Database | Tx,
  dataset: string,
  instant: string | null,
): Promise<{ digest: string; sql: string } | null> {
  return maybeOne(
    db,
    sql`select t.digest, t.sql
      from control.registry r
      join control.generation_range m on m.generation = r.active_generation
      join control.transform t on t.digest = m.transform
      where r.dataset = ${dataset}
        and m.span @> coalesce(${instant}::timestamptz, clock_timestamp())`,
  );
}
